"""Room for blocks: which may hold hosted processes, of which a machine bears so many.

A block whose bots are slow holds its room for long. So one half is for every block, the other for the first
one of each tournament: however slow the blocks of one are, another one's begin.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from stichkampf_arbiter.bots.turns import Block


@dataclass(eq=False)
class Share:
    """What a block takes or waits for.

    :ivar processes: as many as it may hold.
    :ivar matches: its own that wait, or hold some.
    """

    tournament: str
    processes: int
    matches: int = 0
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class Room:
    """Lets blocks in: first those of the tournament that holds least, then the one that has waited longest.

    :param most: how many processes may be there at once. A block that needs more runs alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._shares: dict[str, Share] = {}

    async def enter(self, block: Block, processes: int) -> None:
        """Returns when there is room for all tables of the block; `leave` must follow.

        :param processes: how many each of its tables needs.
        """
        share = self._shares.get(block.name)
        if share is None:
            share = self._shares[block.name] = Share(block.tournament, processes * block.tables)
        share.matches += 1
        self._let_in()
        try:
            await share.granted.wait()
        except asyncio.CancelledError:
            self.leave(block)
            raise

    def leave(self, block: Block) -> None:
        """A match is over. With the last one of its block there is room for others."""
        share = self._shares[block.name]
        share.matches -= 1
        if share.matches == 0:
            del self._shares[block.name]
            self._let_in()

    def _let_in(self) -> None:
        while waiting := [share for share in self._shares.values() if not share.granted.is_set()]:
            share = min(waiting, key=lambda share: self._held(share.tournament))
            if not self._fits(share):  # nor does any other, or a large block would wait for ever
                return
            share.granted.set()

    def _fits(self, share: Share) -> bool:
        bound = self._most // 2 if self._held(share.tournament) else self._most
        held = self._held()
        return held == 0 or held + share.processes <= bound

    def _held(self, tournament: str | None = None) -> int:
        return sum(
            share.processes
            for share in self._shares.values()
            if share.granted.is_set() and tournament in (None, share.tournament)
        )
