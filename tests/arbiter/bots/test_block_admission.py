"""The division of hosted processes among blocks and tournaments."""

import asyncio

import pytest
from stichkampf_arbiter.bots.block_admission import BlockAdmission
from stichkampf_arbiter.bots.turns import BlockSlots


def block(name, tournament="", tables=1):
    return BlockSlots(name, tables, lambda: 0.0, tournament)


async def entered(room, *entering):
    """Return the names of the blocks with an admitted match, and the tasks of all."""
    tasks = [asyncio.ensure_future(room.enter(block, processes)) for block, processes in entering]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return [block.name for (block, _), task in zip(entering, tasks, strict=True) if task.done()], tasks


async def test_a_tournament_leaves_half_of_the_processes_to_first_blocks_of_others():
    room = BlockAdmission(8)
    slow = [(block(f"slow-{number}", "slow"), 2) for number in range(4)]
    names, _ = await entered(room, *slow)
    assert names == ["slow-0", "slow-1"]
    names, _ = await entered(room, (block("quick-0", "quick"), 2), (block("quick-1", "quick"), 2))
    assert names == ["quick-0"]


async def test_a_block_without_a_tournament_counts_as_the_first_of_one():
    room = BlockAdmission(8)
    await entered(room, *((block(f"slow-{number}", "slow"), 2) for number in range(4)))
    names, _ = await entered(room, (block("trial"), 1), (block("another"), 1))
    assert names == ["trial", "another"]


async def test_a_block_is_admitted_with_all_its_tables():
    room = BlockAdmission(8)
    first, second = block("first", "slow", tables=3), block("second", "slow", tables=3)
    names, tasks = await entered(room, *[(first, 1)] * 3, *[(second, 1)] * 3)
    assert names == ["first"] * 3
    for _ in range(3):
        room.leave(first)
    await asyncio.wait_for(asyncio.gather(*tasks), 10)


async def test_the_tournament_that_holds_least_comes_first_then_the_longest_wait():
    room = BlockAdmission(2)
    one = block("one", "slow")
    await entered(room, (one, 2))
    names, tasks = await entered(
        room, (block("two", "slow"), 1), (block("three", "quick"), 1), (block("four", "late"), 1)
    )
    assert names == []
    room.leave(one)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [task.done() for task in tasks] == [True, True, False]


async def test_a_block_above_the_limit_runs_alone_and_is_not_passed_over():
    room = BlockAdmission(4)
    small, large, later = block("small", "a"), block("large", "b"), block("later", "c")
    await entered(room, (small, 1))
    names, (large_task, later_task) = await entered(room, (large, 9), (later, 1))
    assert names == []
    room.leave(small)
    await asyncio.wait_for(large_task, 10)
    assert not later_task.done()
    room.leave(large)
    await asyncio.wait_for(later_task, 10)


async def test_a_match_cancelled_while_it_waits_delays_no_other():
    room = BlockAdmission(4)
    await entered(room, (block("small", "a"), 1))
    _, (large, later) = await entered(room, (block("large", "b"), 9), (block("later", "c"), 1))
    large.cancel()
    with pytest.raises(asyncio.CancelledError):
        await large
    await asyncio.wait_for(later, 10)
