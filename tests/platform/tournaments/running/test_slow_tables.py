"""Tables at which the bots take their time: they hold no other tournament up."""

import pytest
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps, play_block

SLEEPING_BLOCKS = 16


class SlowArbiter:
    """Goes on with every match until it is told to end them. Its clock goes on with every look."""

    def __init__(self, ended_match):
        self.ended_match, self.started, self.awake, self.now = ended_match, [], False, 0.0

    def monotonic(self):
        return self.now

    def upload_missing(self, versions):
        list(versions)

    def start(self, *, key, **asked):
        if key in self.started:
            return False
        self.started.append(key)
        return True

    def collect(self, keys, *, seconds):
        self.now += seconds
        return [self.ended_match(key) for key in keys] if self.awake else []

    def acknowledge(self, key):
        pass


@pytest.fixture
def arbiter(ended_match, monkeypatch):
    arbiter = SlowArbiter(ended_match)
    monkeypatch.setattr(play_block, "monotonic", arbiter.monotonic)
    return arbiter


@pytest.fixture
def sleepers(make_tournament):
    tournament = make_tournament(name="Sleepers", blocks=SLEEPING_BLOCKS)
    lifecycle.start(tournament=tournament)
    return tournament


def work(arbiter):
    """A worker plays the next block that is hinted at; of which tournament it is."""
    (block,) = due_steps.mark_enqueued(how_many=1)
    play_block.play_block(block_id=block.pk, arbiter=arbiter)
    return block.tournament


def test_a_worker_leaves_tables_that_take_long_for_a_tournament_that_has_none(
    sleepers, make_tournament, arbiter
):
    other = make_tournament(name="Other", blocks=1)
    lifecycle.start(tournament=other)
    assert work(arbiter) in (sleepers, other)
    assert arbiter.now < 10
    (block,) = due_steps.mark_enqueued(how_many=1)
    assert leases.take(block_id=block.pk, owner="next")
    assert {sleepers, other} == {block.tournament, *_begun()}


def _begun():
    return {table.block.tournament for table in Table.objects.exclude(started_at=None)}


def test_a_block_left_to_the_arbiter_is_stored_by_the_worker_that_returns(sleepers, make_tournament, arbiter):
    lifecycle.start(tournament=make_tournament(name="Other", blocks=1))
    block = sleepers.blocks.order_by("number").first()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    keys = list(arbiter.started)
    arbiter.awake = True
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == len(keys)
    assert arbiter.started == keys
    assert set(block.tables.values_list("generation", flat=True)) == {0}


def test_matches_that_are_collected_together_are_stored_together(sleepers, arbiter, monkeypatch):
    block = sleepers.blocks.order_by("number").first()
    stored = []
    arbiter.awake = True

    def store(*, matches, owner):
        stored.append(len(matches))
        return {match.table.pk for match in matches}

    monkeypatch.setattr(play_block.results, "store", store)
    tables = block.tables.count()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == tables
    assert stored == [tables]


def test_a_worker_stays_if_no_other_tournament_waits(sleepers, arbiter, monkeypatch):
    block = sleepers.blocks.order_by("number").first()
    looks = []

    def collect(keys, *, seconds):
        looks.append(arbiter.now)
        arbiter.awake = len(looks) >= 10
        return SlowArbiter.collect(arbiter, keys, seconds=seconds)

    monkeypatch.setattr(arbiter, "collect", collect)
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == block.tables.count()
    assert len(looks) == 10


def test_a_message_for_slow_tables_serves_a_tournament_without_a_worker(sleepers, make_tournament):
    first, second, *_ = sleepers.blocks.order_by("number")
    assert leases.take(block_id=first.pk, owner="w1")
    assert queries.block_in_turn(second.pk) == second.pk
    other = make_tournament(name="Other", blocks=1)
    lifecycle.start(tournament=other)
    waiting = other.blocks.get()
    assert waiting in due_steps.mark_enqueued(how_many=2)  # and lies behind many others
    assert queries.others_wait(sleepers)
    assert queries.block_in_turn(second.pk) == waiting.pk
    assert queries.block_in_turn(waiting.pk) == waiting.pk
    assert leases.take(block_id=waiting.pk, owner="w2")
    assert not queries.others_wait(sleepers)
    assert queries.block_in_turn(second.pk) == second.pk
