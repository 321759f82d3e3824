"""The house process: one child that runs all house bots.

It is part of the platform, so its end is a failure of the platform, and so is its silence: it is ended then,
and restarted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from stichkampf.faults import FaultKind

from stichkampf_arbiter.connection.gateway import Gateway
from stichkampf_arbiter.connection.stream import BotStream

log = logging.getLogger(__name__)

COMMAND = (sys.executable, "-I", "-m", "stichkampf.house")
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 10.0
NICENESS = 8
"""Beside another program that works it gets a seventh of the processor, not half of it."""


class HouseProcess:
    """Keeps the process of the house bots alive.

    :param socket: path of the socket to which it connects.
    :param arrival: returns the earliest moment at which a message handled now can have arrived.
    :param gives_way: whether it interrupts no other program that works, and has a smaller share beside one.
    :ivar pid: process id of the process that runs now.
    """

    def __init__(self, socket: Path, arrival: Callable[[], float], *, gives_way: bool = False) -> None:
        self._socket = socket
        self._arrival = arrival
        self._gives_way = gives_way
        self._ready = asyncio.Event()
        self._stream: BotStream | None = None
        self._task: asyncio.Task[None] | None = None
        self.pid = 0

    async def stream(self) -> BotStream:
        """Return the stream of the house process, which it starts if need be; waits until there is one."""
        self.start()
        while self._stream is None or self._stream.closed:
            self._ready.clear()
            await self._ready.wait()
        return self._stream

    @property
    def connected(self) -> BotStream | None:
        return None if self._stream is None or self._stream.closed else self._stream

    async def why_lost(self) -> FaultKind | None:
        """Return None: the loss of the house process is the platform's failure."""
        return None

    def start(self) -> None:
        """Start the process, if it was not started."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._keep_alive())

    async def stop(self) -> None:
        """End the process; return when it is gone."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_alive(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            played = await self._run_once()
            pause = FIRST_PAUSE_SECONDS if played else min(2 * pause, LONGEST_PAUSE_SECONDS)
            log.error("the process of the house bots ended; a new one starts in %.1f s", pause)
            await asyncio.sleep(pause)

    async def _run_once(self) -> bool:
        """Run the process until it ends or is cut off; return true if it said hello."""
        self._socket.unlink(missing_ok=True)
        gateway = Gateway("house", self._arrival)
        await gateway.listen(self._socket)
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "--socket", str(self._socket), stdin=asyncio.subprocess.DEVNULL, env=_environment()
        )
        self.pid = process.pid
        if self._gives_way:
            give_way(process.pid)
        over = asyncio.ensure_future(process.wait())
        cut_off: asyncio.Future[None] | None = None
        try:
            await asyncio.wait((over, gateway.stream), return_when=asyncio.FIRST_COMPLETED)
            if gateway.stream.done():
                self._stream = gateway.stream.result()
                self._ready.set()
                cut_off = asyncio.ensure_future(self._stream.wait_until_closed())
                await asyncio.wait((over, cut_off), return_when=asyncio.FIRST_COMPLETED)
            return self._stream is not None
        finally:
            if cut_off is not None:
                cut_off.cancel()
            if process.returncode is None:
                process.kill()
                await process.wait()
            await gateway.close()


def give_way(pid: int) -> None:
    """Let a process that has just started give way to others, unless it has ended."""
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, pid, min(19, os.getpriority(os.PRIO_PROCESS, pid) + NICENESS))
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))


def _environment() -> dict[str, str]:
    kept = ("PATH", "LANG", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"GRPC_ENABLE_FORK_SUPPORT": "0"}
