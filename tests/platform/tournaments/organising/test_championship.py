"""The friendly cup and the championship of docs/organisers.md, by an organiser who is no superuser."""

import pytest
from django.core.exceptions import ValidationError
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import Notice
from stichkampf_platform.ratings import announcements, qualification
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings, setting_up
from stichkampf_platform.tournaments.organising.forms import TournamentForm
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.slow, pytest.mark.queries]

ADMIN = "/admin/tournaments/tournament/"
BOTS = "thumb\nrandom\ntimid\nglimpse\nbold\nflat\ngambler\nrival\nworrier"


@pytest.fixture
def desk(client, person, make_organiser, house):
    """An organiser, signed in; `desk(tournament, "start")` presses a button of its page."""
    olga = person("olga")
    make_organiser(olga)
    client.force_login(olga)

    def press(tournament, button):
        fields = {"action": button, "_selected_action": tournament.pk, "index": 0, "from_page": "1"}
        return client.post(ADMIN, fields, follow=True).content.decode()

    press.olga = olga
    return press


def fields(preset, **more):
    """The fields of the form after the button of a preset, in the way of a browser."""
    asked = {
        "game": "stiche-raten",
        "name": "Cup",
        "slug": "cup",
        "published": "on",
        "_preset": preset,
        **more,
    }
    return {**asked, "seats": 3, "options": '{"length": "deals:1"}', "more_entrants": BOTS, "bots_each": 1,
            "entry": "organiser"}  # fmt: skip


def saved(client, sent, **settings):
    answer = client.post(f"{ADMIN}add/", {**sent, **settings}, follow=True)
    assert "was added successfully" in answer.content.decode(), answer.context["adminform"].form.errors
    return Tournament.objects.get(slug=sent["slug"])


def test_a_friendly_cup_is_three_steps(client, desk):
    sent = fields("class")
    assert "tables" in client.post(f"{ADMIN}add/", sent).context["adminform"].form.estimate
    del sent["_preset"]
    cup = saved(client, sent, format="round-robin", stopping="fixed", blocks_planned=24, move_seconds=1,
                bank_seconds=5, cap_seconds=3, fault_allowance=2)  # fmt: skip
    assert "Started." in desk(cup, "start")
    page = client.get("/tournaments/cup/").content.decode()
    assert all(f"/bots/house/{name}/" in page for name in BOTS.split())
    assert "it is not possible to start it" in desk(cup, "start")  # a second press


def test_a_championship_is_swiss_then_a_knock_out_of_the_best_eight_by_one_button(client, desk, land):
    sent = fields("championship")
    del sent["_preset"]
    swiss = saved(client, sent, format="swiss", stopping="fixed", blocks_planned=1, rounds=2, move_seconds=2,
                  bank_seconds=30, cap_seconds=10, fault_allowance=2)  # fmt: skip
    desk(swiss, "start")
    assert "its best are known when it is finished" in desk(swiss, "final")
    play(swiss, land)
    assert 'value="final"' in client.get(f"{ADMIN}{swiss.pk}/change/").content.decode()
    assert "The best have entered a knock-out." in desk(swiss, "final")
    assert "The best of Cup play in Cup, knock-out already." in desk(swiss, "final")
    final = Tournament.objects.get(qualifier=swiss)
    best = [row.entrant.version_id for row in standings(swiss)][:8]
    assert list(final.entrants.order_by("number").values_list("version", flat=True)) == best
    assert "Started." in desk(final, "start")
    play(final, land)
    page = client.get("/tournaments/cup-final/").content.decode()
    assert "wins the knock-out" in page or "share the victory" in page


def test_a_ruling_on_the_qualification_holds_its_final_back_and_tells_who_would_enter(
    make_tournament, land, played_record, person
):
    cup = make_tournament(name="Cup", format="swiss", blocks=1, rounds=1, created_by=person("olga"))
    lifecycle.start(tournament=cup)
    play(cup, land)
    final = qualification.make_final(tournament=cup, by=cup.created_by)
    before = [str(entrant.version) for entrant in final.entrants.all()]
    again = rulings.run_again(block=cup.blocks.get(), by=None, reason="Its record is damaged.")
    with pytest.raises(RequestRefused, match="Cup is being played again: who enters is known when"):
        lifecycle.start(tournament=final)
    first = cup.entrants.get(version=final.entrants.get(number=0).version)
    for table in leases.take(block_id=again.pk, owner="w1"):
        seats = {seat.number for seat in table.seats.filter(entrant=first)}
        assert land(table, played_record(table, faulting=seats))
    play(cup, land)
    assert announcements.settle_rulings() == 1
    told = Notice.objects.get(title="Cup, knock-out: other bots are the best now")
    after = [str(row.entrant.version) for row in standings(cup)]
    assert after != before
    assert f"these would enter, in this order: {', '.join(after[:-1])} and {after[-1]}." in told.text
    assert [str(entrant.version) for entrant in final.entrants.all()] == before, "nothing in silence"
    lifecycle.start(tournament=final)


def test_a_final_with_two_bots_of_one_author_does_not_start_and_names_them(
    make_tournament, land, person, submitted
):
    cup = make_tournament(name="Cup", format="swiss", blocks=1, rounds=1, created_by=person("olga"))
    lifecycle.start(tournament=cup)
    play(cup, land)
    final = qualification.make_final(tournament=cup, by=cup.created_by)
    ann = person("ann")
    theirs = [submitted(ann, name) for name in ("karl", "otto")]
    chosen = [entrant.version for entrant in final.entrants.all()]
    lifecycle.set_entrants(tournament=final, versions=[*chosen, *theirs])
    with pytest.raises(ValidationError, match=r"choose among ann/karl v1, ann/otto v1"):
        lifecycle.start(tournament=final)
    final.refresh_from_db()
    assert (final.state, final.blocks.count()) == (Tournament.State.DRAFT, 0)


def play(tournament, land):
    """Play all rounds of a tournament, and rate it."""
    for _ in range(20):  # with all further blocks that ties may take
        for block in tournament.blocks.filter(over_at=None):
            assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
        due_steps.advance_tournaments()
        tournament.refresh_from_db()
        if tournament.state == Tournament.State.FINISHED:
            break
    ratings.publish(ladder=tournament.ladder, tournament=tournament)


def test_a_draft_that_started_while_its_form_was_filled_in_stays_started(client, desk, make_tournament):
    cup = make_tournament(name="Cup", created_by=desk.olga)
    form = TournamentForm(setting_up._filled_in({}, cup), instance=Tournament.objects.get(pk=cup.pk))
    sent = dict(form.data.lists())
    assert form.is_valid(), form.errors
    lifecycle.start(tournament=cup)
    with pytest.raises(RequestRefused, match="not possible to change it"):
        setting_up.save(form=form, by=desk.olga)
    refused = client.post(f"{ADMIN}{cup.pk}/change/", sent, follow=True)
    assert refused.redirect_chain == [(f"{ADMIN}{cup.pk}/change/", 302)]
    assert "Cup has started meanwhile: its settings are fixed" in refused.content.decode()
    cup.refresh_from_db()
    assert cup.state == "running"
