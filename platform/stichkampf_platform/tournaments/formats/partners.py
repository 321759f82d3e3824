"""Games whose rules make two seats one side. There two copies of an entrant are that side."""

from __future__ import annotations

PARTNER_GAMES = {"sixes-and-sevens"}


def has_partners(game: str) -> bool:
    return game in PARTNER_GAMES
