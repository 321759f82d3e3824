"""Output of a bot, tied to its decisions: what it had printed when each of its questions was settled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from stichkampf.wire.v1 import arbiter_pb2 as pb

STDERR_CHARACTERS = 64 * 1024
COUNT_SECONDS = 1.0
"""The longest wait of a question for the count of the output before it."""

WhenPrinted: TypeAlias = Callable[[Callable[[int], object]], None]
"""Calls back with the number of bytes that a bot has printed, once all until now are there."""


class OutputCounts:
    """The counts of one seat.

    :param when_printed: None where the bot's output is not read.
    :ivar lengths: by the number of a question, the bytes that the bot had printed when it was settled; under
        0 those from before the match.
    """

    def __init__(self, when_printed: WhenPrinted | None) -> None:
        self.lengths: dict[int, int] = {}
        self._when_printed = when_printed
        self._open = 0
        self._waiting: Callable[[], None] | None = None

    def count(self, number: int) -> None:
        """Count what the bot has printed, now that the question of this number is settled."""
        if self._when_printed is not None:
            self._open += 1
            self._when_printed(partial(self._note, number))

    @property
    def must_wait(self) -> bool:
        """True while the output of the next question could be mixed with that of the last one.

        A bot that has printed nothing yet is waited for only until its first decision is counted.
        """
        return self._open > 0 and (len(self.lengths) < 2 or any(self.lengths.values()))

    def when_counted(self, ask: Callable[[], None]) -> None:
        """Ask the next question once all output before it is counted, or after `COUNT_SECONDS`."""
        self._waiting = ask
        asyncio.get_running_loop().call_later(COUNT_SECONDS, self._go_on, ask)

    def _note(self, number: int, length: int) -> None:
        self.lengths[number] = length
        self._open -= 1
        if self._waiting is not None and not self._open:
            self._go_on(self._waiting)

    def _go_on(self, ask: Callable[[], None]) -> None:
        if self._waiting is ask:
            self._waiting = None
            ask()


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
