"""Games, formats and options in words for pages, in place of their names in the database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import get_language
from stichkampf.engine.deal import Json
from stichkampf.games import GAMES
from stichkampf.rulebook.option_words import option_title, option_value

from stichkampf_platform.tournaments.formats import EXPERIMENT_FORMATS, FORMATS

if TYPE_CHECKING:  # a replay can be drawn without a database
    from stichkampf_platform.tournaments.models import Tournament


def game_title(name: str) -> str:
    """Return the title of a game, or its name if it is no longer registered."""
    return GAMES[name].title if name in GAMES else name


def format_title(name: str) -> str:
    """Return the title of a format, or its name if there is none such."""
    known = FORMATS | EXPERIMENT_FORMATS
    return known[name].title if name in known else name


def options_in_words(game: str, options: Mapping[str, Json]) -> list[tuple[str, str]]:
    """Return the names and values of a game's options in the words of the present language.

    >>> options_in_words("sticheln", {"zero_trick": "nobody", "length": "deals:2"})
    [('zero trick', 'nobody'), ('length', '2 deals')]
    """
    language = present_language()
    return [
        (option_title(game, name, language), option_value(game, name, value, language))
        for name, value in options.items()
    ]


def present_language() -> str:
    """Return "de" or "en", the languages in which games have words."""
    return "de" if get_language() == "de" else "en"


def length_in_words(tournament: Tournament) -> str:
    """Return format and length, such as "Swiss, 3 rounds with 2 blocks for each group"."""
    if tournament.format not in FORMATS:
        return tournament.format
    format = FORMATS[tournament.format]
    length = format.describe_length(
        blocks=tournament.blocks_planned, rounds=tournament.rounds, stopping=tournament.stopping
    )
    return f"{format.title}, {length}"
