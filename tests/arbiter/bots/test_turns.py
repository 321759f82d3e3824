"""Turns: of all hosted processes of a block one runs at a time; no table learns how long another takes."""

import asyncio
import random
import selectors
from itertools import pairwise

import pytest
from stichkampf_arbiter.bots import turns
from stichkampf_arbiter.bots.turns import SLOT_SECONDS, BlockRegistry


class Skips(selectors.SelectSelector):
    """A selector that waits by moving the clock on."""

    now = 0.0

    def select(self, timeout=None):
        self.now += timeout or 0.0
        return []


class Loop(asyncio.SelectorEventLoop):
    """A loop whose time passes only when it has nothing else to do, and then at once."""

    def __init__(self):
        self.skips = Skips()
        super().__init__(self.skips)

    def time(self):
        return self.skips.now


class Process:
    """A process that works for a fixed time per question, over as many turns as that takes."""

    def __init__(self, simulation, table, work_seconds):
        self.simulation, self.table, self.work = simulation, table, list(work_seconds)
        self.since = self.ends = None

    def ask(self):
        self.left = self.work.pop(0)
        self.table.request(self)

    def resume(self):
        self.simulation.running.append(self)
        self.simulation.most = max(self.simulation.most, len(self.simulation.running))
        self.since = asyncio.get_running_loop().time()
        self.work_on()

    def work_on(self):
        self.ends = asyncio.get_running_loop().call_later(self.left, self.simulation.answered, self)

    def pause(self):
        now = asyncio.get_running_loop().time()
        self.simulation.running.remove(self)
        self.simulation.spans.append((self, self.since, now))
        self.ends.cancel()
        self.left -= now - self.since


class Simulation:
    """Tables of one block whose processes are asked one after the other."""

    def __init__(self, tables, blocks=None):
        self.running, self.spans, self.most, self.blocks = [], [], 0, BlockRegistry()
        self.tables = [
            (turn := self.blocks.join(name, len(tables)), [Process(self, turn, work) for work in table])
            for name, table in zip(blocks or ["block"] * len(tables), tables, strict=True)
        ]
        self.over = asyncio.Event()
        self.asked = 0

    async def play(self):
        for _, processes in self.tables:
            self.ask(processes)
        await self.over.wait()
        assert self.running == []

    def ask(self, processes):
        process = next((process for process in processes if process.work), None)
        if process is not None:
            self.asked += 1
            process.ask()
        return process

    def answered(self, process):
        self.asked -= 1
        if self.ask(next(processes for turn, processes in self.tables if turn is process.table)) is process:
            process.work_on()
            return
        process.table.release(process)
        if not self.asked:
            self.over.set()

    def times(self, number):
        """Return the times at which processes of a table ran."""
        return [(begin, end) for process, begin, end in self.spans if process.table is self.tables[number][0]]


def played(tables, seed=1, **fields):
    """Play these tables with repeatable random choices; return the simulation."""

    async def play():
        simulation = Simulation(tables, **fields)
        await simulation.play()
        return simulation

    turns.CHANCE = random.Random(seed)
    try:
        with asyncio.Runner(loop_factory=Loop) as runner:
            return runner.run(play())
    finally:
        turns.CHANCE = random.SystemRandom()


QUICK, SLOW = [0.001] * 30, [0.2] * 30


def test_one_process_of_a_block_runs_at_a_time():
    simulation = played([[QUICK, SLOW], [SLOW, QUICK], [QUICK, QUICK], [SLOW, SLOW]])
    assert simulation.most == 1
    spans = sorted((begin, end) for _, begin, end in simulation.spans)
    assert all(one[1] <= other[0] + 1e-9 for one, other in pairwise(spans))


def test_tables_of_different_blocks_run_together():
    assert played([[QUICK, SLOW], [SLOW, QUICK]], blocks=("one", "other")).most == 2


@pytest.mark.parametrize("others", [[QUICK], [SLOW], [QUICK, SLOW], [[0.001]], [[]]])
def test_the_times_of_a_table_do_not_depend_on_other_tables(others):
    mine = [[0.004, 0.12] * 10]
    alone = played([mine, [QUICK], [QUICK]]).times(0)
    assert played([mine, others, [SLOW]]).times(0) == alone


def test_every_table_owns_its_slots_in_a_random_order():
    orders = set()
    for seed in range(40):
        simulation = played([[SLOW]] * 3, seed)
        orders.add(tuple(sorted(range(3), key=lambda number: simulation.times(number)[0])))
        for number in range(3):
            begins = [begin for begin, _ in simulation.times(number)][1:]
            gaps = {round((other - one) / SLOT_SECONDS, 6) for one, other in pairwise(begins)}
            assert gaps == {3.0}
    assert len(orders) == 6


def test_a_block_with_one_table_never_waits():
    simulation = played([[QUICK, SLOW]])
    assert simulation.spans[-1][2] == pytest.approx(sum(QUICK) + sum(SLOW))


def test_the_next_of_several_waiting_processes_is_drawn_at_random():
    async def first(number):
        blocks = BlockRegistry()
        table = blocks.join("block", 1)
        seen = []

        class Waits:
            def resume(self):
                seen.append(self)

            def pause(self):
                pass

        waiting = [Waits() for _ in range(4)]
        for each in waiting:
            table.request(each)
        for _ in range(4):
            table.release(seen[-1])
        return tuple(waiting.index(each) for each in seen[1:])

    async def orders():
        return {await first(number) for number in range(200)}

    assert len(asyncio.run(orders())) == 6


async def test_no_process_of_a_finished_table_runs():
    blocks = BlockRegistry()
    simulation = Simulation([[SLOW]])
    turn, (process,) = simulation.tables[0]
    process.ask()
    assert simulation.running == [process]
    turn.close()
    assert simulation.running == []
    turn.request(process)
    assert simulation.running == []
    simulation.blocks.leave(turn)
    assert simulation.blocks._blocks == blocks._blocks == {}


async def test_a_repeated_table_takes_no_slot_of_a_live_table():
    blocks = BlockRegistry()
    tables = [blocks.join("block", 3) for _ in range(3)]
    blocks.leave(tables[1])
    again = blocks.join("block", 3)
    assert {tables[0].slot, tables[2].slot, again.slot} == {0, 1, 2}
    assert blocks.join("block", 3).slot == 3
