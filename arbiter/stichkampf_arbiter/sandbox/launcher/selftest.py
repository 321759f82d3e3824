"""Self-test: try the sandbox on this machine before it holds a stranger's code."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import select
import socket
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import PYTHON, ExitKind, ExitReport, SandboxError
from stichkampf_arbiter.sandbox.launcher.sandbox import Sandbox, SandboxFactory
from stichkampf_arbiter.sandbox.limits import MIB, Limits
from stichkampf_arbiter.sandbox.uids import UidPool

SECONDS = 120.0
CANARY = "STICHKAMPF_CANARY"
"""The launcher's own environment holds this name during the test; a bot must find its value nowhere."""
GREEDY = """
import os, time
for child in range(4):
    if os.fork() == 0:
        memory = bytearray(40 << 20)
        memory[::4096] = b"x" * len(memory[::4096])
        time.sleep(0.5)
        os._exit(0)
for child in range(4):
    if os.waitstatus_to_exitcode(os.wait()[1]) != 0:
        raise SystemExit(1)
"""
STUBBORN = """
import os, signal, time
for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
for child in range(4):
    if os.fork() == 0:
        os.setsid()
        break
print("ready", flush=True)
time.sleep(60)
"""
BUSY = """
import threading
def spin():
    while True:
        pass
for thread in range(3):
    threading.Thread(target=spin, daemon=True).start()
print("ready", flush=True)
spin()
"""
STILL_SECONDS = 5.0
"""A frozen thread may wait for a processor before it stops, on a machine that is busy."""
LOOK_SECONDS = 0.05


def find_holes(factory: SandboxFactory, uids: UidPool) -> list[str]:
    """Name the holes of the sandbox, for an administrator; none if it may be trusted.

    :raises SandboxError: no sandbox starts at all, or an honest program cannot run in it.
    """
    holes = _probe(factory, uids)
    if factory.groups is not None and not _holds_memory(factory, uids):
        holes.append("memory of several processes")
    if not _kills(factory, uids):
        holes.append("killing a sandbox")
    return holes


def _probe(factory: SandboxFactory, uids: UidPool) -> list[str]:
    probe = (Path(__file__).parent / "probe.py").read_text()
    canary = secrets.token_hex(16)
    os.environ[CANARY] = canary
    try:
        with (
            tempfile.NamedTemporaryFile() as foreign,
            socket.create_server(("127.0.0.1", 0)) as listener,
        ):
            os.fchmod(foreign.fileno(), 0o644)
            port = listener.getsockname()[1]
            kernel = "own" if factory.runtime.has_own_kernel else "shared"
            arguments = (foreign.name, canary, str(port), kernel)
            sandbox = _Trial(factory, uids, (PYTHON, "-I", "-c", probe, *arguments))
            text, report = sandbox.run()
    finally:
        del os.environ[CANARY]
    if report.kind is not ExitKind.EXITED or report.code != 0:
        raise SandboxError(f"an honest program cannot run in the sandbox ({report.kind}): {text.strip()}")
    return [str(leak) for leak in json.loads(text)]


def _holds_memory(factory: SandboxFactory, uids: UidPool) -> bool:
    limits = Limits(memory_bytes=64 * MIB, wall_seconds=SECONDS)
    _, report = _Trial(factory, uids, (PYTHON, "-I", "-S", "-c", GREEDY), limits).run()
    return report.kind is ExitKind.LIMIT and report.limit == "memory"


def _kills(factory: SandboxFactory, uids: UidPool) -> bool:
    trial = _Trial(factory, uids, (PYTHON, "-I", "-S", "-c", STUBBORN))
    _, report = trial.run(kill_at=b"ready")
    return report.kind is ExitKind.KILLED and not _living(trial.uid)


def can_freeze(factory: SandboxFactory, uids: UidPool) -> bool:
    """Tell whether a frozen sandbox stands still, and can be ended all the same."""
    trial = _Trial(factory, uids, (PYTHON, "-I", "-S", "-c", BUSY))
    stood_still: list[bool] = []
    _, report = trial.run(kill_at=b"ready", before=lambda sandbox: stood_still.append(_stands_still(sandbox)))
    return stood_still == [True] and report.kind is ExitKind.KILLED


def _stands_still(sandbox: Sandbox) -> bool:
    """Freeze a busy sandbox; tell whether it stops using the processor, at once or soon."""
    sandbox.freeze()
    end = time.monotonic() + STILL_SECONDS
    used = sandbox.cpu_seconds()
    while time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
        used, before = sandbox.cpu_seconds(), used
        if used == before:
            return True
    return False


def _living(uid: int) -> list[Path]:
    """Find the processes of this uid that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid and "\nState:\tZ" not in (folder / "status").read_text():
                found.append(folder)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


class _Trial:
    """One sandbox of the self-test, with an archive and a socket as for a bot."""

    def __init__(
        self, factory: SandboxFactory, uids: UidPool, command: Sequence[str], limits: Limits | None = None
    ) -> None:
        self._uids = uids
        self.uid = uids.take()
        try:
            self._sandbox = Sandbox(
                factory,
                uid=self.uid,
                limits=limits or Limits(wall_seconds=SECONDS),
                command=command,
            )
        except (SandboxError, OSError):
            uids.give_back(self.uid)
            raise

    def run(
        self, kill_at: bytes | None = None, before: Callable[[Sandbox], None] | None = None
    ) -> tuple[str, ExitReport]:
        """Run to its end; kill it when it has printed `kill_at`, after `before` was called."""
        content = b"an archive"
        with (
            tempfile.TemporaryDirectory() as folder,
            tempfile.TemporaryFile() as archive,
            socket.socket(socket.AF_UNIX) as listener,
        ):
            archive.write(content)
            archive.flush()
            listener.bind(f"{folder}/arbiter.sock")
            listener.listen()
            try:
                digest = hashlib.sha256(content).hexdigest()
                path = Path(folder) / "arbiter.sock"
                self._sandbox.hand_over(archive.fileno(), digest, path, owner_uid=os.getuid())
            except (SandboxError, OSError):
                self._sandbox.discard()
                raise
            self._sandbox.release()
            return self._await_end(kill_at, before)

    def _await_end(
        self, kill_at: bytes | None, before: Callable[[Sandbox], None] | None
    ) -> tuple[str, ExitReport]:
        printed = b""
        while not self._sandbox.ended():
            wait = self._sandbox.deadline - time.monotonic()
            if wait <= 0:
                self._sandbox.kill(limit="wall")
            if select.select([self._sandbox.output, self._sandbox.pidfd], [], [], max(0.0, wait))[0]:
                printed += self._sandbox.read_output()
            if kill_at is not None and kill_at in printed:
                if before is not None:
                    before(self._sandbox)
                self._sandbox.kill()
                kill_at = None
        while part := self._sandbox.read_output():
            printed += part
        report = self._sandbox.finish()
        self._uids.give_back(self.uid)
        return printed.decode(errors="replace"), report
