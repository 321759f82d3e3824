"""Actions and values of a game in sentences of a language, from its declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import Fact, Kind
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

    def fact(self, fact: Fact, value: Json) -> str:
        """Tell the value of a public fact or a secret.

        >>> from stichkampf.games import game_class
        >>> game = game_class("stiche-raten")
        >>> Wording(game, "en", "seat {}".format).fact(game.facts["bids"], [2, None, 0])
        'seat 0: 2; seat 1: none; seat 2: 0'
        """
        if fact.each and isinstance(value, list):
            told = (self._entry(fact, fact.kind, entry) for entry in value)
            return "; ".join(f"{self._seat(seat)}: {text}" for seat, text in enumerate(told))
        if isinstance(value, dict):
            rows = [
                f"{self.label(fact.labels, key)}: {self._entry(fact, fact.kinds.get(key, fact.kind), entry)}"
                for key, entry in value.items()
            ]
            return "; ".join(rows)
        return self._entry(fact, fact.kind, value)

    def _entry(self, fact: Fact, kind: Kind, value: Json) -> str:
        if isinstance(value, list):
            between = " | " if value and isinstance(value[0], list) else " " if kind is Kind.CARD else ", "
            return between.join(self._entry(fact, kind, one) for one in value) or self._phrases["none"]
        return self._phrases["none"] if value is None else self.value(kind, value, fact.labels)

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
