"""Shared parts of the seven games: the table, the deck, options and the methods of one deal.

Cards are the texts of the record format and nothing else. A trick is a list of cards in the order
played; a hand is a list of cards in which a card stands as often as it is held.
"""

import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any


class Disagreement(Exception):
    """The first difference between a record and the rules.

    `deal` and `move` count from 0; each is None where the difference lies outside any deal or move.
    """

    def __init__(self, deal: int | None, move: int | None, text: str) -> None:
        super().__init__(f"deal {deal}, move {move}: {text}")
        self.deal = deal
        self.move = move
        self.text = text


def left(seat: int, seats: int) -> int:
    return (seat + 1) % seats


def clockwise(first: int, seats: int) -> list[int]:
    """List every seat once, `first` first."""
    return [(first + step) % seats for step in range(seats)]


def ranks(totals: list[int]) -> list[int]:
    """Rank totals: 1 is best; equal totals share a rank and the next one is skipped: 1 2 2 4."""
    return [1 + sum(other > total for other in totals) for total in totals]


def suit(card: str) -> str:
    return card[0]


def number(card: str) -> int:
    return int(card[1:])


def require_cards(found: list[str], expected: list[str]) -> None:
    """Raise ValueError unless both hold the same cards, copies counted."""
    missing = Counter(expected) - Counter(found)
    surplus = Counter(found) - Counter(expected)
    if missing or surplus:
        raise ValueError(f"missing cards {sorted(missing.elements())}, surplus {sorted(surplus.elements())}")


def require_hands(hands: list[list[str]], seats: int, size: int) -> None:
    if len(hands) != seats:
        raise ValueError(f"{len(hands)} hands for {seats} seats")
    for seat, hand in enumerate(hands):
        if len(hand) != size:
            raise ValueError(f"seat {seat} was dealt {len(hand)} cards instead of {size}")


def shuffled(cards: list[str], rng: Random) -> list[str]:
    cards = list(cards)
    rng.shuffle(cards)
    return cards


def portions(cards: list[str], count: int, size: int) -> list[list[str]]:
    return [cards[index * size : (index + 1) * size] for index in range(count)]


# --- options

Test = Callable[[Any], bool]


def one_of(*values: object) -> Test:
    """Accept one of the values; JSON types matter: true is not 1."""
    return lambda given: any(type(given) is type(value) and given == value for value in values)


def is_whole(given: Any) -> bool:
    return type(given) is int and given >= 1


def is_length(*kinds: str) -> Test:
    """ "deals" allows "deals:1" and up, "points" alike, "full" itself."""
    counted = "|".join(kind for kind in kinds if kind != "full")
    pattern = re.compile(f"({counted}):[1-9][0-9]*" + ("|full" if "full" in kinds else ""))
    return lambda given: type(given) is str and pattern.fullmatch(given) is not None


def length_of(options: dict[str, Any]) -> tuple[str, int]:
    """Split a length: ("deals", 4) of "deals:4"."""
    kind, count = options["length"].split(":")
    return kind, int(count)


def require_options(options: dict[str, Any], known: dict[str, Test], voluntary: tuple[str, ...] = ()) -> None:
    for name in options:
        if name not in known:
            raise ValueError(f"no such option: {name}")
    for name, test in known.items():
        if name not in options:
            if name in voluntary:
                continue
            raise ValueError(f"option {name} is not spelled out")
        if not test(options[name]):
            raise ValueError(f"option {name} cannot be {options[name]!r}")


# --- one deal


class Round:
    """One deal of a game, played word by word. The games' `Round` classes fill this in."""

    over = False
    scores: list[int]
    carry: Any = None
    """Knowledge of this deal for the next one."""

    def awaited(self) -> list[int]:
        """List the seats whose choice is awaited now, in the order of the record; [] when over."""
        raise NotImplementedError

    def is_legal(self, seat: int, word: str) -> bool:
        raise NotImplementedError

    def play(self, seat: int, word: str) -> None:
        """Apply a legal word of an awaited seat."""
        raise NotImplementedError

    def at_once(self) -> bool:
        """True where the awaited seats choose simultaneously."""
        return False

    def monster_turn(self) -> bool:
        return False

    def found(self) -> dict[str, Any]:
        """Return the fields of the record's deal that follow from the rules."""
        return {}


class Simultaneous:
    """Choices made at once: one text a seat, or several one after the other."""

    def __init__(self, order: list[int], each: int = 1) -> None:
        self.order = order
        self.each = each
        self.made: dict[int, list[str]] = {seat: [] for seat in order}

    def awaited(self) -> list[int]:
        return [seat for seat in self.order if len(self.made[seat]) < self.each]

    def complete(self) -> bool:
        return self.awaited() == []
