"""Questions about the cards that most bots ask, answered from the knowledge of one seat alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter

from stichkampf.engine.deal import Deal, Trick
from stichkampf.engine.declaration import PLAYING
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.match.events import Event


class CardQuestions(ABC):
    """The questions of `Table`; they hold in every game. Seats count from 0, cards are the record's words.

    >>> from stichkampf.testing import table_at
    >>> table = table_at("sixes-and-sevens", 4, seed="docs", decision=10)
    >>> table.seat, table.trick, table.holder, table.partners
    (2, [(0, 'CA'), (1, 'CT')], 0, frozenset({0}))
    >>> table.led, table.is_last, table.would_take("D7"), table.would_take("C8")
    ('CA', False, True, False)
    >>> len(table.own_cards), table.out.total(), table.voids(1)
    (11, 31, set())
    """

    game: Game
    seat: int
    seats: int
    history: list[Event]

    @property
    @abstractmethod
    def deal(self) -> Deal:
        """The deal as far as this seat knows it."""

    # Cards --------------------------------------------------------------------------------------------------

    @property
    def own_cards(self) -> list[str]:
        """All cards that this seat may still play: the hand, and cards that lie open before it."""
        return sorted(self._known_cards(self.seat), key=self.game.cards.index)

    @property
    def out(self) -> Counter[str]:
        """The cards that other seats may still play, with the number of copies.

        Cards that have left the deal unseen are among them, for they cannot be told from hidden ones.
        """
        found = Counter(self.deal.hidden_cards())
        for seat in range(self.deal.seats):
            if seat != self.seat:
                found.update(self._known_cards(seat))
        return found

    @property
    def unseen(self) -> Counter[str]:
        """The cards that this seat has not seen in this deal, with the number of copies."""
        return Counter(self.deal.hidden_cards())

    @property
    def played(self) -> list[str]:
        """All cards played in this deal, in order, the current trick included."""
        laid = [card for _, card in self.deal.table()] if self._in_tricks else []
        return [card for trick in self.past_tricks for _, card in trick.cards] + laid

    def may_hold(self, seat: int) -> set[str]:
        """Return the cards that a seat may hold: those known, and unseen ones that it could have followed
        with, or would have had to.
        """
        known = set(self._known_cards(seat))
        if seat == self.seat or len(self._known_cards(seat)) == self.deal.hand_size(seat):
            return known
        return known | set(self.deal.hidden_cards()) - set(self.deal.lacking(seat))

    def voids(self, seat: int) -> set[str]:
        """Return the suits, as letters, of which a seat can hold no card."""
        return {card[0] for card in self.game.cards} - {card[0] for card in self.may_hold(seat)}

    def _known_cards(self, seat: int) -> list[str]:
        """List the cards that a seat is known to hold, those that lie open before it included."""
        deal = self.deal
        facts = deal.facts()
        held = [facts[name][seat] for name, fact in self.game.facts.items() if fact.held]
        return [*deal.hand(seat), *(card for cards in held for card in cards)]

    # The trick ----------------------------------------------------------------------------------------------

    @property
    def led(self) -> str | None:
        """The card that leads the current trick; None while there is none."""
        laid = self.deal.table()
        return laid[0][1] if laid and self._in_tricks else None

    @property
    def holder(self) -> int | None:
        """The seat that would take the trick if it ended now; None for none."""
        seat = int(self.deal.holder()) if self._in_tricks else -1
        return None if seat < 0 else seat

    @property
    def is_last(self) -> bool:
        """True where the trick lacks one card."""
        return self._in_tricks and len(self.deal.table()) == int(self.deal.seats) - 1

    def would_take(self, card: str) -> bool:
        """Tell whether this seat would hold the trick after playing a card, as the trick then stands.

        :raises StichkampfError: the card cannot be played now.
        """
        deal = self.deal
        own = deal.legal_of(self.seat) if self._in_tricks and self.seat in deal.to_act() else []
        playable = {word.split()[1]: action for action in own if (word := deal.word(action))[:5] == "play "}
        if card not in playable:
            possible = ", ".join(playable) or "none, for no card is asked for"
            raise StichkampfError(f"{card!r} cannot be played now; possible: {possible}")
        after = deal.clone()
        tricks = after.tricks_done()
        after.apply(playable[card])
        trick = after.last_trick()
        done = trick is not None and after.tricks_done() > tricks
        return int(trick.winner if done and trick else after.holder()) == self.seat

    @property
    def _in_tricks(self) -> bool:
        return self.deal.phase() == PLAYING

    # Sides and points ---------------------------------------------------------------------------------------

    @property
    def partners(self) -> frozenset[int]:
        """The other seats of its side: those opposite, or those that the deal has put there so far."""
        others = set(range(self.seats)) - {self.seat}
        if self.game.partners:
            return frozenset(seat for seat in others if (seat - self.seat) % 2 == 0)
        facts = self.deal.facts()
        named = [facts[name] for name in self.game.sides]
        if not named or any(value is None or value == [] for value in named):
            return frozenset()
        side = {seat for value in named for seat in (value if isinstance(value, list) else [value])}
        return frozenset(seat for seat in others if (seat in side) == (self.seat in side))

    @property
    def opponents(self) -> frozenset[int]:
        """The seats that are not on this seat's side."""
        return frozenset(range(self.seats)) - {self.seat} - self.partners

    @property
    def points(self) -> list[int]:
        """By seat what counts towards the score of this deal so far: `game.counted` names the fact.

        Of a game that counts by sides each seat has the points of its side.
        """
        counted = self.deal.facts()[self.game.counted]
        return [counted[seat % len(counted)] for seat in range(self.seats)]

    # This deal so far ---------------------------------------------------------------------------------------

    @property
    def past_tricks(self) -> list[Trick]:
        """The complete tricks of this deal, the first one first."""
        told = [event for event in self.events_of_this_deal() if event.kind == "trick"]
        return [
            Trick(number, event.seat, list(zip(event.numbers, event.cards, strict=True)))
            for number, event in enumerate(told, 1)
        ]

    @property
    def last_trick(self) -> Trick | None:
        """The last complete trick of this deal; None before the first."""
        return self.deal.last_trick()

    @property
    def moves(self) -> list[tuple[int, str]]:
        """The choices of this deal as (seat, action), in order, as this seat saw them: "discard ?"."""
        return [(event.seat, event.text) for event in self.events_of_this_deal() if event.kind == "move"]

    def events_of_this_deal(self) -> list[Event]:
        """Return the events of this deal, as this seat saw them; none before the first."""
        starts = [place for place, event in enumerate(self.history) if event.kind == "deal"]
        return self.history[starts[-1] :] if starts else []
