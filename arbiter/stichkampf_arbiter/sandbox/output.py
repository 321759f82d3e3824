"""The output of a bot, standard output and standard error together, as its pipe brings it to the arbiter."""

from __future__ import annotations

import os

from stichkampf_arbiter.sandbox.limits import FLOOD_FACTOR, Limits

READ_BYTES = 64 * 1024
"""A full pipe."""
LAST_BYTES = 16 * 1024


class PrintedOutput:
    """The output so far: its beginning, and of what is beyond the limit the end.

    :param pipe: an open pipe, which is read without waiting and closed by `close`.
    :ivar kept: the beginning, up to the limit.
    """

    def __init__(self, pipe: int, limits: Limits) -> None:
        self.pipe = pipe
        self.kept = bytearray()
        self._most = limits.output_bytes
        self._printed = 0
        self._tail = b""

    def read(self) -> bool:
        """Take in what the bot has printed until now, at most a full pipe; tell whether more may come."""
        try:
            part = os.read(self.pipe, READ_BYTES)
        except BlockingIOError:
            return True
        kept = part[: max(0, self._most - self._printed)]
        self.kept += kept
        self._printed += len(part)
        if len(kept) < len(part):
            self._tail = (self._tail + part[len(kept) :])[-LAST_BYTES:]
        return bool(part)

    @property
    def is_flood(self) -> bool:
        """True if it is so much that the bot is to be ended."""
        return self._printed > self._most * FLOOD_FACTOR

    def close(self) -> None:
        """Take in the rest, once no process can print any more."""
        before = -1
        while self._printed != before:
            before = self._printed
            self.read()
        os.close(self.pipe)
        if self._tail:
            self.kept += b"\n[...]\n" + self._tail
