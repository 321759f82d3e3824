import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import failures
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.formats import elimination
from stichkampf_platform.tournaments.models import Block, Result, Seat, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.records.exports import everything_json
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import rounds
from stichkampf_platform.tournaments.scheduling.played_rounds import played_rounds
from stichkampf_platform.tournaments.troubles import ROUNDS

pytestmark = pytest.mark.database

SIX = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def play_round(land):
    """Play all that has been planned of a tournament."""

    def play(tournament):
        for block in tournament.blocks.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                assert land(table)

    return play


@pytest.fixture
def knock_out(make_tournament, monkeypatch):
    """Start a knock-out in which no tie is settled by further blocks."""
    monkeypatch.setattr(elimination, "FURTHER_BLOCKS", 0)

    def make(**fields):
        tournament = make_tournament(*SIX, format="knock-out", **{"blocks": 1, **fields})
        lifecycle.start(tournament=tournament)
        return tournament

    return make


def test_a_knock_out_plans_its_final_after_the_last_block_of_the_first_round(knock_out, play_round):
    tournament = knock_out()
    assert tournament.blocks.count() == 2
    assert due_steps.advance_tournaments() == 0
    assert tournament.blocks.count() == 2
    play_round(tournament)
    assert due_steps.advance_tournaments() == 0
    assert list(tournament.blocks.values_list("number", "round")) == [(0, 0), (1, 0), (2, 1)]
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    assert "wins the knock-out" in tournament.outcome or "share the victory" in tournament.outcome


def test_a_round_planned_twice_is_planned_once(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)
    for _ in range(3):
        due_steps.advance_tournaments()
    assert tournament.blocks.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_round_that_many_plan_at_once_is_planned_once(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)

    def plan(_):
        try:
            return due_steps.advance_tournaments()
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as workers:
        assert list(workers.map(plan, range(6))) == [0] * 6
    assert tournament.blocks.count() == 3
    assert Table.objects.count() == 9


def test_a_planner_that_dies_half_way_leaves_nothing_and_the_next_one_plans_all(
    make_tournament, play_round, monkeypatch
):
    tournament = make_tournament(*SIX, format="swiss", rounds=2)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    before = tournament.blocks.count()
    create = Seat.objects.bulk_create

    def dying(seats):
        if Block.objects.count() > before + 1:
            raise OSError("the machine went away")
        return create(seats)

    monkeypatch.setattr(rounds, "BLOCKS_AT_ONCE", 1)
    monkeypatch.setattr(rounds.Seat.objects, "bulk_create", dying)
    due_steps.advance_tournaments()
    assert tournament.blocks.count() == before
    monkeypatch.undo()
    assert "went away" in queries.troubles(tournament)[0][0]
    failures.forget(ROUNDS, tournament)  # the pause until the next try
    due_steps.advance_tournaments()
    assert tournament.blocks.count() == 2 * before


@pytest.mark.slow
def test_a_swiss_round_is_drawn_from_the_results(make_tournament, play_round):
    tournament = make_tournament(*SIX, format="swiss", rounds=2, blocks=3)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    due_steps.advance_tournaments()
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    assert Block.objects.filter(tournament=tournament, round=1).count() == 6
    tournament.refresh_from_db()
    assert "from 2 rounds" in tournament.outcome


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [False, True])
def test_a_round_of_many_is_worked_out_before_the_tournament_is_locked(
    make_tournament, play_round, monkeypatch, leaves
):
    monkeypatch.setattr(due_steps, "MANY", 5)
    tournament = make_tournament(*SIX, format="swiss", blocks=1, rounds=2)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    locked, work_out = [], rounds.work_out

    def worked_out(asked):
        found = work_out(asked)
        assert found.plan
        if leaves:
            rulings.disqualify(entrant=tournament.entrants.first(), reason="It left meanwhile.")
        again = rounds._worked_out
        monkeypatch.setattr(rounds, "_worked_out", lambda *given: locked.append(given) or again(*given))
        return found

    monkeypatch.setattr(rounds, "work_out", worked_out)
    due_steps.advance_tournaments()
    assert len(locked) == leaves
    drawn = set(Seat.objects.filter(table__block__round=1).values_list("entrant__number", flat=True))
    assert (0 in drawn, len(drawn)) == ((False, 3) if leaves else (True, 6))


def test_a_regression_test_of_two_versions_of_one_author_is_played_and_not_rated(
    person, submitted, make_tournament, play_round
):
    ann = person()
    tournament = make_tournament(
        versions=[submitted(ann), submitted(ann)],
        format="regression", stopping="decided", rated=False, blocks=32, seats=4,
    )  # fmt: skip
    lifecycle.start(tournament=tournament)
    assert tournament.blocks.count() == 32
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    tournament.refresh_from_db()
    assert "of 32 pairs" in tournament.outcome


def test_a_paused_tournament_keeps_its_place(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)
    lifecycle.pause(tournament=tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED
    lifecycle.resume(tournament=tournament)
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1


def places(tournament):
    return list(tournament.entrants.exclude(place=None).order_by("place").values_list("number", flat=True))


def test_swiss_ranks_by_the_points_that_draw_the_next_round(make_tournament, play_round):
    tournament = make_tournament(*SIX, format="swiss", rounds=3, blocks=1)
    lifecycle.start(tournament=tournament)
    assert places(tournament) == []
    play_round(tournament)
    assert places(tournament) == []
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.rounds_over == 1
    points = [entrant.points for entrant in tournament.entrants.order_by("place")]
    assert points == sorted(points, reverse=True)
    assert sum(points) == pytest.approx(3)
    order = places(tournament)
    assert len(order) == 6
    drawn = tournament.blocks.get(number=2).tables.filter(lane=0)
    leaders = set(tournament.entrants.filter(place=1).values_list("number", flat=True))
    assert leaders & set(drawn.values_list("seats__entrant__number", flat=True))
    play_round(tournament)
    assert places(tournament) == order  # half a round changes nothing
    due_steps.advance_tournaments()
    assert sum(entrant.points for entrant in tournament.entrants.all()) == pytest.approx(6)


def test_standings_go_back_when_a_block_of_the_last_round_is_played_again(make_tournament, play_round):
    tournament = make_tournament(*SIX, format="swiss", rounds=1, blocks=1)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    assert len(places(tournament)) == 6
    rulings.run_again(block=tournament.blocks.first())
    tournament.refresh_from_db()
    assert (places(tournament), tournament.rounds_over) == ([], 0)
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    assert len(places(tournament)) == 6


def test_a_disqualified_entrant_leaves_the_standings_at_once(make_tournament, play_round):
    tournament = make_tournament(*SIX, format="swiss", rounds=3, blocks=1)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    due_steps.advance_tournaments()
    first, *others = places(tournament)
    rulings.disqualify(entrant=tournament.entrants.get(number=first), reason="It phoned home.")
    assert places(tournament) == others
    assert tournament.entrants.get(number=others[0]).place == 1


def test_a_knock_out_ranks_by_the_round_reached(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)
    due_steps.advance_tournaments()
    # the final of three is filled with the best that went out
    assert list(tournament.entrants.order_by("place").values_list("round_reached", flat=True)) == [
        2, 2, 2, 1, 1, 1
    ]  # fmt: skip
    play_round(tournament)
    assert due_steps.advance_tournaments() == 1
    assert list(tournament.entrants.order_by("place").values_list("round_reached", flat=True)) == [
        2, 2, 2, 1, 1, 1
    ]  # fmt: skip
    tournament.refresh_from_db()
    winners = tournament.entrants.filter(place=1)
    assert any(winner.version.bot.label in tournament.outcome for winner in winners)


def test_a_clone_has_no_standings(knock_out, play_round, person):
    tournament = knock_out()
    play_round(tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    copy = rulings.clone(tournament=tournament, by=person())
    assert (copy.rounds_over, places(copy)) == (0, [])


@pytest.mark.parametrize("blocks", [3, 300])
def test_a_schedule_is_written_with_few_queries_however_long_it_is(
    make_tournament, blocks, django_assert_max_num_queries, monkeypatch
):
    monkeypatch.setattr(clock, "KEPT_SECONDS", 3600.0)  # PostgreSQL is asked for the time once, however slow
    tournament = make_tournament(blocks=blocks)
    # SQLite takes at most 999 values a query
    with django_assert_max_num_queries(
        37 + (blocks * 3 // 90 + blocks * 9 // 333 + blocks * 3 // 499 + blocks // 100)
    ):
        lifecycle.start(tournament=tournament)
    assert Seat.objects.filter(table__block__tournament=tournament).count() == 9 * blocks
    assert tournament.blocks.values("seed").distinct().count() == blocks


EIGHT = (*SIX, "glimpse", "worrier")


def test_rounds_that_are_over_stay_and_the_best_that_went_out_comes_in(
    make_tournament, land, play_round, monkeypatch
):
    monkeypatch.setattr(elimination, "FURTHER_BLOCKS", 0)
    tournament = make_tournament(*EIGHT, format="knock-out", seats=4, blocks=2, published=True)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    seen = played_rounds(tournament, list(tournament.entrants.all()))[0]
    went_out = list(tournament.entrants.filter(round_reached=1).order_by("place"))
    leader = tournament.entrants.get(place=1)
    for table in leases.take(block_id=tournament.blocks.get(number=4).pk, owner="w1"):
        assert land(table)
    lifecycle.pause(tournament=tournament)
    rulings.disqualify(entrant=leader, reason="It phoned home.")
    entrants = list(tournament.entrants.all())
    ranked = tournament.entrants.exclude(place=None).order_by("place")
    assert list(ranked.values_list("round_reached", flat=True)) == [
        2, 2, 2, 1, 1, 1, 1
    ]  # fmt: skip
    lifecycle.resume(tournament=tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    again = tournament.blocks.get(number=6)
    assert again.round == 1
    finalists = set(again.tables.first().seats.values_list("entrant", flat=True))
    best = went_out[0].place
    came = finalists & {entrant.pk for entrant in went_out if entrant.place == best}
    assert len(came) == 1
    assert leader.pk not in finalists
    assert played_rounds(tournament, entrants)[0] == seen
    play_round(tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    entrants = list(tournament.entrants.all())
    first, final = played_rounds(tournament, entrants)
    assert first == seen
    assert [bool(group.note) for group in final.groups] == [True, True]
    assert "left: the group plays again" in final.groups[0].note
    alone = len([entrant for entrant in went_out if entrant.place == best]) == 1
    told = "came in: the best that went out last" if alone else "came in by lot: "
    assert told in final.groups[1].note
    assert {entrant.pk for entrant in entrants if entrant.round_reached == 2} == finalists


def test_a_tied_final_plays_further_blocks_of_the_same_round_and_is_shared(make_tournament, land, play_round):
    tournament = make_tournament(*SIX[:3], format="knock-out", blocks=1)
    lifecycle.start(tournament=tournament)
    for further in range(elimination.FURTHER_BLOCKS + 1):
        assert tournament.blocks.count() == 1 + further
        play_round(tournament)
        Result.objects.update(score=0)
        due_steps.advance_tournaments()
    tournament.refresh_from_db()
    assert set(tournament.blocks.values_list("round", flat=True)) == {0}
    assert set(tournament.entrants.values_list("place", flat=True)) == {1}
    assert "share the victory: still equal after 4 further blocks" in tournament.outcome
    (final,) = played_rounds(tournament, list(tournament.entrants.all()))
    assert [member.goes_on for member in final.groups[0].members] == [True] * 3
    assert final.groups[0].note == "A tie, also after 4 further blocks; shared."


def test_what_a_rest_was_worth_stands_in_its_round(client, make_tournament, play_round):
    tournament = make_tournament(*SIX[:5], format="swiss", rounds=2, blocks=1, seats=4)
    lifecycle.start(tournament=tournament)
    play_round(tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    (rested,) = played_rounds(tournament, list(tournament.entrants.all()))[0].resting
    assert rested.worth == tournament.entrants.get(pk=rested.entrant.pk).points == 0.5
    play_round(tournament)
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    first, second = played_rounds(tournament, list(tournament.entrants.all()))
    (rested,), (other,) = first.resting, second.resting
    assert rested.entrant != other.entrant
    assert tournament.entrants.get(pk=rested.entrant.pk).points == pytest.approx(2 * rested.worth)
    assert not any(member.goes_on for drawn in (first, second) for member in drawn.groups[0].members)
    lines = [(0, rested), (1, other)]
    assert client.get(f"/api/v1/tournaments/{tournament.slug}/").json()["rests"] == [
        {"round": number, "entrant": f"house/{line.entrant.version}", "worth": line.worth}
        for number, line in lines
    ]
    assert json.loads("".join(everything_json(tournament)))["rests"] == [
        {"round": number + 1, "entrant": line.entrant.number + 1, "worth": line.worth}
        for number, line in lines
    ]


@pytest.mark.parametrize("fields", [{"format": "knock-out"}, {"format": "swiss", "rounds": 2}])
def test_a_tournament_from_before_there_were_lots_is_shown_as_it_is_stored(
    make_tournament, play_round, monkeypatch, fields
):
    monkeypatch.setattr(elimination, "FURTHER_BLOCKS", 0)
    tournament = make_tournament(*SIX, blocks=1, **fields)
    lifecycle.start(tournament=tournament)
    for _ in range(2):
        play_round(tournament)
        due_steps.advance_tournaments()
    Tournament.objects.update(lot_seed=None)
    tournament.entrants.update(tie_breaks=None)
    stored = list(tournament.entrants.values_list("pk", "place", "points", "round_reached"))
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    first, last = played_rounds(tournament, list(tournament.entrants.all()))
    assert (first.over, last.over) == (True, True)
    assert any(member.share for group in first.groups for member in group.members)
    on = {member.entrant.pk for group in first.groups for member in group.members if member.goes_on}
    drawn = {member.entrant.pk for group in last.groups for member in group.members}
    assert on == (drawn if fields["format"] == "knock-out" else set())
    assert list(tournament.entrants.values_list("pk", "place", "points", "round_reached")) == stored
    assert (tournament.lot_digest, tournament.open_lot_seed) == ("", "")
