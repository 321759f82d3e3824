"""The head of a tournament's page: what it shows and which buttons it has, by state."""

import re
from datetime import timedelta

import pytest
from django.utils.translation import override
from stichkampf_platform.core import clock
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.pace import TablesAMinute, TournamentEstimate

TOURNAMENTS = "/admin/tournaments/tournament/"


@pytest.fixture
def organiser(client, person, make_organiser):
    """An organiser who is neither staff nor superuser, signed in."""
    bob = person("bob")
    make_organiser(bob)
    client.force_login(bob)
    return bob


@pytest.fixture
def page(client):
    """The page of a tournament, its white space in single spaces."""

    def show(tournament):
        return " ".join(client.get(f"{TOURNAMENTS}{tournament.pk}/change/").content.decode().split())

    return show


def buttons(page):
    return re.findall(r'<button type="submit" class="button" name="action" value="(\w+)">', page)


def press(client, action, tournament, **more):
    fields = {"action": action, "_selected_action": tournament.pk, "index": 0, "from_page": "yes", **more}
    return client.post(TOURNAMENTS, fields)


@pytest.mark.slow
def test_buttons_follow_the_state_and_lead_back_to_the_page(client, organiser, page, make_tournament):
    tournament = make_tournament(created_by=organiser)
    address = f"{TOURNAMENTS}{tournament.pk}/change/"
    assert buttons(page(tournament)) == ["start", "hide", "announce", "share", "clone", "cancel"]
    for action, follow in (
        ("start", ["pause", "hide", "announce", "describe", "share", "clone", "cancel"]),
        ("hide", ["pause", "publish", "announce", "describe", "share", "clone", "cancel"]),
        ("pause", ["resume", "publish", "announce", "describe", "share", "clone", "cancel"]),
        ("cancel", ["publish", "announce", "describe", "share", "clone"]),
    ):
        assert press(client, action, tournament, confirmed="yes")["Location"] == address
        assert buttons(page(tournament)) == follow
    answer = press(client, "clone", tournament)
    draft = Tournament.objects.get(name="A test (2)")
    assert answer["Location"] == f"{TOURNAMENTS}{draft.pk}/change/"


def test_a_running_tournament_shows_progress_time_left_trouble_and_links(
    client, organiser, page, make_tournament, land
):
    tournament = make_tournament(created_by=organiser, blocks=2)
    lifecycle.start(tournament=tournament)
    assert "time left is not known" in page(tournament)
    table, other, *_ = leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    land(table)
    Table.objects.filter(pk=other.pk).update(trouble="The arbiter is <gone>.")
    Tournament.objects.update(started_at=clock.now() - timedelta(minutes=4))
    shown = page(tournament)
    for text in (
        "Running", "1 of 6 tables played", "0 of 2 blocks finished", "about 20 min left",
        "At 1 of its tables: The arbiter is &lt;gone&gt;.", 'href="/tournaments/a-test/"',
        f'href="/admin/tournaments/block/?tournament={tournament.pk}"', "results.csv", 'data-live="5"',
    ):  # fmt: skip
        assert text in shown, text


def test_a_finished_tournament_shows_its_standings(client, organiser, page, make_tournament, play_out):
    tournament = play_out(make_tournament(created_by=organiser))
    ratings.publish(ladder=tournament.ladder, tournament=tournament)
    shown = page(tournament)
    rows = re.findall(r'<th scope="row">(\w+ v\d)</th>', shown)
    assert sorted(rows) == sorted(str(entrant) for entrant in tournament.entrants.all())
    assert "Finished" in shown
    assert "data-live" not in shown


def test_a_draft_shows_the_estimate_and_leads_to_its_preview(client, organiser, page, make_tournament):
    shown = page(make_tournament(created_by=organiser, blocks=4))
    assert "12 tables, less than a minute at 240 tables a minute, as assumed until some" in shown
    assert 'href="/tournaments/a-test/"' in shown


def test_the_words_of_a_button_that_asks_for_a_text_end_with_one_ellipsis(
    client, organiser, page, make_tournament
):
    shown = " ".join(page(make_tournament(created_by=organiser)).split())
    assert '<summary class="button">Organise it with …</summary>' in shown
    assert '<summary class="button">Announce …</summary>' in shown


def test_an_estimate_is_written_as_the_language_writes_numbers():
    pace = TablesAMinute(19.34, "as measured")
    with override("de"):
        assert "bei 19,3 Tischen in der Minute" in str(TournamentEstimate(18, pace))


def test_a_hidden_tournament_says_so_and_leads_to_the_page_that_only_organisers_open(
    client, organiser, page, make_tournament
):
    tournament = make_tournament(created_by=organiser, published=False)
    lifecycle.start(tournament=tournament)
    assert "hidden from the site" in page(tournament)
    assert 'href="/tournaments/a-test/"' in page(tournament)
