"""Actions as numbers that never change: the place of their word in a list fixed for each game.

The list holds every word that the game knows with any number of seats and any options, in the order of the
match record's table, cards in the order of the record's suits and ranks. So a number means the same in every
match of a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from stichkampf.cards import FRENCH_SUITS, deck
from stichkampf.errors import ActionError, IllegalAction, UnknownGame

TASKS = (
    "no-tricks", "no-red", "no-yellow", "no-green", "no-blue",
    "exactly-1", "exactly-2", "exactly-3", "exactly-4", "last-trick", "most-tricks", "fewest-tricks",
)  # fmt: skip
DIGITS = [str(digit) for digit in range(10)]
ONE_TO_NINE = DIGITS[1:]
FRENCH = deck(FRENCH_SUITS, list("23456789TJQKA"))
BLOCKS = {
    "start": ["0", "1", "2", "3", "4"],
    "discard": ["none", "one", "two", "two-no-zero", "pass-two"],
    "trump": ["B", "Y", "R", "K", "none"],
    "super": ["B", "Y", "R", "K", "none"],
    "points": ["1", "2", "3", "4", "-2"],
}

CARDS: dict[str, list[str]] = {
    "sticheln": deck("RYGBOV", [str(value) for value in range(15)]),
    "stiche-raten": FRENCH,
    "sixes-and-sevens": FRENCH,
    "mue": deck("BYRKG", DIGITS),
    "njet": deck("BYRK", DIGITS),
    "meinz": deck("RYGB", ONE_TO_NINE),
    "was-sticht": deck("RYGB", ONE_TO_NINE),
}
"""The different cards of each game."""


def _with(verb: str, arguments: list[str]) -> list[str]:
    return [f"{verb} {argument}" for argument in arguments]


def _words(name: str) -> list[str]:
    cards = CARDS[name]
    plays = _with("play", cards)
    if name == "sticheln":
        return _with("pain", cards) + plays
    if name == "stiche-raten":
        return _with("trump", list(FRENCH_SUITS)) + _with("bid", [str(n) for n in range(22)]) + plays
    if name == "mue":
        trumps = _with("trump", [*"BYRKG", *DIGITS, "none"])
        return ["pass", *_with("lay", cards), "stop", *trumps, *_with("partner", DIGITS[:6]), *plays]
    if name == "njet":
        return list(_njet(cards)) + plays
    if name == "meinz":
        swaps = [f"{own} {other}" for own in cards for other in cards if own[0] == other[0] and own != other]
        return [*_with("away", cards), *plays, "call", "quiet", *_with("swap", swaps), "keep"]
    if name == "was-sticht":
        tasks = list(TASKS)
        return (
            _with("choose", tasks)
            + _with("take", cards)
            + _with("show", tasks)
            + plays
            + _with("drop", tasks)
        )
    return plays


def _njet(cards: list[str]) -> Iterator[str]:
    for row, fields in BLOCKS.items():
        yield from _with(f"block {row}", fields)
    yield from _with("team", DIGITS[:5])
    yield from _with("team", [f"{one} {other}" for one, other in combinations(DIGITS[:5], 2)])
    yield "team alone"
    yield from _with("monster", DIGITS[:5])
    yield from _with("discard", cards)
    yield from _with("give", cards)


class Vocabulary:
    """The numbered words of one game.

    :ivar cards: the different cards, in order.
    :ivar words: every action; its place in this list is its number.
    :ivar numbers: from word to number.
    """

    def __init__(self, cards: list[str], words: list[str]) -> None:
        self.cards = cards
        self.words = words
        self.numbers = {word: number for number, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.words)

    def word(self, action: Any, legal: list[str]) -> str:
        """The legal word that a number stands for.

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
            possible = ", ".join(f"{place} ({other})" for place, other in numbered)
            raise IllegalAction(f"{number} ({word}) is not legal now; possible: {possible or 'nothing'}")
        return word


VOCABULARIES: dict[str, Vocabulary] = {name: Vocabulary(cards, _words(name)) for name, cards in CARDS.items()}
"""By game. Whoever adds a game enters its words here."""


def vocabulary_of(name: str) -> Vocabulary:
    """
    :raises UnknownGame: naming the games whose words are numbered.
    """
    if name not in VOCABULARIES:
        raise UnknownGame(f"the actions of {name!r} have no numbers; those of {', '.join(VOCABULARIES)} have")
    return VOCABULARIES[name]
