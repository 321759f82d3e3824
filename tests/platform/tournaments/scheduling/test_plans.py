"""Large plans: drawn by a worker in portions, each block once, whatever ends in between."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.models import ItemFailure
from stichkampf_platform.tournaments import queries, tasks
from stichkampf_platform.tournaments.models import Block, PlanToDraw, Seat, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import plans
from stichkampf_platform.tournaments.troubles import ROUNDS

FOUR = ("thumb", "random", "timid", "bold")


@pytest.fixture
def small_portions(monkeypatch):
    """Let a portion have two blocks."""
    monkeypatch.setattr(plans, "TABLES_AT_ONCE", 6)


@pytest.fixture
def started(make_tournament, small_portions):
    """Start a tournament of five blocks, whose plan takes three portions."""

    def start(*bots, **fields):
        tournament = make_tournament(*bots, **{"blocks": 5, **fields})
        lifecycle.start(tournament=tournament)
        tournament.refresh_from_db()
        return tournament

    return start


def seatings(tournament):
    seats = Seat.objects.filter(table__block__tournament=tournament)
    order = ("table__block__number", "table__lane", "number")
    return list(seats.order_by(*order).values_list(*order, "entrant__number"))


def test_a_start_draws_nothing_of_a_large_plan_and_costs_alike_whatever_its_size(
    make_tournament, django_assert_max_num_queries
):
    large = make_tournament(blocks=10_000)
    with django_assert_max_num_queries(40):
        lifecycle.start(tournament=large)
    large.refresh_from_db()
    assert (large.state, Table.objects.count()) == ("running", 0)
    assert queries.progress(large).being_drawn


def test_a_plan_is_drawn_in_portions_as_it_is_drawn_at_once(make_tournament, started, monkeypatch):
    tournament = started(*FOUR)
    drawn = []
    while plans.draw_on(tournament.pk):
        drawn.append(tournament.blocks.count())
    assert (drawn, tournament.blocks.count(), PlanToDraw.objects.count()) == ([2, 4], 5, 0)
    assert not queries.progress(tournament).being_drawn
    assert queries.progress(tournament).tables == 15
    monkeypatch.undo()
    whole = make_tournament(*FOUR, name="At once", blocks=5)
    lifecycle.start(tournament=whole)
    assert seatings(tournament) == seatings(whole)
    assert list(tournament.blocks.values_list("number", "round")) == [(number, 0) for number in range(5)]


def test_the_sweep_takes_up_a_plan_and_a_task_draws_all_of_it(started, monkeypatch):
    tournament, sent = started(), []
    monkeypatch.setattr(
        tasks, "enqueue", lambda task, *ids, **_: sent.append((task.rpartition(".")[2], *ids))
    )
    tasks.sweep()
    assert ("draw_plan", tournament.pk) in sent
    tasks.draw_plan(tournament.pk)
    assert tournament.blocks.count() == 5
    sent.clear()
    tasks.sweep()
    assert ("draw_plan", tournament.pk) not in sent


@pytest.mark.parametrize("dies_in", range(3))
def test_a_worker_that_dies_in_a_portion_leaves_none_of_it_and_the_next_draws_the_rest(
    started, monkeypatch, dies_in
):
    tournament, create = started(*FOUR), Seat.objects.bulk_create
    portions = []

    def dying(seats):
        portions.append(seats)
        if len(portions) > dies_in:
            raise OSError("the machine went away")
        return create(seats)

    monkeypatch.setattr(Seat.objects, "bulk_create", dying)
    monkeypatch.setattr("stichkampf_platform.tournaments.scheduling.rounds.Seat.objects.bulk_create", dying)
    tasks.draw_plan(tournament.pk)
    assert tournament.blocks.count() == Table.objects.count() // 3 == 2 * dies_in
    assert "went away" in ItemFailure.objects.get(work=ROUNDS).reason
    monkeypatch.setattr("stichkampf_platform.tournaments.scheduling.rounds.Seat.objects.bulk_create", create)
    failures.forget(ROUNDS, tournament.pk)
    assert plans.due() == []  # the dead one may still be at it
    PlanToDraw.objects.update(held_until="2000-01-01T00:00:00Z")
    assert plans.due() == [tournament.pk]
    tasks.draw_plan(tournament.pk)
    assert list(tournament.blocks.values_list("number", flat=True)) == list(range(5))
    assert (Table.objects.count(), Seat.objects.count()) == (15, 45)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_plan_that_many_draw_at_once_is_drawn_once(started):
    tournament = started(*FOUR)

    def draw(_):
        try:
            while plans.draw_on(tournament.pk):
                pass
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(draw, range(4)))
    assert list(tournament.blocks.values_list("number", flat=True)) == list(range(5))
    assert queries.progress(tournament).tables == Table.objects.count() == 15


def test_no_round_follows_and_nothing_ends_before_the_plan_is_drawn(started, land):
    tournament = started()
    assert due_steps.advance_tournaments() == 0
    plans.draw_on(tournament.pk)
    Block.objects.update(over_at="2026-01-01T00:00:00Z")
    Table.objects.update(state=Table.State.VOID)
    assert due_steps.advance_tournaments() == 0
    tournament.refresh_from_db()
    assert tournament.state == "running"
    tasks.draw_plan(tournament.pk)
    Block.objects.update(over_at="2026-01-01T00:00:00Z")
    assert due_steps.advance_tournaments() == 1


def test_an_entrant_that_is_taken_out_meanwhile_plays_nothing_of_what_is_drawn_later(started):
    tournament = started(*FOUR)
    plans.draw_on(tournament.pk)
    thumb = tournament.entrants.get(number=0)
    rulings.disqualify(entrant=thumb, reason="It was sent in twice.")
    tasks.draw_plan(tournament.pk)
    of_thumb = Block.objects.filter(participations__entrant=thumb)
    assert of_thumb.count() > 2
    assert not of_thumb.filter(over_at=None).exists()
    assert set(Table.objects.filter(block__in=of_thumb).values_list("state", flat=True)) == {"void"}
    assert Block.objects.filter(over_at=None).exists()


def test_who_leaves_before_the_plan_is_made_plays_nothing_of_it(started):
    tournament = started(*FOUR)
    thumb = tournament.entrants.get(number=0)
    rulings.disqualify(entrant=thumb, reason="It was sent in twice.")
    tasks.draw_plan(tournament.pk)
    assert not Block.objects.filter(participations__entrant=thumb, over_at=None).exists()


def test_a_tournament_that_is_cancelled_meanwhile_is_drawn_no_further(started):
    tournament = started()
    plans.draw_on(tournament.pk)
    lifecycle.cancel(tournament=tournament)
    tasks.draw_plan(tournament.pk)
    assert (tournament.blocks.count(), PlanToDraw.objects.count()) == (2, 0)


def test_a_plan_that_cannot_be_drawn_pauses_its_tournament_and_says_why(started):
    tournament = started()
    Tournament.objects.filter(pk=tournament.pk).update(format="of-a-release-that-is-gone")
    for _ in range(failures.PARKED_AFTER):
        ItemFailure.objects.update(next_try_at="2000-01-01T00:00:00Z")
        PlanToDraw.objects.update(held_until=None)
        tasks.draw_plan(tournament.pk)
    tournament.refresh_from_db()
    assert tournament.state == "paused"
    assert "of-a-release-that-is-gone" in queries.troubles(tournament)[0][0]


def test_page_and_api_say_that_the_plan_is_being_drawn(started, client):
    tournament = started()
    plans.draw_on(tournament.pk)
    assert "its plan is being drawn" in client.get(tournament.get_absolute_url()).text
    progress = client.get(f"/api/v1/tournaments/{tournament.slug}/").json()["progress"]
    assert (progress["being_drawn"], progress["blocks"]) == (True, 2)
    tasks.draw_plan(tournament.pk)
    assert "being drawn" not in client.get(tournament.get_absolute_url()).text
    assert not client.get(f"/api/v1/tournaments/{tournament.slug}/").json()["progress"]["being_drawn"]
