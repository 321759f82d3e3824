"""The pool of hosted bot processes.

A *lane* is the number of a seating in its block: a process plays in one lane only, so it never meets a deal
twice. The pool has one process per archive, lane and copy at a table for every block that is played. It is
started when needed, kept for the lane's next table, and ended when idle.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from stichkampf.limits import LIFE_SECONDS

from stichkampf_arbiter.bots.archive_store import ArchiveStore
from stichkampf_arbiter.bots.block_admission import BlockAdmission
from stichkampf_arbiter.bots.hosted import HostedBot
from stichkampf_arbiter.bots.turns import TableTurns
from stichkampf_arbiter.sandbox.client import Launcher


class ArchiveCopy(NamedTuple):
    """One of the seats that an archive holds at a table.

    :ivar number: counted from 0; each copy has its own process.
    """

    digest: str
    number: int


class HostedBotPool:
    """All hosted processes of an arbiter.

    A process is held by one match at a time, so it has the turns of one block. If all processes of a lane are
    held, a match gets a new one.

    :param sockets: folder for their sockets.
    :param most: largest number of processes at once; `BlockAdmission` divides it among blocks.
    :param idle_seconds: time for which a process that no match holds is kept.
    """

    def __init__(
        self,
        launcher: Launcher,
        archives: ArchiveStore,
        sockets: Path,
        arrival: Callable[[], float],
        *,
        most: int,
        idle_seconds: float,
    ) -> None:
        self._launcher = launcher
        self._archives = archives
        self._sockets = sockets
        self._arrival = arrival
        self._most = most
        self._idle_seconds = idle_seconds
        self._living: dict[HostedBot, tuple[ArchiveCopy, str]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._admission = BlockAdmission(most)
        self._ended = asyncio.Condition()

    @property
    def connected(self) -> list[HostedBot]:
        return [bot for bot in self._living if bot.usable]

    async def take(
        self, copies: Collection[ArchiveCopy], lane: str, turns: TableTurns
    ) -> dict[ArchiveCopy, HostedBot]:
        """Return the processes of these copies in a lane, to be given back. Waits while too many run.

        All tables of a block are admitted at once: a table that had to wait for another one of its block
        would learn from its own start how long that took. A bot that does not start is no error: its `stream`
        is None.

        :param turns: turns of the match.
        :raises SandboxError: the sandbox failed; nothing is taken.
        """
        if not copies:
            return {}
        taken: dict[ArchiveCopy, HostedBot] = {}
        await self._admission.enter(turns.block, len(copies))
        try:
            for copy in sorted(copies):
                taken[copy] = await self._find_or_start(copy, lane, turns)
            await asyncio.gather(*(asyncio.shield(bot.started) for bot in taken.values() if bot.started))
        except BaseException:  # no way out of this, cancellation included, may keep processes
            self.give_back(taken.values(), turns)
            raise
        return taken

    def give_back(self, bots: Collection[HostedBot], turns: TableTurns) -> None:
        """Return the processes of a match; each is ended unless another match takes it in time."""
        turns.close()
        for bot in bots:
            bot.leave()
            delay = self._idle_seconds if self._may_play_again(bot) else 0.0
            asyncio.get_running_loop().call_later(delay, self._end_idle, bot)
        self._admission.leave(turns.block)

    async def close(self) -> None:
        """End all processes; return when nothing is left."""
        for bot in list(self._living):
            self._end(bot)
        await asyncio.gather(*self._ending)

    # Processes ----------------------------------------------------------------------------------------------

    async def _find_or_start(self, copy: ArchiveCopy, lane: str, turns: TableTurns) -> HostedBot:
        bot = self._find(copy, lane)
        if bot is None:
            await self._await_capacity()
            # A bot can read the name, and a counter would tell the number of bots started before it.
            socket = self._sockets / f"{secrets.token_hex(8)}.sock"
            bot = HostedBot(copy.digest, lane, socket, self._arrival)
            self._living[bot] = (copy, lane)
            bot.join(turns)
            bot.started = asyncio.ensure_future(bot.start(self._launcher, self._archives.path(copy.digest)))
        else:
            bot.join(turns)
        return bot

    def _find(self, copy: ArchiveCopy, lane: str) -> HostedBot | None:
        """Return a process of this copy and lane that no match holds."""
        idle = (bot for bot, slot in self._living.items() if slot == (copy, lane) and not bot.taken)
        return next((bot for bot in idle if self._may_play_again(bot) and not bot.ending), None)

    @staticmethod
    def _may_play_again(bot: HostedBot) -> bool:
        """True if it is connected and so young that its life does not end in the middle of the next match."""
        return bot.usable and monotonic() - bot.since < LIFE_SECONDS / 2

    async def _await_capacity(self) -> None:
        """Wait until another process may run.

        That is also so if all are held: then a block needs more than the limit, and runs alone.
        """
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
