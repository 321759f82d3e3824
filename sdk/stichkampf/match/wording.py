"""Actions and values of a game in sentences of a language, from its declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import Kind
from stichkampf.engine.game import Game
from stichkampf.match.phrases import PHRASES, SUITS


class Wording:
    """The words of a game in a language.

    :param seat_name: tells a seat, by its number from 0.

    >>> from stichkampf.games import game_class
    >>> Wording(game_class("meinz"), "de", lambda seat: "Ana").action(0, "swap R2 R9")
    'Ana tauscht R2 gegen R9'
    """

    def __init__(self, game: type[Game], language: str, seat_name: Callable[[int], str]) -> None:
        self._game = game
        self._phrases = PHRASES[language]
        self._suits = SUITS[language]
        self._translated: Mapping[str, str] = game.german if language == "de" else {}
        self._seat = seat_name

    def declared(self, text: str) -> str:
        """Return a declared text in the language."""
        return self._translated.get(text, text)

    def label(self, labels: Mapping[str, str], word: str) -> str:
        return self.declared(labels.get(word, word))

    def value(self, kind: Kind, value: Json, labels: Mapping[str, str]) -> str:
        """Tell a seat, suit, card, number or word."""
        if kind is Kind.SEAT and str(value).isdecimal():
            return self._seat(int(value))
        if kind is Kind.SUIT and value in self._suits:
            return f"{self._suits[value]} ({value})"
        return self._phrases["none"] if value == "none" else self.label(labels, str(value))

    def action(self, seat: int, action: str) -> str:
        """Tell an action in a sentence, by the game's own verb."""
        first, *words = action.split()
        verb = self._game.verbs[first]
        told: list[str] = []
        for position, word in enumerate(words):
            kind = verb.kinds.get(words[0], verb.kind) if position else verb.kind
            if position and (verb.joint or (kind is Kind.SEAT and not verb.kinds)):
                told.append(self.declared(verb.joint) or self._phrases["and"])
            told.append(self._phrases["hidden"] if word == "?" else self.value(kind, word, verb.labels))
        says = self.declared(verb.says)
        arguments = " ".join(told)
        if "{}" in says:
            return f"{self._seat(seat)} {says.format(arguments)}"
        return " ".join(filter(None, [self._seat(seat), says, arguments]))
