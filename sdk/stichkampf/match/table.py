"""The table as one seat sees it: everything on which a bot may decide.

Everything here is rebuilt from the events of that seat alone, so a bot plays the same on either side of the
wire, and cannot find anything that its seat may not know.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterable
from typing import TypeVar

from stichkampf.engine.deal import Deal, Json
from stichkampf.engine.game import Game
from stichkampf.engine.view import View
from stichkampf.errors import StichkampfError
from stichkampf.match.card_questions import CardQuestions
from stichkampf.match.description import describe
from stichkampf.match.events import Event
from stichkampf.values import Value

V = TypeVar("V", bound=View)


class TableClock(Value):
    """The clock of a seat at the moment of a question, in seconds.

    :ivar move: what every decision has for itself.
    :ivar bank: what is left of the reserve of the match. From a server that does not tell it, the least that
        it can be.
    :ivar cap: the longest time of any decision, reserve included.
    :ivar spent: what the seat's decisions have taken from the reserve so far.

    >>> clock = TableClock(move=2.0, bank=10.0, cap=5.0)
    >>> clock.longest, clock.for_one_of(20), clock.after(7.5)
    (5.0, 2.5, TableClock(move=2.0, bank=7.5, cap=5.0, spent=2.5))
    """

    move: float
    bank: float
    cap: float
    spent: float = 0.0

    @property
    def longest(self) -> float:
        """The longest time that a decision may take now."""
        return min(self.cap, self.move + self.bank)

    def for_one_of(self, decisions: float) -> float:
        """Return the time to take for a decision if the reserve shall last for this number of them.

        It is nine tenths of the longest at most: a bot that takes all of that is late.

        :param decisions: those of this seat that are still to come, this one included; at least 1.
        """
        return min(0.9 * self.longest, self.move + self.bank / max(1, decisions))

    def after(self, bank: float) -> TableClock:
        """Return the clock once this is left in the bank."""
        return self.changed(bank=bank, spent=self.bank + self.spent - bank)

    def to_json(self) -> dict[str, float]:
        return {name: round(getattr(self, name), 6) for name in self.value_fields}


class Table(CardQuestions):
    """One seat at one match, from the first deal to the ranks.

    `CardQuestions` has the questions that most bots ask: own cards, who holds the trick, cards still out, …

    :ivar game: the rules: `game.name`, `game.options` (every option spelled out).
    :ivar seats: the number of seats that bots hold.
    :ivar seat: the bot's own seat, from 0.
    :ivar legal: when asked, the actions to choose from; words of the match record.
    :ivar clock: when asked, what is left of the seat's time; None without a clock.
    :ivar history: every event so far, as this seat saw it.
    :ivar seed: from which `rng` starts; the same for the same seat of the same match, unrelated to the cards.

    >>> from stichkampf import Match, new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> match = Match(game, seed=bytes(32))
    >>> table = Table(game, 1, seed=bytes(32))
    >>> table.follow(match.events(1))
    >>> print(table)
    Stiche-Raten
    You are seat 1 of 3; seats count from 0.
    Options: deck 64, length deals:1, greifen_passen False, hook True, ten_high False.
    A card is a suit letter and a rank. Suits: C clubs, D diamonds, H hearts, S spades.
    Deal 1, dealt by seat 2.
    Now: bidding (each seat in turn bids a number of tricks).
    Known to all:
      tricks bid: seat 0: none; seat 1 (you): none; seat 2: none
      cards each: 1
      tricks won: seat 0: 0; seat 1 (you): 0; seat 2: 0
      trump suit: clubs (C)
      card turned up for trump: CK
    Your hand: SQ
    """

    def __init__(self, game: Game, seat: int, seed: bytes) -> None:
        self.game = game
        self.seats = game.seats
        self.seat = seat
        self.seed = seed
        self.legal: list[str] = []
        self.clock: TableClock | None = None
        self._seconds: float | None = None
        self._asked_at = 0.0
        self.history: list[Event] = []
        self._read = 0
        self._rng: random.Random | None = None
        self._deal: Deal | None = None
        self._dealt = Event("deal")
        self._carry = game.start()
        self._facts: dict[str, Json] = {}
        self._totals = [0] * game.seats

    def follow(self, events: Iterable[Event]) -> None:
        """Take in new events. The program that runs the bot calls this."""
        self.history.extend(events)

    def __repr__(self) -> str:
        return f"<Table: {self.game.name}, seat {self.seat} of {self.seats}, {len(self.history)} events>"

    def __str__(self) -> str:
        """Tell this deal so far, all that this seat knows, and the choice, in English words."""
        return describe(self)

    def _repr_html_(self) -> str:
        """Draw for a notebook what this seat knows, and its choice."""
        # bots play without it
        from stichkampf.drawing import deal_html

        asked = f"; may choose {', '.join(self.legal)}" if self.legal else ""
        title = f"{self.game.title}: seat {self.seat} of {self.seats}{asked}"
        return deal_html(self.deal, title, [f"({total})" for total in self.totals])

    def describe(self, lang: str = "en") -> str:
        """Tell this deal so far, all that this seat knows, and the choice in words.

        :param lang: "en", or "de" with the German words of the game.
        :raises StichkampfError: there is no such language.
        """
        return describe(self, lang)

    @property
    def rng(self) -> random.Random:
        """The bot's own random numbers: the same whenever the same seat of the same match is played again."""
        if self._rng is None:
            self._rng = random.Random(self.seed)
        return self._rng

    # The clock --------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float | None:
        """The time limit of this decision, None for none. The program that runs the bot sets it."""
        return self._seconds

    @seconds.setter
    def seconds(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._asked_at = time.monotonic()

    @property
    def deadline(self) -> float | None:
        """The value of `time.monotonic()` at which the time limit of this decision ends, None for none.

        A bot on the server is charged only the time that it had a processor, so it has this long at least.
        """
        return None if self._seconds is None else self._asked_at + self._seconds

    # Known facts ------------------------------------------------------------------------------------------

    @property
    def deal(self) -> Deal:
        """The deal as far as this seat knows it; clone it before playing on it.

        :raises StichkampfError: before the first deal.
        """
        self._catch_up()
        if self._deal is None:
            raise StichkampfError("no cards have been dealt yet")
        return self._deal

    def world(self, seed: int | None = None) -> Deal:
        """Draw a full deal, uniformly from all that agree with the knowledge of this seat, to think ahead on.

        :param seed: the same seed gives the same world; without one `rng` draws it.
        """
        return self.deal.determinise(self.seat, self.rng.getrandbits(62) if seed is None else seed)

    @property
    def hand(self) -> list[str]:
        """The cards of this seat, sorted."""
        return self.deal.hand(self.seat)

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The cards on the table as (seat, card), in order played."""
        return self.deal.table()

    @property
    def phase(self) -> str:
        return self.deal.phase()

    @property
    def facts(self) -> dict[str, Json]:
        """The public facts: trump, bids, tricks won and others, which depend on the game."""
        return self.deal.facts()

    @property
    def secrets(self) -> dict[str, Json]:
        """The facts that only this seat knows, beside its hand."""
        return self.deal.secrets(self.seat)

    def view(self, kind: type[V]) -> V:
        """Return the facts and secrets of this moment as typed attributes.

        :param kind: the view of this game, from `stichkampf.views`.
        :raises StichkampfError: it is the view of another game.
        """
        game = self.game
        strange = sorted(set(kind.fields.values()) - {*game.facts, *game.secrets})
        if strange:
            raise StichkampfError(
                f"{kind.__name__} is no view of {game.name}, which has no fact {strange[0]!r}; "
                f"its view is {game.view.__name__}"
            )
        return kind(self.deal, self.seat)

    @property
    def dealer(self) -> int:
        return int(self.deal.dealer)

    @property
    def deal_number(self) -> int:
        """The number of the deal, from 0."""
        self._catch_up()
        return self._dealt.numbers[0]

    @property
    def totals(self) -> list[int]:
        """The scores of the match so far, by seat."""
        self._catch_up()
        return list(self._totals)

    # Following --------------------------------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Read on in the history. `follow` does not: a bot that never looks need not pay for it."""
        while self._read < len(self.history):
            event = self.history[self._read]
            self._read += 1
            if event.kind == "move" and self._deal is not None:
                self._deal.apply_observed(event.seat, event.text)
            elif event.kind == "facts":
                self._take_in(dict(event.facts or {}))
            elif event.kind == "deal":
                self._dealt = event
                self._deal = None
            elif event.kind == "score" and self._deal is not None:
                self._totals = [
                    total + points for total, points in zip(self._totals, event.numbers, strict=True)
                ]
                self._carry = self.game.carry(self._deal, self._carry)

    def _take_in(self, facts: dict[str, Json]) -> None:
        """Make the deal from its first facts, or update it with later ones."""
        if self._deal is not None:
            self._deal.apply_facts(facts)
            return
        dealt = self._dealt
        seen = {"hand": list(dealt.cards), **facts}
        self._deal = self.game.blind_deal(dealt.numbers[0], dealt.seat, self.seat, seen, self._carry)


def table_seed(match_seed: bytes, seat: int) -> bytes:
    """Derive the seed of a seat's table, SHA-256 of match seed and "seat N": it tells nothing of the cards.

    >>> table_seed(bytes(32), 0).hex()[:8]
    '5fe142e1'
    """
    return hashlib.sha256(match_seed + f"seat {seat}".encode()).digest()
