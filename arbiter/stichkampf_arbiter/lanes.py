"""The lanes: which hosted processes run.

There is one per archive, lane and copy at a table, started when needed, ended when idle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from itertools import count
from pathlib import Path
from typing import NamedTuple

from stichkampf_arbiter.hosted import HostedBot
from stichkampf_arbiter.sandbox import Launcher
from stichkampf_arbiter.shelf import Shelf


class Copy(NamedTuple):
    """One of the seats that an archive holds at a table.

    :ivar number: counts them from 0; each has a process of its own.
    """

    digest: str
    number: int


class Lanes:
    """The hosted processes.

    :param sockets: a folder for their sockets.
    :param most: how many may run at once.
    :param idle_seconds: how long one that no match needs is kept.
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
        self._numbers = count(1)
        self._current: dict[tuple[Copy, str], HostedBot] = {}
        self._living: set[HostedBot] = set()
        self._ending: set[asyncio.Task[None]] = set()
        # One match at a time takes its processes: two that each held half of them would wait for ever.
        self._admission = asyncio.Lock()
        self._room = asyncio.Condition()

    @property
    def connected(self) -> list[HostedBot]:
        return [bot for bot in self._living if bot.usable]

    async def take(self, copies: Collection[Copy], lane: str) -> dict[Copy, HostedBot]:
        """The processes of these copies in a lane; to be given back. Waits while too many run.

        A bot that does not start is no error: its `stream` is None.

        :raises SandboxError: the sandbox failed; nothing is taken.
        """
        taken: dict[Copy, HostedBot] = {}
        try:
            async with self._admission:
                for copy in sorted(copies):
                    taken[copy] = await self._find_or_start(copy, lane)
            await asyncio.gather(*(asyncio.shield(bot.started) for bot in taken.values() if bot.started))
        except BaseException:  # whatever ends this, also being cancelled, must not keep processes
            self.give_back(taken.values())
            raise
        return taken

    def give_back(self, bots: Collection[HostedBot]) -> None:
        for bot in bots:
            bot.users -= 1
            if bot.users == 0:
                delay = self._idle_seconds if bot.usable else 0.0
                asyncio.get_running_loop().call_later(delay, self._end_idle, bot)

    async def close(self) -> None:
        """End all of them; returns when nothing is left."""
        for bot in list(self._living):
            self._end(bot)
        await asyncio.gather(*self._ending)

    async def _find_or_start(self, copy: Copy, lane: str) -> HostedBot:
        bot = self._current.get((copy, lane))
        if bot is None or (bot.started is not None and bot.started.done() and not bot.usable):
            await self._make_room()
            socket = self._sockets / f"{next(self._numbers)}.sock"
            bot = HostedBot(copy.digest, lane, socket, self._arrival)
            self._current[copy, lane] = bot
            self._living.add(bot)
            bot.started = asyncio.ensure_future(bot.start(self._launcher, self._shelf.path(copy.digest)))
        bot.users += 1
        return bot

    async def _make_room(self) -> None:
        async with self._room:
            while len(self._living) >= self._most:
                idle = next((bot for bot in self._living if bot.users == 0), None)
                if idle is not None:
                    self._end(idle)
                await self._room.wait()

    def _end_idle(self, bot: HostedBot) -> None:
        if bot.users == 0:
            self._end(bot)

    def _end(self, bot: HostedBot) -> None:
        if bot not in self._living or bot.ending:
            return
        bot.ending = True
        self._current = {place: other for place, other in self._current.items() if other is not bot}
        task = asyncio.ensure_future(self._finish(bot))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _finish(self, bot: HostedBot) -> None:
        await bot.end()
        async with self._room:
            self._living.discard(bot)
            self._room.notify_all()
