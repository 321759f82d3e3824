"""Strength of versions, for draws that seat equals together.

Ratings are computed in a layer above this one, which registers here how to read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stichkampf_platform.ladders.models import Ladder


class VersionStrength(NamedTuple):
    """The newest rating of a version on a ladder.

    :ivar settled: it has blocks enough for a rank.
    :ivar ranked: it has a rank.
    """

    elo: float = 1500.0
    settled: bool = False
    ranked: bool = False


StrengthReader = Callable[[Ladder], dict[int, VersionStrength]]

_readers: list[StrengthReader] = []


def register_strength_reader(read: StrengthReader) -> None:
    """Have the newest ratings of a ladder read by this function."""
    _readers[:] = [read]


def strength_by_version(ladder: Ladder | None) -> dict[int, VersionStrength]:
    """Return the newest ratings of a ladder by the id of the version; empty before the first."""
    (read,) = _readers
    return read(ladder) if ladder else {}
