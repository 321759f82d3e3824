"""Sandboxes that wait with the client already imported, so that a bot starts at once.

A warm sandbox is given to one bot and destroyed with it. None is ever copied or taken back.
"""

from __future__ import annotations

import json
import selectors
from collections.abc import Sequence
from time import monotonic

from stichkampf.packaging.parts import ONNXRUNTIME

from stichkampf_arbiter.sandbox.contract import CLIENT_COMMAND, PYTHON, SandboxError
from stichkampf_arbiter.sandbox.launcher.sandbox import Sandbox, SandboxFactory
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.uids import UidPool

READY = b"ready\n"
WAIT = """
import json, os, sys
from stichkampf import client
print("ready", flush=True)
line = sys.stdin.readline()
if line:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.exit(client.main(json.loads(line)))
"""
WARM_COMMAND = (PYTHON, "-I", "-c", WAIT)
FAILURES = 3
"""Number of sandboxes in a row that came to nothing, after which operators are told."""
LONGEST_PAUSE = 60.0


class WarmPool:
    """Warm sandboxes with the published limits, for bots that run the usual client.

    The parts of the runtime that a bot needs beside Python are shown to its sandbox when it is taken.
    """

    def __init__(
        self, selector: selectors.BaseSelector, factory: SandboxFactory, uids: UidPool, size: int
    ) -> None:
        self._selector, self._factory, self._uids, self._size = selector, factory, uids, size
        self._starting: dict[int, Sandbox] = {}
        self._ready: dict[int, Sandbox] = {}
        self._failures = 0
        self._reason = ""
        self._next_try = 0.0

    @property
    def pause(self) -> float | None:
        """Seconds until a sandbox should be added, if there is nothing else to do; None: none is lacking."""
        if len(self._starting) + len(self._ready) >= self._size:
            return None
        return max(0.0, self._next_try - monotonic())

    @property
    def is_full(self) -> bool:
        """True if all sandboxes that should wait are ready."""
        return len(self._ready) == self._size > 0

    @property
    def trouble(self) -> str:
        """Say why there are no warm sandboxes, where several in a row have come to nothing; else nothing."""
        if self._failures < FAILURES:
            return ""
        return f"{self._failures} warm sandboxes in a row came to nothing, the last because {self._reason}"

    def add(self) -> None:
        """Start one more; it is ready a little later."""
        try:
            uid = self._uids.take()
        except SandboxError as error:
            self._fail(str(error))
            return
        try:
            sandbox = Sandbox(self._factory, uid=uid, limits=Limits(), command=WARM_COMMAND)
        except (SandboxError, OSError) as error:
            self._uids.give_back(uid)
            self._fail(str(error))
            return
        self._starting[sandbox.number] = sandbox
        self._selector.register(sandbox.output, selectors.EVENT_READ, lambda: self._on_output(sandbox))
        self._selector.register(sandbox.pidfd, selectors.EVENT_READ, lambda: self._drop(sandbox))
        sandbox.release(wait_for_line=True)

    def take(self, command: Sequence[str], limits: Limits, parts: Sequence[str]) -> Sandbox | None:
        """Take a warm sandbox for this bot; None if none is ready, or the bot needs another kind."""
        # Python looks for onnxruntime when it starts.
        fits = limits == Limits() and ONNXRUNTIME not in parts
        is_usual = fits and tuple(command[:4]) == CLIENT_COMMAND[:4]
        while is_usual and self._ready:
            sandbox = next(iter(self._ready.values()))
            if sandbox.ended():
                self._drop(sandbox)
                continue
            del self._ready[sandbox.number]
            self._unregister(sandbox)
            return sandbox
        return None

    @staticmethod
    def client_arguments(command: Sequence[str]) -> bytes:
        """Make the line that turns a warm sandbox into this bot."""
        return json.dumps(list(command[4:])).encode() + b"\n"

    def close(self) -> None:
        for sandbox in (*self._starting.values(), *self._ready.values()):
            self._unregister(sandbox)
            sandbox.discard()
        self._starting.clear()
        self._ready.clear()

    def _on_output(self, sandbox: Sandbox) -> None:
        if sandbox.number in self._starting and sandbox.read_output() == READY:
            self._ready[sandbox.number] = self._starting.pop(sandbox.number)
            self._failures, self._next_try = 0, 0.0
        else:
            self._drop(sandbox)

    def _drop(self, sandbox: Sandbox) -> None:
        """Remove a sandbox that ended or printed anything but `READY`, before it held a bot."""
        known = self._starting.pop(sandbox.number, None) or self._ready.pop(sandbox.number, None)
        if known is not None:
            self._fail("it ended while it waited")
            self._unregister(sandbox)
            sandbox.discard()
            self._uids.give_back(sandbox.uid)

    def _fail(self, reason: str) -> None:
        """Wait ever longer before the next try: what ends sandboxes may pass, such as a lack of memory."""
        self._failures, self._reason = self._failures + 1, reason
        self._next_try = monotonic() + min(LONGEST_PAUSE, 0.25 * 2 ** min(self._failures - 1, 10))

    def _unregister(self, sandbox: Sandbox) -> None:
        self._selector.unregister(sandbox.output)
        self._selector.unregister(sandbox.pidfd)
