"""Formats of tournaments: one file each, and its line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from stichkampf_platform.errors import Refused
from stichkampf_platform.tournaments.formats.round_robin import RoundRobin

Seating = list[int]
"""By seat, the number of the entrant that sits there."""


class Format(Protocol):
    """Who plays whom. Pure: from entrants, known by number and author, to seatings, the same every time.

    Two entrants of one author never share a table; the author `None` is the house, whose bots may.
    """

    name: str
    title: str

    def check(self, *, authors: Mapping[int, str | None], game: str, seats: int, blocks: int) -> None:
        """:raises ScheduleError: such a tournament is not possible; the message says what would be."""

    def schedule(
        self, *, authors: Mapping[int, str | None], game: str, seats: int, blocks: int
    ) -> Iterator[list[Seating]]:
        """Block by block, the seatings of its tables; table r is played in lane r."""


FORMATS: dict[str, Format] = {format.name: format for format in (RoundRobin(),)}


def format_named(name: str) -> Format:
    """:raises Refused: naming the formats there are."""
    if name not in FORMATS:
        raise Refused(f"no format is called {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]
