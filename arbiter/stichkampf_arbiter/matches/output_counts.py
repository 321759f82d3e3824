"""Output of a bot, tied to its decisions: what it had printed when each of its questions was settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stichkampf.wire.v1 import arbiter_pb2 as pb

STDERR_CHARACTERS = 64 * 1024

PrintedBytes: TypeAlias = Callable[[], int]
"""Counts the bytes that a bot has printed until now."""


class OutputCounts:
    """The counts of one seat.

    :param printed_bytes: None where the bot's output is not read.
    :ivar lengths: by the number of a question, the bytes that the bot had printed when it was settled; under
        0 those from before the match.
    """

    def __init__(self, printed_bytes: PrintedBytes | None) -> None:
        self.lengths: dict[int, int] = {}
        self._printed_bytes = printed_bytes

    def count(self, number: int) -> None:
        """Count what the bot has printed, now that the question of this number is settled."""
        if self._printed_bytes is not None:
            self.lengths[number] = self._printed_bytes()


def add_output(report: pb.SeatReport, printed: bytes, begin: int, noted: Mapping[int, int]) -> None:
    """Add the end of what a bot printed in a match, and the parts of it that belong to decisions.

    :param begin: the number of bytes that it had printed before the match.
    :param noted: by the number of a decision, the bytes that it had printed then; under 0 those before any.
    """
    whole = printed[begin:].decode(errors="replace")
    report.stderr = whole[-STDERR_CHARACTERS:]
    cut = len(whole) - len(report.stderr)
    seen, characters = begin, 0
    for number, length in sorted(noted.items()):
        first, characters = characters, characters + len(printed[seen:length].decode(errors="replace"))
        seen = max(seen, length)
        if number and characters > max(first, cut):
            report.written.add(decision=number, begin=max(0, first - cut), end=characters - cut)
