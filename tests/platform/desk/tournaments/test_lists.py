"""Lists of the administration: few queries however many rows, titles, search and filters."""

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from stichkampf_platform.desk.tournaments import results
from stichkampf_platform.people.notices import tell
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import rulings

MOST_QUERIES = 20
TOURNAMENTS = "/admin/tournaments/tournament/"
BLOCKS = "/admin/tournaments/block/"


def lists():
    return [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]


@pytest.fixture
def chief(client, person):
    staff = person("chief", is_staff=True, is_superuser=True)
    client.force_login(staff)
    return staff


def rows_everywhere(number, make_tournament, play_out, house, person, submitted):
    """Rows in the lists: a tournament with all its parts and ratings, a person with bot and notice."""
    tournament = play_out(make_tournament(name=f"Cup {number}", blocks=2), faulting=[house["timid"]])
    rulings.run_again(block=tournament.blocks.first())
    ratings.publish(ladder=tournament.ladder, tournament=tournament)
    Tournament.objects.update(created_by=person(f"owner-{number}"))
    author = person(f"author-{number}", email=f"{number}@example.org")
    author.emailaddress_set.create(email=author.email)
    submitted(author, slug=f"bot-{number}")
    tell(person=author, title="Suspended", text="Faults.", address="/", evidence=[])


@pytest.mark.slow
def test_no_list_asks_more_than_twenty_queries_or_more_for_more_rows(
    client, chief, make_tournament, play_out, house, person, submitted, django_assert_max_num_queries
):
    asked = []
    for number in (1, 2):
        rows_everywhere(number, make_tournament, play_out, house, person, submitted)
        counts = {}
        for address in lists():
            with (
                CaptureQueriesContext(
                    connection,
                ) as queries,
                django_assert_max_num_queries(MOST_QUERIES),
            ):
                assert client.get(address).status_code == 200
            counts[address] = len(queries)
        asked.append(counts)
    assert asked[0] == asked[1]


@pytest.mark.parametrize("entrants", [3, 12])
def test_a_tournaments_page_asks_few_queries_however_many_entrants(
    client, chief, make_tournament, play_out, person, submitted, django_assert_max_num_queries, entrants
):
    versions = [submitted(person(f"author-{number}")) for number in range(entrants)]
    tournament = play_out(make_tournament(versions=versions))
    with django_assert_max_num_queries(MOST_QUERIES):
        assert client.get(f"{TOURNAMENTS}{tournament.pk}/change/").status_code == 200


def test_the_list_of_tournaments_shows_titles_progress_and_times_of_24_hours(
    client, chief, make_tournament, play_out
):
    tournament = play_out(make_tournament(blocks=2))
    Tournament.objects.update(started_at="2026-11-22T19:05:00Z")
    page = client.get(TOURNAMENTS).content.decode()
    for text in ("Stiche-Raten, 3 seats", "Round robin", "6 of 6", "22 Nov 2026, 19:05"):
        assert text in page, text
    assert "round-robin<" not in page
    Tournament.objects.update(finished_at="2026-11-22T19:05:00Z")
    tournament.blocks.update(over_at="2026-11-22T19:05:00Z")
    assert "22 Nov 2026, 19:05 UTC" in client.get(BLOCKS).content.decode()


def numbers(page):
    return re.findall(r'field-block">(\d+)<', page)


@pytest.mark.slow
def test_blocks_are_found_by_tournament_number_and_state(client, chief, make_tournament, play_out):
    cup = play_out(make_tournament(name="Cup", blocks=3))
    other = make_tournament(name="Friday 2", blocks=1)
    rulings.run_again(block=cup.blocks.get(number=0))

    def found(query):
        return numbers(client.get(f"{BLOCKS}?{query}").content.decode())

    assert sorted(found("")) == ["1", "2", "3", "4"]
    assert found("q=cup+2") == ["2"]
    assert found("q=%00cup+2".replace("%00", "")) == ["2"]
    assert found("q=nowhere") == []
    assert found("state=void") == ["1"]
    assert found("state=open") == ["4"]
    assert found(f"tournament={cup.pk}&state=over") == ["2", "3"]
    assert found(f"tournament={other.pk}") == []
    tables = client.get(f"/admin/tournaments/table/?q=cup+3&state=done&tournament={cup.pk}").content.decode()
    assert len(re.findall(r'field-table">(\d+)<', tables)) == 3


def test_a_filter_tells_no_organiser_of_tournaments_of_others(
    client, person, make_tournament, make_organiser
):
    bob = person("bob")
    make_organiser(bob)
    client.force_login(bob)
    other = make_tournament(name="Not mine")
    make_tournament(name="Mine", created_by=bob)
    for model in ("block", "table", "entrant", "result", "fault"):
        page = client.get(f"/admin/tournaments/{model}/?tournament={other.pk}").content.decode()
        assert "Not mine" not in page


def test_a_long_list_of_results_is_counted_up_to_a_bound(
    client, chief, make_tournament, play_out, monkeypatch
):
    play_out(make_tournament(blocks=2))
    address = "/admin/tournaments/result/"
    whole = client.get(address).content.decode()
    assert "18 results" in whole
    assert "Filters and search" not in whole
    monkeypatch.setattr(results, "MOST_LISTED", 7)
    cut = client.get(address).content.decode()
    assert "7 results" in cut
    assert "Only 7 are counted and listed. Filters and search find the others." in cut
