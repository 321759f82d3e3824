"""Strength of versions, for draws that seat equals together.

Ratings are computed in a layer above this one, which registers here how to read them.
"""

from __future__ import annotations

from collections.abc import Callable

from stichkampf_platform.ladders.models import Ladder

EloReader = Callable[[Ladder], dict[int, float]]

_readers: list[EloReader] = []


def register_elo_reader(read: EloReader) -> None:
    """Have the newest Elo ratings of a ladder read by this function."""
    _readers[:] = [read]


def elo_by_version(ladder: Ladder | None) -> dict[int, float]:
    """Return the newest Elo ratings of a ladder by the id of the version; empty before the first."""
    (read,) = _readers
    return read(ladder) if ladder else {}
