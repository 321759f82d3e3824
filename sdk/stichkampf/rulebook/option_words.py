"""The options of the games in words, for people who choose or read them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from stichkampf.engine.deal import Json
from stichkampf.games import GAMES

_LENGTH: Final = re.compile(r"(deals|points):(\d+)")
_NUMBERS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "en": {"deals": ("deal", "deals"), "points": ("point", "points")},
    "de": {"deals": ("Durchgang", "Durchgänge"), "points": ("Punkt", "Punkte")},
}
_TIMES: Final[Mapping[str, str]] = {"en": " times", "de": "-mal"}
_NO_YES: Final[Mapping[str, tuple[str, str]]] = {"en": ("no", "yes"), "de": ("nein", "ja")}


def option_title(game: str, option: str, language: str = "en") -> str:
    """Return the name of an option in words.

    >>> option_title("sticheln", "zero_trick"), option_title("sticheln", "zero_trick", "de")
    ('zero trick', 'Stich aus Nullen')

    :param game: by name; where it is not registered, or has no words for the option, its name stands.
    :param language: "en" or "de".
    """
    words = option.replace("_", " ")
    return _german(game).get(words, words) if language == "de" else words


def option_meaning(game: str, meaning: str, language: str = "en") -> str:
    """Return the meaning that a game declares for an option, in a language.

    >>> option_meaning("mue", "when a match ends", "de")
    'wann eine Partie endet'
    """
    return _german(game).get(meaning, meaning) if language == "de" else meaning


def option_value(game: str, option: str, value: Json, language: str = "en") -> str:
    """Return the value of an option in words.

    >>> option_value("mue", "length", "deals:4"), option_value("mue", "length", "points:300", "de")
    ('4 deals', '300 Punkte')
    >>> option_value("stiche-raten", "hook", True), option_value("mue", "bonus_cap", "none", "de")
    ('yes', 'ohne Grenze')
    >>> option_value("was-sticht", "task_deck", ["no-red", "no-red", "last-trick"], "de")
    '2-mal kein Rot, letzter Stich'

    :param language: "en" or "de".
    """
    if isinstance(value, bool):
        return _NO_YES[language][value]
    if isinstance(value, list):
        counts = Counter(_entry(game, option, each, language) for each in value)
        several = _TIMES[language]
        return ", ".join(f"{count}{several} {each}" if count > 1 else each for each, count in counts.items())
    text = str(value)
    if option == "length" and (length := _LENGTH.fullmatch(text)):
        one, several = _NUMBERS[language][length[1]]
        return f"{length[2]} {one if length[2] == '1' else several}"
    words = f"{option.replace('_', ' ')}: {text}"
    return _german(game).get(words, text) if language == "de" else text


def _entry(game: str, option: str, value: Json, language: str) -> str:
    told = option_value(game, option, value, language)
    return _german(game).get(told, told) if language == "de" else told


def _german(game: str) -> Mapping[str, str]:
    return GAMES[game].german if game in GAMES else {}
