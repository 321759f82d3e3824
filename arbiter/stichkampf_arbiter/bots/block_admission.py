"""Admission of blocks: limits the hosted processes that exist at once.

A block with slow bots holds its processes for long. So one half of the limit is open to every block, the
other half only to the first block of each tournament: however slow the blocks of one tournament are, those of
another begin.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from stichkampf_arbiter.bots.turns import BlockSlots


@dataclass(eq=False)
class BlockShare:
    """The processes that a block holds or waits for.

    :ivar processes: the most that it may hold.
    :ivar matches: number of its matches that wait or hold processes.
    """

    tournament: str
    processes: int
    matches: int = 0
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class BlockAdmission:
    """Admits blocks: first those of the tournament that holds least, then the one that has waited longest.

    :param most: largest number of processes at once. A block that needs more runs alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._shares: dict[str, BlockShare] = {}

    async def enter(self, block: BlockSlots, processes: int) -> None:
        """Wait until all tables of the block may hold their processes; `leave` must follow.

        :param processes: number that each of its tables needs.
        """
        share = self._shares.get(block.name)
        if share is None:
            share = self._shares[block.name] = BlockShare(block.tournament, processes * block.tables)
        share.matches += 1
        self._admit()
        try:
            await share.granted.wait()
        except asyncio.CancelledError:
            self.leave(block)
            raise

    def leave(self, block: BlockSlots) -> None:
        """End a match. The last match of its block frees the share of the block."""
        share = self._shares[block.name]
        share.matches -= 1
        if share.matches == 0:
            del self._shares[block.name]
            self._admit()

    def _admit(self) -> None:
        while waiting := [share for share in self._shares.values() if not share.granted.is_set()]:
            share = min(waiting, key=lambda share: self._held(share.tournament))
            if not self._fits(share):  # smaller blocks wait too: a large one would wait for ever
                return
            share.granted.set()

    def _fits(self, share: BlockShare) -> bool:
        bound = self._most // 2 if self._held(share.tournament) else self._most
        held = self._held()
        return held == 0 or held + share.processes <= bound

    def _held(self, tournament: str | None = None) -> int:
        return sum(
            share.processes
            for share in self._shares.values()
            if share.granted.is_set() and tournament in (None, share.tournament)
        )
