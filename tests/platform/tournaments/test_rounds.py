from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from stichkampf_platform.tournaments import leases, rounds, services
from stichkampf_platform.tournaments.models import Block, Table, Tournament

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
def knock_out(make_tournament):
    def make(**fields):
        tournament = make_tournament(*SIX, format="knock-out", **{"blocks": 1, **fields})
        services.start(tournament=tournament)
        return tournament

    return make


def test_a_knock_out_plans_its_final_when_the_last_block_of_the_first_round_has_landed(knock_out, play_round):
    tournament = knock_out()
    assert tournament.blocks.count() == 2
    assert services.advance_tournaments() == 0
    assert tournament.blocks.count() == 2
    play_round(tournament)
    assert services.advance_tournaments() == 0
    assert list(tournament.blocks.values_list("number", "round")) == [(0, 0), (1, 0), (2, 1)]
    play_round(tournament)
    assert services.advance_tournaments() == 1
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    assert tournament.outcome.endswith("wins the knock-out.")


def test_a_round_planned_twice_is_planned_once(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)
    for _ in range(3):
        services.advance_tournaments()
    assert tournament.blocks.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_round_that_many_plan_at_once_is_planned_once(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)

    def plan(_):
        try:
            return services.advance_tournaments()
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
    services.start(tournament=tournament)
    play_round(tournament)
    before = tournament.blocks.count()
    add = rounds.add_block

    def dying(tournament, number, *rest):
        if number > before:
            raise OSError("the machine went away")
        add(tournament, number, *rest)

    monkeypatch.setattr(rounds, "add_block", dying)
    with pytest.raises(OSError, match="went away"):
        services.advance_tournaments()
    assert tournament.blocks.count() == before
    monkeypatch.undo()
    services.advance_tournaments()
    assert tournament.blocks.count() == 2 * before


def test_a_swiss_round_meets_by_what_was_played(make_tournament, play_round):
    tournament = make_tournament(*SIX, format="swiss", rounds=2, blocks=3)
    services.start(tournament=tournament)
    play_round(tournament)
    services.advance_tournaments()
    play_round(tournament)
    assert services.advance_tournaments() == 1
    assert Block.objects.filter(tournament=tournament, round=1).count() == 6
    tournament.refresh_from_db()
    assert "of 2 rounds" in tournament.outcome


def test_a_regression_test_of_two_versions_of_one_author_is_played_and_not_rated(
    person, submitted, make_tournament, play_round
):
    ann = person()
    tournament = make_tournament(
        versions=[submitted(ann), submitted(ann)],
        format="regression", stopping="decided", rated=False, blocks=32, seats=4,
    )  # fmt: skip
    services.start(tournament=tournament)
    assert tournament.blocks.count() == 32
    play_round(tournament)
    assert services.advance_tournaments() == 1
    tournament.refresh_from_db()
    assert "of 32 pairs" in tournament.outcome


def test_a_paused_tournament_keeps_its_place(knock_out, play_round):
    tournament = knock_out()
    play_round(tournament)
    services.pause(tournament=tournament)
    services.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED
    services.resume(tournament=tournament)
    play_round(tournament)
    assert services.advance_tournaments() == 1
