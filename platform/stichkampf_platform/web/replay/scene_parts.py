"""The pieces that a scene is made of, as the template draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from django.utils.safestring import SafeString

Text: TypeAlias = SafeString | str


@dataclass(frozen=True)
class Player:
    """Who sits at a seat. `url` is empty where there is no page."""

    name: str
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class Place:
    """A card of a hand, or the dashed ghost of one that was there; `extra` are its further CSS classes."""

    word: str
    extra: str


@dataclass(frozen=True)
class SeatView:
    """A seat with all that the observer knows of it.

    :ivar number: from 1.
    :ivar total: the score of the match before this deal, or after it once it is over; None for the monster.
    :ivar said: what is known of the seat beside its cards: (name, value).
    :ivar suits: the known cards, suit by suit.
    :ivar backs: as many as there are unknown cards.
    """

    number: int
    player: Player
    total: int | None
    asked: bool
    dealer: bool
    said: list[tuple[str, Text]]
    suits: list[list[Place]]
    backs: range

    @property
    def cards_left(self) -> int:
        return sum(place.extra == "" for suit in self.suits for place in suit) + len(self.backs)


@dataclass(frozen=True)
class Slot:
    """A seat's place in the middle of the table; without a word nothing lies there."""

    seat: int
    word: str = ""
    order: int = 0
    wins: bool = False
    fresh: bool = False


@dataclass(frozen=True)
class Cell:
    """A card in the table of tricks, and the decision that played it."""

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
class Saying:
    """A move beside the tricks: a bid, a pain card, a stone."""

    step: int
    seat: int
    text: Text
    current: bool
    phase: str
