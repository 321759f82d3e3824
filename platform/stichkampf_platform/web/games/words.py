"""The words that a game declares, in the language that is read."""

from __future__ import annotations

from django.utils.translation import get_language
from stichkampf.engine.game import Game


def in_words(game: type[Game], text: str) -> str:
    """Return a declared text of a game: as it is, or the German that the game gives for it."""
    return game.german.get(text, text) if get_language() == "de" else text
