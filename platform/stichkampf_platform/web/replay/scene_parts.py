"""The parts of a scene, in the form in which the template draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

Text: TypeAlias = SafeString | str
LONG_HAND, SHORT_HAND = 15, 9
"""Cards beyond which, and up to which, a hand is drawn with cards of another width."""
SHOWN_ACTIONS, MOST_ACTIONS = 8, 24
"""Actions that a bot weighed: those that are shown at once, and with those that are folded away."""


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
class GoalMark:
    """A word that a seat aims at; `state` is "open", "met" or "lost", or empty where it does not count."""

    text: str
    shown: bool
    state: str


@dataclass(frozen=True)
class TallyMarks:
    """A number that a seat aims at and the one that it has; `goal` is None as long as there is none."""

    goal: int | None
    have: int

    @property
    def pips(self) -> SafeString:
        """A disc for each one that counts, a ring for each missing one, a diamond for each one too many."""
        goal = self.goal or 0
        kinds = ["met"] * min(goal, self.have) + [""] * max(0, goal - self.have)
        kinds += ["beyond"] * max(0, self.have - goal)
        return format_html_join("", '<i class="{}"></i>', ((kind,) for kind in kinds))


@dataclass(frozen=True)
class SeatView:
    """A seat with everything that the observer knows of it.

    :ivar number: the number of the seat, from 1.
    :ivar at: its place at the table, from the own seat clockwise; with all hands open from seat 1.
    :ivar total: the score of the match before this deal, or after it once the deal is over; None for a player
        of the rules.
    :ivar points: the points of the deal, so far or in the end; `counts` is the word for them.
    :ivar badges: the roles of the seat in this deal.
    :ivar side: "a" or "b" where the deal has two sides, else empty.
    :ivar said: facts about the seat: (label, value).
    :ivar suits: the known cards, suit by suit.
    :ivar backs: a range with one element for each unknown card.
    """

    number: int
    player: SeatOccupant
    total: int | None
    points: int | None
    counts: str
    asked: bool
    badges: list[str]
    side: str
    tally: TallyMarks | None
    goals: list[GoalMark]
    said: list[tuple[str, Text]]
    suits: list[list[HandCard]]
    backs: range
    at: int = 0

    @property
    def size(self) -> str:
        """The style class of a hand that needs narrow cards on a phone, or has room for wide ones."""
        held = sum(map(len, self.suits)) + len(self.backs)
        return "long" if held > LONG_HAND else "short" if held <= SHORT_HAND else ""

    @property
    def cards_left(self) -> int:
        return sum("gone" not in card.extra for suit in self.suits for card in suit) + len(self.backs)


@dataclass(frozen=True)
class SeatSlot:
    """The place of a seat in the middle of the table.

    :ivar at: where it lies, as for the seat.
    :ivar word: its card in the trick; empty if there is none.
    :ivar stack: the cards that lie there before the first trick.
    :ivar answer: what the seat answered to a question about the trick.
    """

    seat: int
    word: str = ""
    order: int = 0
    wins: bool = False
    fresh: bool = False
    stack: tuple[str, ...] = ()
    answer: str = ""
    at: int = 0


@dataclass(frozen=True)
class TrickCell:
    """A card in the table of tricks with the decision that played it."""

    word: str
    step: int
    led: bool
    won: bool
    later: bool
    current: bool

    @property
    def marks(self) -> str:
        """The classes of the style sheet that say what the card did."""
        return " ".join(name for name in ("led", "won", "later") if getattr(self, name))


@dataclass(frozen=True)
class TrickRow:
    """A row of the table of tricks.

    :ivar later: the whole trick is, and its cells do not say so.
    :ivar points: they went to its winner; None where they are not counted by trick.
    """

    number: int
    cells: list[TrickCell | None]
    current: bool
    later: bool
    points: int | None = None


@dataclass(frozen=True)
class OtherMove:
    """A move that plays no card into a trick, such as a bid."""

    step: int
    seat: int
    text: Text
    current: bool
    phase: str


@dataclass(frozen=True)
class WeighedAction:
    """An action that could be chosen, with the bot's weight of it, and that as a percentage of a bar."""

    text: Text
    chosen: bool
    weight: float | None
    percent: float


@dataclass(frozen=True)
class GridField:
    """A field of a board: free, taken by a seat (its number, from 1), or covered from the start (0)."""

    text: Text
    free: bool
    seat: int
    fresh: bool
    last: bool

    @property
    def state(self) -> str:
        if self.last:
            return "last"
        return "free" if self.free else "taken" if self.seat else "covered"


@dataclass(frozen=True)
class DraftCard:
    """A card of a row that is drafted: `taker` is the number of a seat, "table" or empty."""

    word: str
    taker: str
    order: int
    wins: bool
    fresh: bool
