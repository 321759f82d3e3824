"""Actions as numbers that never change: the index of their word in the list that the game declares.

The list holds every word that the game knows with any number of seats and any options, so a number means the
same in every match of a game.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from stichkampf.errors import ActionError, IllegalAction
from stichkampf.games import game_class


class Vocabulary:
    """The numbered words of one game.

    :ivar cards: the different cards, in order.
    :ivar words: every action; its index in this list is its number.
    :ivar numbers: from word to number.
    """

    def __init__(self, cards: list[str], words: list[str]) -> None:
        self.cards = cards
        self.words = words
        self.numbers = {word: number for number, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def word(self, action: Any, legal: list[str]) -> str:
        """Return the legal word that a number stands for.

        :raises ActionError: not the number of any action.
        :raises IllegalAction: an action that is not among the legal ones; the message names these.
        """
        try:
            number = action.__index__()
        except AttributeError:
            number = -1
        if isinstance(action, bool) or not 0 <= number < len(self.words):
            raise ActionError(
                f"an action is a whole number from 0 to {len(self.words) - 1}, not {action!r:.80}"
            )
        word: str = self.words[number]
        if word not in legal:
            numbered = sorted((self.numbers[other], other) for other in legal)
            possible = ", ".join(f"{index} ({other})" for index, other in numbered)
            raise IllegalAction(f"{number} ({word}) is not legal now; possible: {possible or 'nothing'}")
        return word


@cache
def vocabulary_of(name: str) -> Vocabulary:
    """Return the numbered words of a game by its name in the match record.

    :raises UnknownGame: naming the games there are.
    """
    game = game_class(name)
    return Vocabulary(list(game.cards), list(game.actions))
