"""Games whose rules make two seats one side. There two copies of an entrant are that side."""

from __future__ import annotations

from typing import Final

_GAMES: Final = frozenset({"sixes-and-sevens"})


def has_partners(game: str) -> bool:
    """Whether a game, by its name in the match record, is one of fixed partners."""
    return game in _GAMES
