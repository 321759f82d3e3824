"""Matches that run at the same time, or alone."""

import asyncio

import pytest
from stichkampf_arbiter.matches.concurrency import ConcurrencyGate


async def turns():
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
def floor():
    return ConcurrencyGate()


async def test_many_matches_run_at_the_same_time(floor):
    for _ in range(3):
        await floor.enter(alone=False)


async def test_a_match_played_alone_waits_for_all_others_and_they_for_it(floor):
    await floor.enter(alone=False)
    alone = asyncio.ensure_future(floor.enter(alone=True))
    await turns()
    later = asyncio.ensure_future(floor.enter(alone=False))
    await turns()
    assert (alone.done(), later.done()) == (False, False)
    floor.leave()
    await turns()
    assert (alone.done(), later.done()) == (True, False)
    floor.leave()
    await turns()
    assert later.done()


async def test_two_matches_played_alone_run_one_after_the_other(floor):
    both = [asyncio.ensure_future(floor.enter(alone=True)) for _ in range(2)]
    await turns()
    assert [task.done() for task in both] == [True, False]
    floor.leave()
    await turns()
    assert both[1].done()


async def test_a_match_cancelled_while_it_waits_to_be_alone_delays_no_other(floor):
    await floor.enter(alone=False)
    alone = asyncio.ensure_future(floor.enter(alone=True))
    await turns()
    other = asyncio.ensure_future(floor.enter(alone=False))
    await turns()
    alone.cancel()
    await turns()
    assert other.done()
