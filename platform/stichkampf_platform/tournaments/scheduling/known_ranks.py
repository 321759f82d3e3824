"""The places of a tournament, which a layer above works out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.models import Tournament

StandingsReader = Callable[[Tournament], Sequence[Any]]

_readers: list[StandingsReader] = []


def register_standings_reader(read: StandingsReader) -> None:
    """Have standings, which a layer above computes, read by this function."""
    _readers[:] = [read]


def standings_of(tournament: Tournament) -> list[Any]:
    """Return the rows of the standings."""
    return [row for read in _readers for row in read(tournament)]


def ranks_of(tournament: Tournament) -> dict[str, int | None]:
    """Return the places by the id of the entrant, as JSON has them; none of a tournament without an end."""
    if formats.is_endless(tournament.format):
        return {}
    return {str(row.entrant.pk): row.place for row in standings_of(tournament)}
