"""Sticheln: take tricks, but none with the colour that hurts.

3 to 6 seats hold 15 cards each. All choose one card at once and lay it open: its colour is that seat's *pain
colour* and the card is out of play. In each of the 14 tricks any card may be played. Every card of another
colour than the one led, its value above 0, is a trump card: the highest value among them takes the trick, the
first of equals; without any, the highest card of the colour led. A captured card counts +1, one of the own
pain colour minus its value, and so does the pain card itself.

A trick of nothing but zeros goes to its leader (`zero_trick: leader`), or its cards are gone and the same
seat leads again (`nobody`). Source: Klaus Palesch's rules, the long and the short edition; nothing is left
out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    below,
    bit_count,
    either,
    index_of,
    indices,
    indices_into,
    indices_of_both,
    next_random,
    nth_of_both,
    single_bits,
    vec,
)
from stichkampf.engine.cards import deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Felt
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, choice, length, max_deals
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks
from stichkampf.engine.view import View
from stichkampf.engine.worlds import arrange
from stichkampf.errors import ActionError
from stichkampf.games.german_texts import STICHELN
from stichkampf.games.views.sticheln import StichelnView

# A card is colour * 15 + value; as an action it plays that card. `hold` has the first three colours of each
# hand, then the other three of each.
_COLOURS: Final = "RYGBOV"
_HALF: Final = 45
_PAIN: Final = 96  # actions 96 … 185 choose the pain card

_CARDS_EACH: Final = 15
_TRICKS: Final = 14
_COLOURS_AND_VALUES: Final = {3: (5, 9), 4: (5, 12), 5: (5, 15), 6: (6, 15)}

_WORDS: Final = [colour + str(value) for colour in _COLOURS for value in range(15)]
_NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}

# Powers: another colour's 0 has none, the led colour 50 + value, trump cards 100 + value.
_LED_COLOUR: Final = 50


class StichelnDeal(TrickDeal):
    """One deal of Sticheln."""

    zeros_to_leader: bool
    choosing: bool
    rest: vec[i64]  # blind deal: the unseen cards, as two masks
    pain: vec[i64]  # pain cards, -1 while not chosen
    points: vec[i64]

    def clone(self) -> StichelnDeal:
        other = StichelnDeal(self.seats, self.dealer)
        other.copy_table(self)
        other.zeros_to_leader = self.zeros_to_leader
        other.choosing = self.choosing
        other.rest = self.rest[:]
        other.pain = self.pain[:]
        other.points = self.points[:]
        return other

    # Legal actions: any card, always ------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        return self.cards_of(seat, _PAIN if self.choosing else 0)

    def cards_of(self, seat: i64, first: i64) -> list[int]:
        """List the cards of a hand, counted from `first`."""
        return indices_of_both(self.hold[seat], self.hold[self.seats + seat], first, _HALF)

    def write_legal(self, actions: vec[i64]) -> i64:
        seat: i64 = self.turn
        first: i64 = 0
        if self.choosing:
            first = _PAIN
        at: i64 = indices_into(self.hold[seat], first, actions, 0)
        return indices_into(self.hold[self.seats + seat], first + _HALF, actions, at)

    def pick(self, x: i64) -> i64:
        seat: i64 = self.turn
        first: i64 = 0
        cards: i64 = _TRICKS - self.done
        if self.choosing:
            first = _PAIN
            cards = _CARDS_EACH
        more: i64 = self.seats + seat
        return first + nth_of_both(self.hold[seat], self.hold[more], below(cards, x), _HALF)

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.choosing:
            self.apply_by(self.turn, action)
            return
        seat: i64 = self.turn
        self.flip(seat, action)
        if self.lay(seat, action, self.power(action)):
            self.end_trick()

    def flip(self, seat: i64, card: i64) -> None:
        """Put a card into a hand that lacks it, take it out of one that holds it."""
        high: bool = card >= _HALF
        self.hold[either(high, self.seats + seat, seat)] ^= BIT[either(high, card - _HALF, card)]

    def power(self, card: i64) -> i64:
        """Return the rank of a card in the current trick; the first of equals wins."""
        led: i64 = either(self.count == 0, card, self.led_card())
        value: i64 = card % 15
        trump: i64 = either(value == 0, 0, 100 + value)
        return either(card // 15 == led // 15, _LED_COLOUR + value, trump)

    def end_trick(self) -> None:
        only_zeros: bool = self.best_power == _LED_COLOUR
        winner: i64 = self.best
        if only_zeros and not self.zeros_to_leader:
            winner = -1
        else:
            self.points[winner] += self.worth(self.laid, winner)
        self.take(winner)
        if self.done == _TRICKS:
            self.turn = -1

    def worth(self, laid: i64, winner: i64) -> i64:
        """Return the score of a trick's cards for the seat that captures them."""
        pain: i64 = self.pain[winner] // 15
        points: i64 = 0
        for _k in range(self.seats):
            card: i64 = laid & 127
            points += either(card // 15 == pain, -(card % 15), 1)
            laid >>= 7
        return points

    def commit(self, seat: i64, action: i64) -> bool:
        self.pain[seat] = action - _PAIN
        return True

    def reveal(self) -> None:
        self.choosing = False
        for seat in range(self.seats):
            card: i64 = self.pain[seat]
            self.flip(seat, card)
            self.points[seat] = -(card % 15)
        self.turn = self.leader

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        for s in range(self.seats):
            points[s] = self.points[s]
        return self.seats

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> StichelnDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        for s in range(self.seats):
            if s != seat:
                for half in range(2):
                    other.rest[half] |= self.hold[s + half * self.seats]
                    other.hold[s + half * self.seats] = 0
        if self.choosing:
            other.forget_choices()
        return other

    def forget_choices(self) -> None:
        """Leave the choices of all but the viewer open, and whether they were made."""
        waiting: i64 = self.awaited & BIT[self.viewer]
        for s in range(self.seats):
            if s != self.viewer:
                self.pain[s] = -1
                waiting |= BIT[s]
        self.await_all(waiting)

    def sample_hidden(self, x: i64) -> None:
        pool: vec[i64] = single_bits(self.rest[0], self.rest[1])
        first_half: i64 = bit_count(self.rest[0])
        for k in range(len(pool)):
            card: i64 = index_of(pool[k])
            pool[k] = card if k < first_half else card + _HALF
        arrange(pool, vec[i64]([len(pool)]), vec[i64]([0]), x)
        at: i64 = 0
        for s in range(self.seats):
            if s != self.viewer:
                end: i64 = at + self.hand_size(s)
                while at < end:
                    self.flip(s, pool[at])
                    at += 1
        self.rest = vec[i64]([0, 0])
        self.viewer = -1

    def apply_observed(self, mover: int, seen: str) -> None:
        action = self.action(seen)
        card: i64 = action - _PAIN if action >= _PAIN else action
        if mover != self.viewer:
            self.flip(mover, card)
            if card < _HALF:
                self.rest[0] ^= BIT[card]
            else:
                self.rest[1] ^= BIT[card - _HALF]
        self.apply_by(mover, action)

    def key(self) -> list[int]:
        fields = [*self.table_key(), self.zeros_to_leader, self.choosing]
        for masks in (self.rest, self.pain, self.points):
            add_masks(fields, masks)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        return f"pain {_WORDS[action - _PAIN]}" if action >= _PAIN else f"play {_WORDS[action]}"

    def action(self, word: str) -> int:
        verb, _, card = word.partition(" ")
        if verb in ("pain", "play") and card in _NUMBERS:
            return _NUMBERS[card] + (_PAIN if verb == "pain" else 0)
        raise ActionError(
            f"{word!r} is no action of sticheln: there are pain CARD and play CARD, as in 'play R6'"
        )

    def phase(self) -> str:
        return "pain cards" if self.choosing else "tricks"

    def hand(self, seat: int) -> list[str]:
        return [_WORDS[c] for c in self.cards_of(seat, 0)]

    def hand_size(self, seat: int) -> int:
        return _CARDS_EACH if self.choosing else _TRICKS - self.done - (1 if self.has_played(seat) else 0)

    def holder(self) -> int:
        if self.count == 0 or (self.best_power == _LED_COLOUR and not self.zeros_to_leader):
            return -1
        return self.best

    def hidden_cards(self) -> list[str]:
        return [_WORDS[c] for c in [*indices(self.rest[0]), *indices(self.rest[1], _HALF)]]

    def facts(self) -> Facts:
        return {
            "pain": [None if self.choosing else _WORDS[self.pain[s]] for s in range(self.seats)],
            "points": [0 if self.choosing else self.points[s] for s in range(self.seats)],
            "tricks": self.tricks_by_seat(),
        }

    def secrets(self, seat: int) -> Facts:
        return {"chosen": _WORDS[self.pain[seat]]} if self.choosing and self.pain[seat] >= 0 else {}


class Sticheln(Game):
    """A match of Sticheln.

    >>> from stichkampf.games import new_game
    >>> print(new_game("sticheln", 4, {"edition": "short"}))
    Sticheln for 4 seats: edition short, zero_trick nobody, length deals:4
    """

    name: ClassVar[str] = "sticheln"
    title: ClassVar[str] = "Sticheln"
    players: ClassVar[tuple[int, ...]] = (3, 4, 5, 6)
    specification: ClassVar[tuple[Option, ...]] = (
        choice("edition", "long", "short", meaning="sets the defaults of zero_trick and length"),
        Option(
            "zero_trick",
            lambda seats, options: "leader" if options["edition"] == "long" else "nobody",
            '"leader" or "nobody"',
            lambda value: value in ("leader", "nobody"),
            meaning="who takes a trick that has zeros only",
            values=("leader", "nobody"),
        ),
        length(
            lambda seats, options: "deals:10" if options["edition"] == "long" else f"deals:{seats}",
            points=True,
        ),
        max_deals(30, only_with_points=True),
    )
    tagline: ClassVar[str] = "Every colour that was not led is trump, and one colour hurts."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _WORDS
    sample_cards: ClassVar[tuple[str, ...]] = ("R11", "Y4", "B0")
    facts: ClassVar[Mapping[str, Fact]] = {
        "pain": Fact(
            kind=Kind.CARD, meaning="pain card", each=True, gaps=True, when="None until all have chosen"
        ),
        "points": Fact(kind=Kind.COUNT, meaning="points so far", each=True, counts=0),
        "tricks": TRICKS,
    }
    secrets: ClassVar[Mapping[str, Fact]] = {
        "chosen": Fact(
            kind=Kind.CARD,
            meaning="own pain card",
            present=(),
            perhaps=("pain cards",),
            when="from the own choice until all have chosen",
        )
    }
    verbs: ClassVar[Mapping[str, Verb]] = {
        "pain": Verb(
            says="lays down the pain card",
            asks="Choose your pain card",
            more="Cards of its colour that you take will cost their value.",
        ),
        "play": Verb(says="plays", asks="Play a card"),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "pain cards": "all seats at once choose a hand card as pain card",
        "tricks": "each seat in turn plays a card",
    }
    counted: ClassVar[str] = "points"
    view: ClassVar[type[View]] = StichelnView
    german: ClassVar[Mapping[str, str]] = STICHELN
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        ("pain cards, all at once", "pain R4"),
        ("tricks", "play B11"),
    )
    felt: ClassVar[Felt] = Felt(
        plates={"pain": "pain"},
        running="points",
        stacks=("pain", "chosen"),
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"edition": "short"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:1"})
    actions: ClassVar[list[str]] = with_each("pain", _WORDS) + with_each("play", _WORDS)

    def __init__(self, seats: int, options: Mapping[str, Json]) -> None:
        super().__init__(seats, options)
        colours, values = _COLOURS_AND_VALUES[seats]
        self.deck = deck(_COLOURS[:colours], [str(value) for value in range(values)])

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        hands, _ = deal_hands(chance.shuffled(self.deck), self.seats, _CARDS_EACH)
        return {"hands": hands}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> StichelnDeal:
        hands = check_hands(dealt.get("hands"), self.seats, _CARDS_EACH)
        check_cards("hands", [card for hand in hands for card in hand], self.deck)
        deal = self._at_the_start(dealer)
        for seat, hand in enumerate(hands):
            for card in hand:
                deal.flip(seat, _NUMBERS[card])
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> StichelnDeal:
        deal = self._at_the_start(dealer)
        deal.viewer = seat
        for card in self.deck:
            number = _NUMBERS[card]
            if card in seen["hand"]:
                deal.flip(seat, number)
            else:
                deal.rest[number // _HALF] |= BIT[number % _HALF]
        return deal

    def _at_the_start(self, dealer: int) -> StichelnDeal:
        """Make a new deal without its cards."""
        deal = StichelnDeal(self.seats, dealer)
        deal.start_table((dealer + 1) % self.seats)
        deal.zeros_to_leader = self.options["zero_trick"] == "leader"
        deal.choosing = True
        deal.hold = vec[i64]([0] * (2 * self.seats))
        deal.rest = vec[i64]([0, 0])
        deal.pain = vec[i64]([-1] * self.seats)
        deal.points = vec[i64]([0] * self.seats)
        deal.await_all(BIT[self.seats] - 1)
        return deal
