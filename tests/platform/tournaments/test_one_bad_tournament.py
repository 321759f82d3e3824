"""A tournament that fails in an unforeseen way stops no other; its organiser reads why it does not go on."""

from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.models import ItemFailure
from stichkampf_platform.tournaments import leases, queries, tasks
from stichkampf_platform.tournaments.models import Block, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.troubles import ROUNDS, STARTS

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
GONE = {
    "format": {"format": "of-a-release-that-is-gone"},
    "game": {"game": "a-game-that-is-gone"},
    "seats": {"seats": 77},
    "options": {"options": {"length": "for ever"}},
    "rounds": {"format": "swiss", "rounds": None},
}
"""Fields that no form would let through, by a name for each."""


@pytest.fixture
def daily(make_tournament):
    """The first of a series, which is due tomorrow."""
    return make_tournament(name="Daily", blocks=1, repeats="daily", starts_at=clock.now() + DAY)


def newest():
    return Tournament.objects.order_by("-pk").first()


def due(tournament):
    Tournament.objects.filter(pk=tournament.pk).update(starts_at=clock.now() - timedelta(seconds=1))
    tournament.refresh_from_db()


def try_again():
    """Let the next try of everything that failed be due."""
    ItemFailure.objects.update(next_try_at=clock.now())


def test_a_series_finds_a_free_time_where_its_next_is_taken(daily):
    lifecycle.start(tournament=daily)
    second = newest()
    lifecycle.start(tournament=second)
    third = newest()
    Tournament.objects.filter(pk=third.pk).update(starts_at=daily.starts_at)  # by hand, to an earlier day
    third.refresh_from_db()
    lifecycle.start(tournament=third)
    times = Tournament.objects.filter(name__startswith="Daily ").values_list("starts_at", flat=True)
    assert len(set(times)) == len(times) == 3
    assert newest().starts_at == daily.starts_at + 2 * DAY


@pytest.mark.parametrize("taken", range(1, 5))
def test_a_series_goes_round_any_number_of_taken_times(daily, make_tournament, taken):
    for number in range(1, taken + 1):
        other = make_tournament(name=f"Moved {number}", blocks=1)
        Tournament.objects.filter(pk=other.pk).update(series=daily, starts_at=daily.starts_at + number * DAY)
    lifecycle.start(tournament=daily)
    assert newest().starts_at == daily.starts_at + (taken + 1) * DAY


def test_two_of_a_series_at_one_time_are_refused_under_the_field(client, daily, person):
    lifecycle.start(tournament=daily)
    second = newest()
    lifecycle.start(tournament=second)
    client.force_login(person(is_superuser=True, is_staff=True))
    answer = client.patch(
        f"/api/v1/organiser/tournaments/{newest().slug}/",
        {"starts_at": second.starts_at.isoformat()},
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert "Another tournament of this series" in answer.json()["starts_at"][0]


@pytest.mark.parametrize("wrong", GONE.values(), ids=GONE)
def test_a_draft_that_cannot_be_started_waits_for_its_organiser_and_others_start(make_tournament, wrong):
    bad, good = (make_tournament(name=name, blocks=1, entry="anybody") for name in ("Bad", "Good"))
    Tournament.objects.filter(pk=bad.pk).update(**wrong)
    for draft in (bad, good):
        due(draft)
    for _ in range(failures.PARKED_AFTER):
        tasks.sweep()
        try_again()
    good.refresh_from_db()
    bad.refresh_from_db()
    assert (good.state, bad.state, bad.starts_at) == ("running", "draft", None)
    assert bad.told_outcome.startswith("Not started: ")


@pytest.mark.parametrize("wrong", ["format", "game"])
def test_a_tournament_whose_next_round_fails_is_parked_with_its_reason(
    client, make_tournament, land, person, wrong
):
    bad, good = (make_tournament(name=name, blocks=1) for name in ("Bad", "Good"))
    for tournament in (bad, good):
        lifecycle.start(tournament=tournament)
        for table in leases.take(block_id=tournament.blocks.get().pk, owner="w1"):
            assert land(table)
    Tournament.objects.filter(pk=bad.pk).update(**GONE[wrong])
    for _ in range(failures.PARKED_AFTER):
        tasks.sweep()
        try_again()
    states = dict(Tournament.objects.values_list("name", "state"))
    assert states == {"Good": "finished", "Bad": "paused"}
    bad.refresh_from_db()
    ((reason, tables),) = queries.troubles(bad)
    assert reason.startswith("Its next round cannot be drawn: ")
    assert tables == 0
    client.force_login(person(is_superuser=True, is_staff=True))
    page = client.get(f"/admin/tournaments/tournament/{bad.pk}/change/")
    assert (page.status_code, "cannot be drawn" in page.text) == (200, True)
    told = client.get(f"/api/v1/organiser/tournaments/{bad.slug}/")
    assert (told.status_code, told.json()["troubles"][0]["reason"]) == (200, reason)
    for address in ("/tournaments/", f"/tournaments/{bad.slug}/", "/api/v1/tournaments/", "/status/"):
        assert client.get(address).status_code == 200, address


def test_what_fails_is_tried_ever_more_seldom_and_at_once_when_it_is_resumed(make_tournament):
    bad = make_tournament(blocks=1)
    lifecycle.start(tournament=bad)
    Block.objects.update(over_at=clock.now())
    Tournament.objects.filter(pk=bad.pk).update(format="gone")
    for _ in range(3):
        tasks.sweep()
    assert ItemFailure.objects.get().times == 1, "the next try is later"
    pauses = []
    for _ in range(failures.PARKED_AFTER):
        try_again()
        tasks.sweep()
        pauses.append(ItemFailure.objects.get().next_try_at - clock.now())
    assert pauses == sorted(pauses)
    Tournament.objects.filter(pk=bad.pk).update(format="round-robin")
    bad.refresh_from_db()
    lifecycle.resume(tournament=bad)
    tasks.sweep()
    bad.refresh_from_db()
    assert (bad.state, ItemFailure.objects.exists()) == ("finished", False)


@pytest.mark.parametrize("part", ["start_due", "advance_tournaments"])
def test_a_part_of_the_sweep_that_fails_whole_ends_it_as_failed_and_stops_no_other(
    make_tournament, monkeypatch, part
):
    queued = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, *block, **_: queued.extend(block))
    monkeypatch.setattr(due_steps, part, lambda: 1 / 0)
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    with pytest.raises(ZeroDivisionError):
        tasks.sweep()
    assert len(queued) == 2


def test_a_block_that_fails_in_an_unforeseen_way_pauses_its_tournament_alone(make_tournament, monkeypatch):
    bad, good = (make_tournament(name=name, blocks=1) for name in ("Bad", "Good"))
    for tournament in (bad, good):
        lifecycle.start(tournament=tournament)

    def play(*, block_id, arbiter):
        return 1 // (block_id - bad.blocks.get().pk)

    monkeypatch.setattr(tasks, "play", play)
    monkeypatch.setattr(tasks, "enqueue_blocks", lambda how_many: None)
    for _ in range(failures.PARKED_AFTER):
        for tournament in (bad, good):
            monkeypatch.setattr(queries, "block_in_turn", lambda block, **_: block)
            tasks.play_block(tournament.blocks.get().pk)
    assert dict(Tournament.objects.values_list("name", "state")) == {"Good": "running", "Bad": "paused"}
    assert queries.troubles(bad)[0][0].startswith("A block cannot be played: ZeroDivisionError")


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_workers_that_fail_side_by_side_are_one_failure():
    tries = [failures.by_itself(ROUNDS, 7) for _ in range(failures.PARKED_AFTER)]
    for each in tries:
        each.__enter__()
    for each in tries:
        assert each.__exit__(ValueError, ValueError("no such column"), None)
    assert ItemFailure.objects.get().times == 1
    with failures.by_itself(ROUNDS, 7):
        raise ValueError("no such column")
    assert ItemFailure.objects.get().times == 2


def test_a_failure_is_forgotten_once_nobody_has_tried_the_item_for_a_day():
    failures.note(STARTS, 7, ValueError("no"))
    failures.note(ROUNDS, 7, ValueError("no"))
    ItemFailure.objects.filter(work=STARTS).update(next_try_at=clock.now() - 2 * DAY)
    failures.forget_old()
    assert ItemFailure.objects.get().work == ROUNDS
