"""The standard streams while a command runs: whatever machine, whatever text of strangers.

Signs that the encoding of an output lacks are written as `\\uXXXX`, which JSON reads too. Characters that a
terminal obeys, or that turn the direction of writing, never get through; the command's own colours do.
"""

from __future__ import annotations

import codecs
import io
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

from stichkampf.plain_text import escaped, without_controls

OWN: Final = f"\0{secrets.token_hex(8)}"
"""Stands for the escape sign in what the command itself tells a terminal: no text of a stranger holds it."""
ESCAPE: Final = "\033"
ERRORS: Final = "stichkampf-escaped"


def _write_escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return escaped(error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _write_escaped)


class GuardedStream:
    """An output of a command, of which everything but `write` is that of the stream beneath.

    :param may_fail: what cannot be written is left out, as there is nowhere to say so.
    """

    def __init__(self, stream: TextIO, *, may_fail: bool = False) -> None:
        self.raw = stream
        self._may_fail = may_fail

    def write(self, text: str) -> int:
        shown = ESCAPE.join(map(without_controls, text.split(OWN)))
        self._try(lambda: self.raw.write(shown))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._try(self.raw.flush)

    def _try(self, act: Any) -> None:
        try:
            act()
        except OSError:
            if not self._may_fail:
                raise
            discard(self.raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def discard(stream: TextIO) -> None:
    """Send buffered output to the null device; else Python would report a failed write when it exits."""
    # an output of a program that calls `main` may be no file
    with suppress(io.UnsupportedOperation), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def guarded_streams() -> Iterator[bool]:
    """Guard standard output and error for the time of a block; yields false where there is no output.

    A stream that the shell has closed is the null device, so that no file takes its place.
    """
    streams = sys.stdin, sys.stdout, sys.stderr
    has_output = sys.stdout is not None
    if None in streams:
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(descriptor, True)
        os.close(descriptor)
    sys.stdin, out, err = (_open(*stream) for stream in zip(streams, ("r", "w", "w"), strict=True))
    for stream, errors in ((sys.stdin, "replace"), (out, ERRORS), (err, ERRORS)):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    sys.stdout, sys.stderr = GuardedStream(out), GuardedStream(err, may_fail=True)
    try:
        yield has_output
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def _open(stream: TextIO | None, mode: str) -> Any:
    """Return a stream, or the null device where there is none."""
    return stream or open(os.devnull, mode, encoding="utf-8")


@contextmanager
def raw_output(wanted: bool = True) -> Iterator[None]:
    """Let a debugger have the standard output itself for the time of a block, where this is wanted."""
    guarded = sys.stdout
    if wanted and isinstance(guarded, GuardedStream):
        sys.stdout = guarded.raw
    try:
        yield
    finally:
        sys.stdout = guarded
