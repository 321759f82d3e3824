"""The launcher's event loop: it starts, watches and ends sandboxes as the arbiter requests."""

from __future__ import annotations

import json
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stichkampf_arbiter.sandbox.contract import MESSAGE_BYTES, SandboxError
from stichkampf_arbiter.sandbox.launcher.sandbox import Sandbox, SandboxFactory
from stichkampf_arbiter.sandbox.launcher.warm_pool import WarmPool
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.uids import UidPool

LOOK_SECONDS = 0.5
"""Between two looks whether a bot only evicts pages and reads them again."""


class LauncherLoop:
    """Starts, watches and ends sandboxes as the arbiter requests.

    :param control: the socket to the arbiter.
    :param owner_uid: the arbiter's uid.
    :param warm: number of warm sandboxes.
    """

    def __init__(
        self, control: socket.socket, factory: SandboxFactory, uids: UidPool, *, owner_uid: int, warm: int
    ) -> None:
        self._control, self._factory, self._uids, self._owner_uid = control, factory, uids, owner_uid
        self._selector = selectors.DefaultSelector()
        self._pool = WarmPool(self._selector, factory, uids, warm if factory.runtime.sees_later_mounts else 0)
        self._sandboxes: dict[int, Sandbox] = {}
        self._replies: deque[tuple[bytes, list[int]]] = deque()
        self._next_look = 0.0
        self._trouble = self._told = ""
        control.setblocking(False)

    def run(self) -> None:
        """Run until the arbiter closes its end; then no sandbox is left."""
        self._selector.register(self._control, selectors.EVENT_READ, self._handle_request)
        vital = self._factory.runtime.vital
        if vital is not None:
            self._selector.register(vital, selectors.EVENT_READ, self._close)
        try:
            while self._control.fileno() >= 0:
                events = self._selector.select(self._pause())
                for key, _ in events:
                    key.data()
                self._end_overdue()
                self._tell_trouble()
                self._send_replies()
                if not events and self._pool.pause == 0.0:
                    self._pool.add()
        finally:
            self._end_all()

    def _pause(self) -> float | None:
        pauses = [] if (pause := self._pool.pause) is None else [pause]
        if self._sandboxes:
            deadlines = (sandbox.deadline for sandbox in self._sandboxes.values())
            pauses.append(max(0.0, min(self._next_look, *deadlines) - time.monotonic()))
        return min(pauses, default=None)

    def _tell_trouble(self) -> None:
        """Tell the arbiter when sandboxes cannot be made, and when they can again."""
        if self._pool.is_full:  # so one could be made since
            self._trouble = ""
        trouble = self._trouble or self._pool.trouble
        if trouble != self._told:
            self._told = trouble
            self._queue_reply({"event": "trouble", "text": trouble})

    def _end_overdue(self) -> None:
        now = time.monotonic()
        look = now >= self._next_look
        if look:
            self._next_look = now + LOOK_SECONDS
        for sandbox in self._sandboxes.values():
            if now >= sandbox.deadline:
                sandbox.kill(limit="wall")
                sandbox.deadline = float("inf")
            elif look and sandbox.reads_in_circles():
                sandbox.kill(limit="memory")

    def _handle_request(self) -> None:
        try:
            text, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, 1)
        except ConnectionResetError:
            text, fds = b"", []
        if not text:
            self._close()
            return
        request = json.loads(text)
        try:
            if request["do"] == "launch":
                self._launch(request, fds)
            elif request["do"] == "kill" and request["sandbox"] in self._sandboxes:
                self._sandboxes[request["sandbox"]].kill(request["limit"])
        finally:
            for fd in fds:
                os.close(fd)

    def _close(self) -> None:
        """Stop: the arbiter has ended, or a process without which no sandbox goes on."""
        if self._control.fileno() >= 0:
            self._selector.unregister(self._control)
            self._control.close()

    def _launch(self, request: dict[str, Any], fds: list[int]) -> None:
        try:
            sandbox = self._start(request, *fds)
        except (SandboxError, OSError, ValueError) as error:
            self._queue_reply({"answer": request["ask"], "error": str(error)})
            return
        # All as open descriptors: the number of a process means nothing outside the launcher's namespace,
        # the group of a bot that dies at once is removed before the arbiter could open its files, and the
        # arbiter may not open the file that freezes.
        freezer = [sandbox.freezer.name] if sandbox.freezer else []
        fds = [os.dup(fd) for fd in (sandbox.pidfd, sandbox.output, *sandbox.cpu_files.values())]
        fds += [sandbox.freezer.duplicate()] if sandbox.freezer else []
        reply = {"answer": request["ask"], "sandbox": sandbox.number, "uid": sandbox.uid}
        reply |= {"before": sandbox.cpu_before, "cpu": list(sandbox.cpu_files), "freezer": freezer}
        self._queue_reply(reply, fds)

    def _start(self, request: dict[str, Any], archive_fd: int) -> Sandbox:
        command, limits, parts = request["command"], Limits(**request["limits"]), request["parts"]
        warm = self._pool.take(command, limits, parts)
        sandbox = warm or self._build(command, limits, parts)
        try:
            if warm is not None and parts:
                warm.show_parts(parts)
            path = Path(request["socket"])
            sandbox.hand_over(archive_fd, request["digest"], path, owner_uid=self._owner_uid)
        except (SandboxError, OSError):
            sandbox.discard()
            self._uids.give_back(sandbox.uid)
            raise
        self._watch(sandbox)
        if request["frozen"]:
            sandbox.freeze()
        if warm is None:
            sandbox.release()
        else:
            sandbox.write_stdin(self._pool.client_arguments(command))
        return sandbox

    def _build(self, command: list[str], limits: Limits, parts: list[str]) -> Sandbox:
        try:
            uid = self._uids.take()
            try:
                sandbox = Sandbox(self._factory, uid=uid, limits=limits, command=command, parts=parts)
            except (SandboxError, OSError):
                self._uids.give_back(uid)
                raise
        except (SandboxError, OSError) as error:
            self._trouble = str(error)
            raise
        self._trouble = ""
        return sandbox

    def _watch(self, sandbox: Sandbox) -> None:
        self._sandboxes[sandbox.number] = sandbox
        self._selector.register(sandbox.pidfd, selectors.EVENT_READ, lambda: self._finish(sandbox))

    def _finish(self, sandbox: Sandbox) -> None:
        del self._sandboxes[sandbox.number]
        self._selector.unregister(sandbox.pidfd)
        report = sandbox.finish()
        self._uids.give_back(sandbox.uid)
        self._queue_reply({"event": "ended", "sandbox": sandbox.number, "report": report.as_json()})

    def _end_all(self) -> None:
        for sandbox in self._sandboxes.values():
            sandbox.kill()
        for sandbox in self._sandboxes.values():
            sandbox.discard()
        self._pool.close()
        if self._factory.groups is not None:
            self._factory.groups.close()

    def _queue_reply(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        self._replies.append((json.dumps(message, ensure_ascii=False).encode(), list(fds)))

    def _send_replies(self) -> None:
        if self._control.fileno() < 0:
            return
        events = selectors.EVENT_READ
        try:
            while self._replies:
                text, fds = self._replies[0]
                socket.send_fds(self._control, [text], fds)
                self._replies.popleft()
                for fd in fds:
                    os.close(fd)
        except BlockingIOError:
            events |= selectors.EVENT_WRITE
        except (BrokenPipeError, ConnectionResetError):
            self._replies.clear()
        if self._selector.get_key(self._control).events != events:
            is_reading = events == selectors.EVENT_READ
            self._selector.modify(
                self._control, events, self._handle_request if is_reading else self._on_writable
            )

    def _on_writable(self) -> None:
        """Take a request that came while replies wait: an arbiter that reads slowly may still send some."""
        try:
            self._control.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return
        self._handle_request()
