"""Turns: at most one of all hosted processes of a block runs at any moment.

Time is divided into slots. Each table of a block owns every n-th slot, in a random order, and keeps it to the
end of the block, used or not. So the course of one table tells nothing about another's: neither the time that
its bots think, nor the number of its decisions, nor its end. In the slots of one table its processes run one
after the other; if several wait, because all choose at once, the next one is drawn at random.

A process whose turn has not ended when the slot ends goes on in the table's next slot. A block with one table
needs no slots.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Protocol

SLOT_SECONDS = 0.05
# In slots: a time computed as the beginning of a slot belongs to that slot.
ROUNDING = 1e-6
CHANCE = random.SystemRandom()


class Pausable(Protocol):
    """A process that runs only in its turns."""

    def resume(self) -> None:
        """Run from now on."""

    def pause(self) -> None:
        """Stop running from now on."""


class BlockSlots:
    """The slots of one block.

    :param name: name of the block, unique among all that are played.
    :param tables: number of its tables.
    :param now: clock of the running loop, in seconds.
    :param tournament: name of its tournament; empty for a block without one.
    """

    def __init__(self, name: str, tables: int, now: Callable[[], float], tournament: str = "") -> None:
        self.name = name
        self.tables = tables
        self.tournament = tournament or name
        self.running: TableTurns | None = None
        self._now = now
        self._begin = now() - CHANCE.uniform(0.0, tables * SLOT_SECONDS)
        self._order = CHANCE.sample(range(tables), tables)
        self._present: dict[int, TableTurns] = {}
        self._fresh = list(self._order)

    @property
    def empty(self) -> bool:
        return not self._present

    def join(self) -> TableTurns:
        """Return the turns of one more table, with a slot that no other table has had, as long as there is
        one.
        """
        if self._fresh:
            slot = self._fresh.pop()
        else:
            free = [slot for slot in range(self.tables) if slot not in self._present]
            slot = free[0] if free else self.tables
            self.tables = max(self.tables, slot + 1)
        turns = self._present[slot] = TableTurns(self, slot)
        return turns

    def leave(self, turns: TableTurns) -> None:
        del self._present[turns.slot]

    def next_slot(self, slot: int, after: float) -> tuple[float, float]:
        """Return beginning and end of the first occurrence of a slot that ends later than `after`."""
        number = int((after - self._begin) / SLOT_SECONDS + ROUNDING)
        number += (slot - number) % self.tables
        return self._begin + number * SLOT_SECONDS, self._begin + (number + 1) * SLOT_SECONDS


class TableTurns:
    """The turns of one table's processes.

    :ivar slot: number of its slot in the block.
    """

    def __init__(self, block: BlockSlots, slot: int) -> None:
        self.block = block
        self.slot = slot
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Pausable] = []
        self._current: Pausable | None = None
        self._runs = False
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._due: tuple[float, Callable[[float], None]] | None = None

    def request(self, process: Pausable) -> None:
        """Ask for one turn of a process. Further requests before its end change nothing."""
        if not self._closed and process is not self._current and process not in self._waiting:
            self._waiting.append(process)
            self._go_on(self._loop.time())

    def release(self, process: Pausable) -> None:
        """End the turn of a process, or its wait for one."""
        if process is self._current:
            self._interrupt()
            self._current = None
            self._go_on(self._loop.time())
        elif process in self._waiting:
            self._waiting.remove(process)

    def close(self) -> None:
        """End the table: none of its processes runs any more."""
        self._closed = True
        self._waiting.clear()
        if self._current is not None:
            self.release(self._current)
        self._cancel_timer()

    def _go_on(self, now: float) -> None:
        if self._runs:
            return
        if self._current is None:
            if not self._waiting:
                return
            self._current = self._waiting.pop(CHANCE.randrange(len(self._waiting)))
        if self.block.tables == 1:
            self._run()
            return
        begin, end = self.block.next_slot(self.slot, now)
        if begin > now:
            self._set_timer(begin, self._begin_slot)
        else:
            self._run()
            self._set_timer(end, self._end_slot)

    def _run(self) -> None:
        assert self._current is not None
        other = self.block.running
        if other is not None:  # its slot is over as well, and its timer about to fire
            other._interrupt()
            other._go_on(self._loop.time())
        self._runs, self.block.running = True, self
        self._current.resume()

    def _set_timer(self, when: float, call: Callable[[float], None]) -> None:
        """Call at a moment, and not at the one before. One timer serves all turns of a slot."""
        if self._due != (when, call):
            self._cancel_timer()
            self._due = when, call
            self._timer = self._loop.call_at(when, call, when)

    def _begin_slot(self, begin: float) -> None:
        self._cancel_timer()
        self._go_on(max(begin, self._loop.time()))

    def _end_slot(self, end: float) -> None:
        self._cancel_timer()
        self._interrupt()
        self._go_on(max(end, self._loop.time()))

    def _interrupt(self) -> None:
        """Pause the process whose turn it is, if it runs."""
        if self._runs and self._current is not None:
            self._runs, self.block.running = False, None
            self._current.pause()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self._due = None


class BlockRegistry:
    """The blocks that are being played."""

    def __init__(self) -> None:
        self._blocks: dict[str, BlockSlots] = {}

    def join(self, name: str, tables: int, tournament: str = "") -> TableTurns:
        """Return the turns of one more table of a block."""
        block = self._blocks.get(name)
        if block is None:
            block = self._blocks[name] = BlockSlots(name, tables, asyncio.get_running_loop().time, tournament)
        return block.join()

    def leave(self, turns: TableTurns) -> None:
        """End a table. The last one of a block removes the block."""
        turns.block.leave(turns)
        if turns.block.empty:
            del self._blocks[turns.block.name]
