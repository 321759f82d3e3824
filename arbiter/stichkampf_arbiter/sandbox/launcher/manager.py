"""What the launcher does all day: it starts, watches and ends sandboxes as the arbiter says."""

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

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation.uids import UidPool
from stichkampf_arbiter.sandbox.launcher.sandbox import Box, Workshop
from stichkampf_arbiter.sandbox.launcher.warm_pool import Pool
from stichkampf_arbiter.sandbox.limits import Limits

MESSAGE_BYTES = 256 * 1024
PAUSE_SECONDS = 3600.0
PIPE_PARTS = 4
"""So many reads empty a pipe that was full; what a bot prints meanwhile is not waited for."""


class Warden:
    """Starts, watches and ends sandboxes as the arbiter says."""

    def __init__(
        self, control: socket.socket, workshop: Workshop, uids: UidPool, *, owner_uid: int, warm: int
    ) -> None:
        self._control, self._workshop, self._uids, self._owner_uid = control, workshop, uids, owner_uid
        self._selector = selectors.DefaultSelector()
        self._pool = Pool(self._selector, workshop, uids, warm if workshop.runtime.keeps_warm else 0)
        self._boxes: dict[int, Box] = {}
        self._waiting: deque[tuple[bytes, list[int]]] = deque()
        control.setblocking(False)

    def run(self) -> None:
        """Until the arbiter closes its end; then nothing is left."""
        self._selector.register(self._control, selectors.EVENT_READ, self._obey)
        try:
            while self._control.fileno() >= 0:
                events = self._selector.select(self._pause())
                for key, _ in events:
                    key.data()
                self._end_overdue()
                self._flush()
                if not events and self._pool.is_short:
                    self._pool.add()
        finally:
            self._end_all()

    def _pause(self) -> float | None:
        if self._pool.is_short:
            return 0.0
        if not self._boxes:
            return None
        next_deadline = min(box.deadline for box in self._boxes.values())
        return min(max(0.0, next_deadline - time.monotonic()), PAUSE_SECONDS)

    def _end_overdue(self) -> None:
        for box in self._boxes.values():
            if time.monotonic() >= box.deadline:
                box.kill(limit="wall")
                box.deadline = float("inf")

    def _obey(self) -> None:
        try:
            text, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, 1)
        except ConnectionResetError:
            text, fds = b"", []
        if not text:
            self._selector.unregister(self._control)
            self._control.close()
            return
        order = json.loads(text)
        try:
            if order["do"] == "launch":
                self._launch(order, fds)
            elif order["do"] == "kill" and order["box"] in self._boxes:
                self._boxes[order["box"]].kill()
            elif order["do"] == "read":
                self._read_out(order["box"])
        finally:
            for fd in fds:
                os.close(fd)

    def _launch(self, order: dict[str, Any], fds: list[int]) -> None:
        try:
            box = self._start(order, *fds)
        except (SandboxError, OSError, ValueError) as error:
            self._say({"answer": order["ask"], "error": str(error)})
            return
        # All as open descriptors: the number of a process means nothing outside the launcher's namespace,
        # a bot that dies at once takes its group away before the arbiter could open files of it, and that
        # which freezes it the arbiter may only write to.
        freezer = [box.freezer.name] if box.freezer else []
        fds = [os.dup(fd) for fd in (box.pidfd, *box.cpu_files.values())]
        fds += [box.freezer.duplicate()] if box.freezer else []
        answer = {"answer": order["ask"], "box": box.number, "uid": box.uid, "before": box.cpu_before}
        self._say({**answer, "cpu": list(box.cpu_files), "freezer": freezer}, fds)

    def _start(self, order: dict[str, Any], archive_fd: int) -> Box:
        command, limits, parts = order["command"], Limits(**order["limits"]), order["parts"]
        warm = self._pool.take(command, limits, parts)
        box = warm or self._cold(command, limits, parts)
        try:
            path = Path(order["socket"])
            box.hand_over(archive_fd, order["digest"], path, owner_uid=self._owner_uid)
        except (SandboxError, OSError):
            box.discard()
            self._uids.give_back(box.uid)
            raise
        self._watch(box)
        if order["frozen"]:
            box.freeze()
        if warm is None:
            box.release()
        else:
            box.tell(self._pool.line_for(command))
        return box

    def _cold(self, command: list[str], limits: Limits, parts: list[str]) -> Box:
        uid = self._uids.take()
        try:
            return Box(self._workshop, uid=uid, limits=limits, command=command, parts=parts)
        except (SandboxError, OSError):
            self._uids.give_back(uid)
            raise

    def _watch(self, box: Box) -> None:
        self._boxes[box.number] = box
        self._selector.register(box.output, selectors.EVENT_READ, lambda: self._read(box))
        self._selector.register(box.pidfd, selectors.EVENT_READ, lambda: self._finish(box))

    def _read(self, box: Box) -> None:
        if box.number not in self._boxes:
            return
        part = box.read_output()
        if part is None:
            self._selector.unregister(box.output)
        elif part:
            self._say({"tell": "printed", "box": box.number, "text": part.decode("latin-1")})

    def _read_out(self, number: int) -> None:
        """Tell what a bot has printed by now, then that this is all."""
        for _ in range(PIPE_PARTS):
            box = self._boxes.get(number)
            if box is not None and box.output in self._selector.get_map():
                self._read(box)
        self._say({"tell": "read", "box": number})

    def _finish(self, box: Box) -> None:
        del self._boxes[box.number]
        if box.output in self._selector.get_map():
            self._selector.unregister(box.output)
        self._selector.unregister(box.pidfd)
        rest, report = box.finish()
        self._uids.give_back(box.uid)
        for start in range(0, len(rest), 16 * 1024):
            text = rest[start : start + 16 * 1024].decode("latin-1")
            self._say({"tell": "printed", "box": box.number, "text": text})
        self._say({"tell": "ended", "box": box.number, "report": report.as_json()})

    def _end_all(self) -> None:
        for box in self._boxes.values():
            box.kill()
        for box in self._boxes.values():
            box.discard()
        self._pool.close()
        if self._workshop.groups is not None:
            self._workshop.groups.close()

    def _say(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        self._waiting.append((json.dumps(message, ensure_ascii=False).encode(), list(fds)))

    def _flush(self) -> None:
        if self._control.fileno() < 0:
            return
        events = selectors.EVENT_READ
        try:
            while self._waiting:
                text, fds = self._waiting[0]
                socket.send_fds(self._control, [text], fds)
                self._waiting.popleft()
                for fd in fds:
                    os.close(fd)
        except BlockingIOError:
            events |= selectors.EVENT_WRITE
        except (BrokenPipeError, ConnectionResetError):
            self._waiting.clear()
        self._selector.modify(
            self._control, events, self._obey if events == selectors.EVENT_READ else self._turn
        )

    def _turn(self) -> None:
        """Called while answers wait: the arbiter may read slowly, and still give orders."""
        try:
            self._control.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return
        self._obey()
