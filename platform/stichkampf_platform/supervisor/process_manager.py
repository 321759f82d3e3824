"""Keep the services running: restart those that die, at once after a long life and else after growing pauses,
and stop all of them in order.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence

from stichkampf_platform.supervisor.installation import Installation
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.output import CannotStart, last_line, show, step
from stichkampf_platform.supervisor.services import Service
from stichkampf_platform.supervisor.subreaper import STOP_SIGNALS

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
HEALTHY_SECONDS = 30.0
READY_SECONDS = 300.0
"""The most that a program may take to start, on a slow or busy machine; one that ends is told at once."""
POLL_SECONDS = 0.1
NEWS_SECONDS = 10.0
LOG_BYTES = 10_000_000
LOG_SECONDS = 60.0
"""The pause between looks at the sizes of the logs."""


class StopAsked(Exception):
    """A stop signal such as Ctrl-C arrived."""


class ManagedProcess:
    """A service with its process, if one runs, and the time from which it may be restarted."""

    def __init__(self, service: Service, installation: Installation) -> None:
        self.service = service
        self.installation = installation
        self.process: subprocess.Popen[bytes] | None = None
        self.pidfd = -1
        self.started = 0.0
        self.failures = 0
        self.due = 0.0

    def start(self) -> None:
        with self.installation.open_log(self.service.name) as log:
            self.process = launch(
                self.installation,
                self.service.command,
                log,
                keeps_root=self.service.keeps_root,
                secrets=self.service.secrets,
            )
        self.pidfd = os.pidfd_open(self.process.pid)
        self.started = time.monotonic()

    def reap(self) -> str:
        """Reap the ended process, kill the rest of its group, and return its exit code or signal as text."""
        assert self.process is not None
        code = self.process.wait()
        os.close(self.pidfd)
        self._signal_group(signal.SIGKILL)
        lived = time.monotonic() - self.started
        self.failures = 0 if lived > HEALTHY_SECONDS else self.failures + 1
        self.due = time.monotonic() + min(FIRST_PAUSE_SECONDS * (2**self.failures - 1), LONGEST_PAUSE_SECONDS)
        self.process = None
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def ask_to_stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(self.service.stop_signal)

    def kill(self) -> None:
        if self.process is not None:
            self._signal_group(signal.SIGKILL)
            self.reap()

    def _signal_group(self, which: signal.Signals) -> None:
        assert self.process is not None
        try:
            os.killpg(self.process.pid, which)
        except ProcessLookupError:
            return


class ProcessManager:
    """Runs services until a stop signal arrives. Leaving its context stops them, the last group first."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.groups: list[list[ManagedProcess]] = []
        self.stop_signals = 0
        self._raises = False

    def __enter__(self) -> ProcessManager:
        self.wake, self._woken = socket.socketpair()
        self.wake.setblocking(False)
        self._woken.setblocking(False)
        signal.set_wakeup_fd(self._woken.fileno())
        self._handlers = {which: signal.signal(which, self._note_stop) for which in STOP_SIGNALS}
        return self

    def _note_stop(self, _number: int, _frame: object) -> None:
        self.stop_signals += 1
        if self._raises:
            raise StopAsked

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Raise StopAsked at once on a stop signal within this context, also in the middle of a call."""
        self._raises = True
        try:
            self.raise_if_asked()
            yield
        finally:
            self._raises = False

    @property
    def running(self) -> list[ManagedProcess]:
        return [one for group in self.groups for one in group]

    def raise_if_asked(self) -> None:
        """:raises StopAsked: a stop signal has arrived."""
        if self.stop_signals:
            raise StopAsked

    def start(self, services: Sequence[Service]) -> None:
        """Start services one after the other, each once the previous is ready; they are stopped together."""
        group: list[ManagedProcess] = []
        self.groups.append(group)
        for service in services:
            running = ManagedProcess(service, self.installation)
            rotate(self.installation, service.name)
            with step(service.title or service.name):
                running.start()
                group.append(running)
                self._wait_until_ready(running)

    def _wait_until_ready(self, running: ManagedProcess) -> None:
        name = running.service.name
        log = self.installation.logs / f"{name}.log"
        deadline = time.monotonic() + READY_SECONDS
        while not running.service.ready():
            self.raise_if_asked()
            self._sleep(POLL_SECONDS, [running])
            if running.process is not None and running.process.poll() is not None:
                end = running.reap()
                reason = last_line(log.read_text(errors="replace")) or "it printed nothing"
                raise CannotStart(f"{name} ended at once ({end}): {reason} (all of it: {log})")
            if time.monotonic() > deadline:
                raise CannotStart(f"{name} was not ready within {READY_SECONDS:.0f} s; see {log}")

    def watch(
        self, until: subprocess.Popen[bytes] | None = None, news: Callable[[], str] | None = None
    ) -> None:
        """Restart services that die, until a stop signal arrives or this other process ends.

        :param news: the line to show every `NEWS_SECONDS` meanwhile.
        """
        news_at = time.monotonic() + NEWS_SECONDS
        with contextlib.ExitStack() as stack:
            others = []
            if until is not None:
                others.append(os.pidfd_open(until.pid))
                stack.callback(os.close, others[0])
            while not self.stop_signals and (until is None or until.poll() is None):
                self._restart_the_dead(others, news_at if news else None)
                if news and time.monotonic() >= news_at and (until is None or until.poll() is None):
                    show(news())
                    news_at += NEWS_SECONDS

    def _restart_the_dead(self, others: Sequence[int], latest: float | None) -> None:
        """Wait until something happens, or until this moment, and see to what has ended or is due."""
        alive = [one for one in self.running if one.process is not None]
        waiting = [one for one in self.running if one.process is None]
        due = [one.due for one in waiting] + ([] if latest is None else [latest])
        self._sleep(min([LOG_SECONDS, *(max(0.0, each - time.monotonic()) for each in due)]), alive, others)
        for one in self.running:
            rotate(self.installation, one.service.name)
        for one in alive:
            if one.process is not None and one.process.poll() is not None:
                end = one.reap()
                show(f"{time.strftime('%H:%M:%S')} {one.service.name} died ({end}); starting it again")
        for one in waiting:
            if one.due <= time.monotonic():
                one.start()

    def _sleep(
        self, seconds: float | None, services: Sequence[ManagedProcess], others: Sequence[int] = ()
    ) -> None:
        """Sleep until `seconds` are over, one of the services or other pidfds ends, or a signal arrives."""
        pidfds = [*others] + [one.pidfd for one in services if one.process is not None]
        ready, _, _ = select.select([self.wake.fileno(), *pidfds], [], [], seconds)
        if self.wake.fileno() in ready:
            self.wake.recv(64)

    def __exit__(self, *_: object) -> None:
        if self.running:
            self._stop()
        signal.set_wakeup_fd(-1)
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self.wake.close()
        self._woken.close()

    def _stop(self) -> None:
        show("stopping: " + ", ".join(one.service.name for group in reversed(self.groups) for one in group))
        asked = self.stop_signals
        for group in reversed(self.groups):
            for one in group:
                one.ask_to_stop()
            began = time.monotonic()
            for one in group:
                while one.process is not None and one.process.poll() is None:
                    left = began + one.service.stop_seconds - time.monotonic()
                    if left <= 0 or self.stop_signals > max(asked, 1):
                        break
                    self._sleep(left, [one])
                one.kill()
        show("stopped; `make up` goes on from here")


def rotate(installation: Installation, name: str) -> None:
    """Copy a log that has grown large and empty it; only one older log is kept, so that none fills the disk.

    A program goes on to write at the end of what it has open, also after this.
    """
    log = installation.logs / f"{name}.log"
    if log.exists() and log.stat().st_size > LOG_BYTES:
        shutil.copyfile(log, log.with_suffix(".log.1"))
        log.with_suffix(".log.1").chmod(0o600)
        os.truncate(log, 0)
