"""Turns of tournaments: the block that is played next."""

from collections import Counter
from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.core.models import Node
from stichkampf_platform.tournaments import leases, tasks
from stichkampf_platform.tournaments.models import Block, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.database


@pytest.fixture
def started(make_tournament):
    """Start a tournament that has played some blocks already."""

    def start(name, blocks, over=0):
        tournament = make_tournament(name=name, blocks=blocks + over)
        lifecycle.start(tournament=tournament)
        done = tournament.blocks.filter(number__lt=over)
        Table.objects.filter(block__in=done).update(state=Table.State.DONE)
        done.update(over_at=clock.now())
        return tournament

    return start


def take_next():
    """A worker takes up the block whose turn it is; which."""
    (block,) = due_steps.mark_enqueued(how_many=1)
    assert leases.take(block_id=block.pk, owner=f"w{block.pk}")
    return block


def end(block):
    """A block is over; what happens a minute later does not meet the hint any more."""
    Table.objects.filter(block=block).update(state=Table.State.DONE, lease_until=None)
    Block.objects.filter(pk=block.pk).update(over_at=clock.now())
    earlier = clock.now() - timedelta(minutes=1)
    for other in Block.objects.filter(hinted_at__gt=earlier).order_by("hinted_at"):
        Block.objects.filter(pk=other.pk).update(hinted_at=other.hinted_at - timedelta(minutes=1))


@pytest.mark.slow
def test_of_three_tournaments_none_starves_on_two_workers(started):
    long_one = started("Long and late", blocks=12, over=30)
    names = {
        long_one.pk: "long",
        started("New", blocks=12).pk: "new",
        started("Other", blocks=12).pk: "other",
    }
    playing = [take_next(), take_next()]
    turns = Counter()
    for _ in range(18):
        end(playing.pop(0))
        playing.append(take_next())
        turns[names[playing[-1].tournament_id]] += 1
    assert turns == {"long": 6, "new": 6, "other": 6}


def test_a_tournament_alone_has_all_workers_and_shares_them_with_the_next_one(started):
    first = started("First", blocks=8)
    playing = [take_next() for _ in range(4)]
    second = started("Second", blocks=8)
    for _ in range(2):
        end(playing.pop(0))
        playing.append(take_next())
    assert Counter(block.tournament_id for block in playing) == {first.pk: 2, second.pk: 2}


def test_a_paused_tournament_gives_way_at_once(started):
    first, second = started("First", blocks=4), started("Second", blocks=4)
    hinted = due_steps.mark_enqueued(how_many=2)
    lifecycle.pause(tournament=first)
    assert [block for block in hinted if leases.take(block_id=block.pk, owner="w1")] == [
        second.blocks.first()
    ]
    assert {take_next().tournament_id for _ in range(3)} == {second.pk}
    assert due_steps.mark_enqueued(how_many=9) == []


def test_blocks_of_one_tournament_are_played_in_their_order(started):
    tournament = started("Only", blocks=5)
    assert due_steps.mark_enqueued(how_many=5) == list(tournament.blocks.order_by("number"))


def test_a_paused_and_a_finished_tournament_have_no_turn(started):
    paused = started("Paused", blocks=2)
    lifecycle.pause(tournament=paused)
    finished = started("Finished", blocks=2)
    Tournament.objects.filter(pk=finished.pk).update(state=Tournament.State.FINISHED)
    assert due_steps.mark_enqueued(how_many=5) == []


def test_a_message_for_a_block_that_another_worker_has_wakes_no_third_one(started, monkeypatch):
    queued = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, block, **_: queued.append(block))
    first, second = started("First", blocks=2), started("Second", blocks=2)
    for tournament in (first, second):
        assert leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    tasks.play_block(first.blocks.first().pk)
    assert queued == []
    lifecycle.pause(tournament=first)
    tasks.play_block(first.blocks.last().pk)  # it is free, so this worker has time for another one
    assert queued == [second.blocks.last().pk]


def test_the_sweep_queues_no_more_blocks_than_wait(started, monkeypatch):
    queued = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, *block, **_: queued.extend(block))
    blocks = list(started("Only", blocks=9).blocks.order_by("number").values_list("pk", flat=True))
    tasks.sweep()
    tasks.sweep()
    assert queued == blocks[:4]
    for block in blocks[:3]:
        assert leases.take(block_id=block, owner=f"w{block}")
    tasks.sweep()
    assert queued == blocks[:7]
    Block.objects.update(hinted_at=clock.now() - timedelta(minutes=1))  # the messages were lost
    tasks.sweep()
    assert queued == [*blocks[:7], *blocks[3:7]]


def test_as_many_blocks_wait_as_places_are_free_also_after_messages_were_lost(make_tournament, monkeypatch):
    queued = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, block, **_: queued.append(block))
    tournament = make_tournament(blocks=100)
    lifecycle.start(tournament=tournament)
    tasks._queue_blocks()
    assert len(queued) == tasks.BLOCKS_IN_QUEUE, "it is not known what workers there are"
    for node in ("north", "south", "silent"):
        Node.objects.create(name=node, seen_at=clock.now() + timedelta(minutes=1), places=40)
    Node.objects.filter(name="silent").update(seen_at=clock.now() - timedelta(minutes=1))
    tasks._queue_blocks()
    assert len(set(queued)) == len(queued) == 80
    tasks._queue_blocks()
    assert len(queued) == 80, "those wait"
    for block in queued[:30]:
        leases.take(block_id=block, owner=f"worker {block}", seconds=600)
    Block.objects.update(hinted_at=clock.now() - timedelta(minutes=1))
    queued.clear()
    tasks._queue_blocks()
    assert len(queued) == 50
