"""Titles of games and formats for pages of the administration, in place of their names in the database."""

from __future__ import annotations

from stichkampf.games import GAMES

from stichkampf_platform.tournaments.formats import EXPERIMENT_FORMATS, FORMATS
from stichkampf_platform.tournaments.models import Tournament


def game_title(name: str) -> str:
    """Return the title of a game, or its name if it is no longer registered."""
    return GAMES[name].title if name in GAMES else name


def format_title(name: str) -> str:
    """Return the title of a format, or its name if there is none such."""
    known = FORMATS | EXPERIMENT_FORMATS
    return known[name].title if name in known else name


def length_in_words(tournament: Tournament) -> str:
    """Return format and length, such as "Swiss, 3 rounds with 2 blocks for each group"."""
    if tournament.format not in FORMATS:
        return tournament.format
    format = FORMATS[tournament.format]
    length = format.describe_length(
        blocks=tournament.blocks_planned, rounds=tournament.rounds, stopping=tournament.stopping
    )
    return f"{format.title}, {length}"
