"""Colours and progress: on a terminal only, so that files, pipes and logs hold plain text."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Final, TextIO

from stichkampf.cli.streams import OWN

_BAR: Final = 30
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_REDRAW_SECONDS: Final = 0.1
_NEW_LINE: Final = f"{OWN}[G{OWN}[K"


def has_colours(stream: TextIO) -> bool:
    """Tell whether colours may be written: to a terminal, unless NO_COLOR is set."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def coloured(text: str, style: str, stream: TextIO) -> str:
    """Return a text in a style where the stream shows colours, else as it is.

    :param style: bold, dim, red, green or yellow.
    """
    return f"{OWN}[{_CODES[style]}m{text}{OWN}[0m" if has_colours(stream) else text


class ProgressBar:
    """A bar on the terminal; nothing where standard error is no terminal.

    :param noun: names the things that are counted, such as matches.
    """

    def __init__(self, total: int, noun: str) -> None:
        self._total = total
        self._noun = noun
        self._done = 0
        self._shown = sys.stderr.isatty()
        self._begun = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> ProgressBar:
        self._draw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print(_NEW_LINE, end="", file=sys.stderr, flush=True)

    def step(self) -> None:
        """Count one more."""
        self._done += 1
        self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        if not self._shown or (0 < self._done < self._total and now - self._drawn < _REDRAW_SECONDS):
            return
        self._drawn = now
        full = _BAR * self._done // self._total
        bar = "#" * full + "." * (_BAR - full)
        left = (now - self._begun) / self._done * (self._total - self._done) if self._done else 0.0
        rest = f", {left:.0f} s left" if left >= 1 else ""
        text = f"{_NEW_LINE}[{bar}] {self._done}/{self._total} {self._noun}{rest}"
        print(text, end="", file=sys.stderr, flush=True)
