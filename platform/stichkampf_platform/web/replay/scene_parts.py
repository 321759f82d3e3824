"""The parts of a scene, in the form in which the template draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from django.utils.safestring import SafeString

Text: TypeAlias = SafeString | str


@dataclass(frozen=True)
class SeatOccupant:
    """The bot, or player of the rules, at a seat. `url` is empty if it has no page."""

    name: str
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class HandCard:
    """A card in a hand, or the outline of one that has left it; `extra` are further CSS classes."""

    word: str
    extra: str


@dataclass(frozen=True)
class SeatView:
    """A seat with everything that the observer knows of it.

    :ivar number: the number of the seat, from 1.
    :ivar total: the score of the match before this deal, or after it once the deal is over; None for a player
        of the rules.
    :ivar said: facts about the seat: (label, value).
    :ivar suits: the known cards, suit by suit.
    :ivar backs: a range with one element for each unknown card.
    """

    number: int
    player: SeatOccupant
    total: int | None
    asked: bool
    dealer: bool
    said: list[tuple[str, Text]]
    suits: list[list[HandCard]]
    backs: range

    @property
    def cards_left(self) -> int:
        return sum(card.extra == "" for suit in self.suits for card in suit) + len(self.backs)


@dataclass(frozen=True)
class Slot:
    """The card of a seat in the middle of the table; `word` is empty if there is none."""

    seat: int
    word: str = ""
    order: int = 0
    wins: bool = False
    fresh: bool = False


@dataclass(frozen=True)
class Cell:
    """A card in the table of tricks with the decision that played it."""

    word: str
    step: int
    led: bool
    won: bool
    later: bool
    current: bool


@dataclass(frozen=True)
class TrickRow:
    number: int
    cells: list[Cell | None]
    current: bool


@dataclass(frozen=True)
class OtherMove:
    """A move that plays no card into a trick, such as a bid."""

    step: int
    seat: int
    text: Text
    current: bool
    phase: str
