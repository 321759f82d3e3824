"""The lanes: which hosted processes there are.

There is one per archive, lane and copy at a table for every block that is played, started when needed, kept
for the lane's next table, ended when idle.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from stichkampf.limits import LIFE_SECONDS

from stichkampf_arbiter.bots.archive_store import Shelf
from stichkampf_arbiter.bots.block_slots import Room
from stichkampf_arbiter.bots.hosted import HostedBot
from stichkampf_arbiter.bots.turns import Turns
from stichkampf_arbiter.sandbox import Launcher


class Copy(NamedTuple):
    """One of the seats that an archive holds at a table.

    :ivar number: counts them from 0; each has a process of its own.
    """

    digest: str
    number: int


class Lanes:
    """The hosted processes.

    A process is held by one match at a time, so it has the turns of one block; where all processes of its
    lane are held, a match gets one more.

    :param sockets: a folder for their sockets.
    :param most: how many may be there at once; `Room` shares them out.
    :param idle_seconds: how long one that no match holds is kept.
    """

    def __init__(
        self,
        launcher: Launcher,
        shelf: Shelf,
        sockets: Path,
        arrival: Callable[[], float],
        *,
        most: int,
        idle_seconds: float,
    ) -> None:
        self._launcher = launcher
        self._shelf = shelf
        self._sockets = sockets
        self._arrival = arrival
        self._most = most
        self._idle_seconds = idle_seconds
        self._living: dict[HostedBot, tuple[Copy, str]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._room = Room(most)
        self._ended = asyncio.Condition()

    @property
    def connected(self) -> list[HostedBot]:
        return [bot for bot in self._living if bot.usable]

    async def take(self, copies: Collection[Copy], lane: str, turns: Turns) -> dict[Copy, HostedBot]:
        """The processes of these copies in a lane; to be given back. Waits while too many run.

        Room is made for all tables of a block at once: a table that had to wait for another one of its block
        would learn from its own start how long that took. A bot that does not start is no error: its `stream`
        is None.

        :param turns: those of the match.
        :raises SandboxError: the sandbox failed; nothing is taken.
        """
        if not copies:
            return {}
        taken: dict[Copy, HostedBot] = {}
        await self._room.enter(turns.block, len(copies))
        try:
            for copy in sorted(copies):
                taken[copy] = await self._find_or_start(copy, lane, turns)
            await asyncio.gather(*(asyncio.shield(bot.started) for bot in taken.values() if bot.started))
        except BaseException:  # whatever ends this, also being cancelled, must not keep processes
            self.give_back(taken.values(), turns)
            raise
        return taken

    def give_back(self, bots: Collection[HostedBot], turns: Turns) -> None:
        turns.close()
        for bot in bots:
            bot.leave()
            delay = self._idle_seconds if self._may_play_again(bot) else 0.0
            asyncio.get_running_loop().call_later(delay, self._end_idle, bot)
        self._room.leave(turns.block)

    async def close(self) -> None:
        """End all of them; returns when nothing is left."""
        for bot in list(self._living):
            self._end(bot)
        await asyncio.gather(*self._ending)

    # Processes ----------------------------------------------------------------------------------------------

    async def _find_or_start(self, copy: Copy, lane: str, turns: Turns) -> HostedBot:
        bot = self._find(copy, lane)
        if bot is None:
            await self._make_room()
            # A bot can read the name, and a number would tell how many were started before it.
            socket = self._sockets / f"{secrets.token_hex(8)}.sock"
            bot = HostedBot(copy.digest, lane, socket, self._arrival)
            self._living[bot] = (copy, lane)
            bot.join(turns)
            bot.started = asyncio.ensure_future(bot.start(self._launcher, self._shelf.path(copy.digest)))
        else:
            bot.join(turns)
        return bot

    def _find(self, copy: Copy, lane: str) -> HostedBot | None:
        """A process of this copy and lane that no match holds."""
        idle = (bot for bot, place in self._living.items() if place == (copy, lane) and not bot.taken)
        return next((bot for bot in idle if self._may_play_again(bot) and not bot.ending), None)

    @staticmethod
    def _may_play_again(bot: HostedBot) -> bool:
        """Whether it is there, and so young that its life does not end in the middle of the next match."""
        return bot.usable and monotonic() - bot.since < LIFE_SECONDS / 2

    async def _make_room(self) -> None:
        """Returns when another process may run, which is also when all that run are held: then a block needs
        more than there are, and runs alone."""
        async with self._ended:
            while len(self._living) >= self._most and not all(bot.taken for bot in self._living):
                idle = next((bot for bot in self._living if not bot.taken and not bot.ending), None)
                if idle is not None:
                    self._end(idle)
                await self._ended.wait()

    def _end_idle(self, bot: HostedBot) -> None:
        if not bot.taken:
            self._end(bot)

    def _end(self, bot: HostedBot) -> None:
        if bot not in self._living or bot.ending:
            return
        bot.ending = True
        task = asyncio.ensure_future(self._finish(bot))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _finish(self, bot: HostedBot) -> None:
        await bot.end()
        async with self._ended:
            self._living.pop(bot)
            self._ended.notify_all()
