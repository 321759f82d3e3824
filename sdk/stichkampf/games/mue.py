"""Mü, by Frank Nestel and Doris Matthäus: bid with cards laid open, name two trumps, win points with a
partner.

4 to 6 seats hold the 60 cards of five colours with digits 0, 1, 1, 2 … 6, 7, 7, 8, 9. From the dealer on each
seat in turn passes or lays hand cards open, at most one more than the most before a seat; when all pass in a
row, the seat with strictly most cards is *chief*. After a tie it is a stalemate, and the last of the tied
bidders pays. The one with most cards of the rest is *vice* (ties by the laid digits, high to low). The vice,
then the chief, names a colour or digit of his own laid cards as trump, the chief also none; the chief names a
partner. Hands and laid cards are played together. All trumps are one suit: cards that are trump twice over,
then the chief's, then the vice's. Everybody scores the points of his tricks; chief and partner have a target
by the height of the bid, with a bonus when they reach it and a penalty when not.

Source: the rules of the 2007 Amigo edition; the three-player game of the 1995 edition is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    below,
    bit_count,
    five_bits,
    index_of,
    indices,
    indices_into,
    next_random,
    nth_bit,
    vec,
)
from stichkampf.engine.cards import deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Felt, Term
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, choice, length, max_deals
from stichkampf.engine.packs import Pack, with_card, without_card
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks
from stichkampf.engine.view import View
from stichkampf.engine.worlds import arrange
from stichkampf.errors import ActionError
from stichkampf.games.german_texts import MUE
from stichkampf.games.views.mue import MueView, points_of

_COLOURS: Final = "BYRKG"
_RANKS: Final = "011234567789"
_PACK: Final = Pack(_COLOURS, _RANKS)
_WORDS: Final = _PACK.words
_NUMBERS: Final = _PACK.numbers
_CARDS: Final = deck(_COLOURS, list("0123456789"))
_KINDS: Final[i64] = _PACK.kinds
_DIGIT: Final = vec[i64]([int(word[1]) for word in _WORDS])
_CARD_POINTS: Final = vec[i64]([i64(points_of(word)) for word in _WORDS])
_COLOUR: Final = vec[i64]([0xFFF << (12 * colour) for colour in range(5)])

# A trump is a colour 0 … 4, a digit 5 … 14, or none.
_TRUMP_WORDS: Final = [*_COLOURS, *"0123456789", "none"]
_DIGIT_TRUMP: Final = 5
_NO_TRUMP: Final = 15
_TRUMP_CARDS: Final = vec[i64](
    [0xFFF << (12 * colour) for colour in range(5)]
    + [sum([2**bit for bit, word in enumerate(_WORDS) if word[1] == str(digit)]) for digit in range(10)]
    + [0]
)

# By seats, the card points for a bid of no height and those for each card more.
_TARGET: Final = vec[i64]([0, 0, 0, 0, 28, 21, 16])
_TARGET_STEP: Final = vec[i64]([0, 0, 0, 0, 2, 3, 4])

# Actions: play 0 … 59, then each verb with its argument.
_LAY: Final = 64
_PASS: Final = 128
_STOP: Final = 129
_TRUMP: Final = 130
_PARTNER: Final = 150

_AUCTION: Final = 0
_VICE_NAMES: Final = 1
_CHIEF_NAMES: Final = 2
_NAMING_PARTNER: Final = 3
_TRICKS: Final = 4
_PHASES: Final = ("auction", "vice's trump", "chief's trump", "partner", "tricks")


class MueDeal(TrickDeal):
    """One deal. `hold` is the hidden part of a hand, `laid_open` the cards before a seat until played."""

    dealt: i64  # cards dealt to each
    bonus_cap: i64  # -1 for none
    same_trump: bool  # the option allow_same_trump
    stage: i64
    laid_open: vec[i64]
    limit: i64  # cards the seat in turn may still lay in this turn of the auction
    laid_now: i64  # cards it has laid in this turn
    passes: i64  # in a row
    bids: i64  # how many turns had a bid so far
    last_bid: i64  # by seat, eight bits each: the number of its last bid
    heights: i64  # cards laid in the auction, five bits a seat
    chief: i64  # -1 for none, likewise
    vice: i64
    partner: i64
    chief_trump: i64
    vice_trump: i64
    trumps: i64  # all cards of the trump suit
    points: vec[i64]  # card points won in tricks
    rest: vec[i64]  # blind deal: the unseen cards

    def clone(self) -> MueDeal:
        other = MueDeal(self.seats, self.dealer)
        other.copy_table(self)
        other.dealt = self.dealt
        other.bonus_cap = self.bonus_cap
        other.same_trump = self.same_trump
        other.stage = self.stage
        other.laid_open = self.laid_open[:]
        other.limit = self.limit
        other.laid_now = self.laid_now
        other.passes = self.passes
        other.bids = self.bids
        other.last_bid = self.last_bid
        other.heights = self.heights
        other.chief = self.chief
        other.vice = self.vice
        other.partner = self.partner
        other.chief_trump = self.chief_trump
        other.vice_trump = self.vice_trump
        other.trumps = self.trumps
        other.points = self.points[:]
        other.rest = self.rest[:]
        return other

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self) -> i64:
        cards: i64 = (self.hold[self.turn] | self.laid_open[self.turn]) & _KINDS
        return self.follow(cards, self.suit_of(self.led_card())) if self.count else cards

    def suit_of(self, card: i64) -> i64:
        """Return the cards that follow this one when it is led: the trump suit, or its colour without it."""
        if self.trumps & BIT[card]:
            return self.trumps
        return _COLOUR[card // 12] & ~self.trumps

    def nameable(self) -> i64:
        """Return the trumps that the seat in turn may name, as a mask."""
        found: i64 = 0
        left: i64 = self.laid_open[self.turn] & _KINDS
        while left:
            card: i64 = index_of(left & -left)
            found |= BIT[card // 12] | BIT[_DIGIT_TRUMP + _DIGIT[card]]
            left &= left - 1
        if self.stage == _CHIEF_NAMES:
            found |= BIT[_NO_TRUMP]
            if not self.same_trump and self.vice >= 0:
                found &= ~BIT[self.vice_trump]
        return found

    def possible_partners(self) -> i64:
        seats: i64 = (BIT[self.seats] - 1) & ~BIT[self.chief]
        return seats & ~BIT[self.vice] if self.vice >= 0 else seats

    def legal_actions(self) -> list[int]:
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        if self.stage == _TRICKS:
            return indices(self.legal_cards())
        if self.stage == _AUCTION:
            bids = indices(self.hold[seat] & _KINDS, _LAY)
            bids.append(_STOP if self.laid_now else _PASS)
            return bids
        if self.stage == _NAMING_PARTNER:
            return indices(self.possible_partners(), _PARTNER)
        return indices(self.nameable(), _TRUMP)

    def write_legal(self, actions: vec[i64]) -> i64:
        if self.stage == _TRICKS:
            return indices_into(self.legal_cards(), 0, actions, 0)
        if self.stage == _AUCTION:
            bids: i64 = indices_into(self.hold[self.turn] & _KINDS, _LAY, actions, 0)
            actions[bids] = _PASS
            if self.laid_now:
                actions[bids] = _STOP
            return bids + 1
        return super().write_legal(actions)

    def pick(self, x: i64) -> i64:
        first: i64 = 0
        choices: i64 = 0
        if self.stage == _TRICKS:
            choices = self.legal_cards()
        elif self.stage == _AUCTION:
            choices = self.hold[self.turn] & _KINDS
            n: i64 = below(bit_count(choices) + 1, x)
            if n == 0:
                return _STOP if self.laid_now else _PASS
            return _LAY + index_of(nth_bit(choices, n - 1))
        elif self.stage == _NAMING_PARTNER:
            first = _PARTNER
            choices = self.possible_partners()
        else:
            first = _TRUMP
            choices = self.nameable()
        return first + any_of(choices, x)

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # The auction --------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.stage == _TRICKS:
            self.play(action)
        elif self.stage == _AUCTION:
            if action < _PASS:
                self.lay_open(action - _LAY)
            elif action == _PASS:
                self.passes += 1
                self.next_bidder()
            else:
                self.end_bid()
        elif self.stage == _NAMING_PARTNER:
            self.partner = action - _PARTNER
            self.stage = _TRICKS
            self.leader = self.chief
            self.turn = self.chief
        else:
            self.name_trump(action - _TRUMP)

    def height_of(self, seat: i64) -> i64:
        """Count the cards that the seat has laid in the auction."""
        return five_bits(self.heights, seat)

    def greatest_height(self) -> i64:
        most: i64 = 0
        for s in range(self.seats):
            most = max(most, self.height_of(s))
        return most

    def lay_open(self, card: i64) -> None:
        seat: i64 = self.turn
        copies: i64 = _PACK.copies[card]
        self.hold[seat] = without_card(self.hold[seat], copies)
        self.laid_open[seat] = with_card(self.laid_open[seat], card, copies)
        self.heights += BIT[5 * seat]
        self.laid_now += 1
        self.limit -= 1
        if self.limit == 0:
            self.end_bid()

    def end_bid(self) -> None:
        self.passes = 0
        self.bids += 1
        self.last_bid = (self.last_bid & ~(255 * BIT[8 * self.turn])) | self.bids << (8 * self.turn)
        self.next_bidder()

    def next_bidder(self) -> None:
        if self.passes == self.seats:
            self.end_auction()
            return
        self.turn = self.left_of(self.turn)
        self.laid_now = 0
        self.limit = self.greatest_height() + 1 - self.height_of(self.turn)

    def end_auction(self) -> None:
        self.limit = 0
        most: i64 = self.greatest_height()
        if bit_count(self.seats_at(most)) > 1:
            self.turn = -1
            return
        self.chief = index_of(self.seats_at(most))
        self.vice = self.find_vice()
        self.turn = self.vice if self.vice >= 0 else self.chief
        self.stage = _VICE_NAMES if self.vice >= 0 else _CHIEF_NAMES

    def seats_at(self, height: i64) -> i64:
        """Return the seats that laid this number of cards, as a mask."""
        seats: i64 = 0
        for s in range(self.seats):
            if self.height_of(s) == height:
                seats |= BIT[s]
        return seats

    def find_vice(self) -> i64:
        """Return the second seat by cards laid, then by their digits from the highest down; -1 for none and
        for a full tie.
        """
        best: i64 = -1
        best_rank: i64 = 0
        tied: bool = False
        for s in range(self.seats):
            if s != self.chief and self.height_of(s) > 0:
                rank: i64 = self.rank_laid(s)
                if rank > best_rank:
                    best = s
                    best_rank = rank
                    tied = False
                elif rank == best_rank:
                    tied = True
        return -1 if tied else best

    def rank_laid(self, seat: i64) -> i64:
        """Return the cards that a seat has laid and how many there are of each digit from 9 down, four bits
        each.
        """
        rank: i64 = self.height_of(seat)
        for k in range(10):
            rank = rank << 4 | bit_count(self.laid_open[seat] & _TRUMP_CARDS[_DIGIT_TRUMP + 9 - k])
        return rank

    def name_trump(self, trump: i64) -> None:
        if self.stage == _VICE_NAMES:
            self.vice_trump = trump
            self.stage = _CHIEF_NAMES
            self.turn = self.chief
            return
        self.chief_trump = trump
        self.trumps = _TRUMP_CARDS[trump] | _TRUMP_CARDS[self.vice_trump]
        self.stage = _NAMING_PARTNER

    # Tricks and score ---------------------------------------------------------------------------------------

    def play(self, card: i64) -> None:
        seat: i64 = self.turn
        bit: i64 = BIT[card]
        copies: i64 = _PACK.copies[card]
        if self.laid_open[seat] & bit:
            self.laid_open[seat] = without_card(self.laid_open[seat], copies)
        else:
            self.hold[seat] = without_card(self.hold[seat], copies)
        if self.count:
            self.note_void(seat, bit, self.suit_of(self.led_card()))
        if self.lay(seat, card, self.power(card, bit)):
            self.end_trick()

    def power(self, card: i64, bit: i64) -> i64:
        """Return the rank of a card in the current trick; the first of equals wins."""
        digit: i64 = _DIGIT[card]
        if bit & self.trumps:
            if bit & _TRUMP_CARDS[self.chief_trump] == 0:
                return 200 + digit
            double: bool = bit & _TRUMP_CARDS[self.vice_trump] != 0 and self.chief_trump != self.vice_trump
            return (400 if double else 300) + digit
        if self.count == 0 or card // 12 == self.led_card() // 12:
            return 100 + digit
        return 0

    def end_trick(self) -> None:
        winner: i64 = self.best
        laid: i64 = self.laid
        for _k in range(self.seats):
            self.points[winner] += _CARD_POINTS[laid & 127]
            laid >>= 7
        self.take(winner)
        if self.done == self.dealt:
            self.turn = -1

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        if self.chief < 0:
            self.write_stalemate(points)
            return self.seats
        height: i64 = self.height_of(self.chief)
        won: i64 = self.points[self.chief] + self.points[self.partner]
        bonus: i64 = 0
        if won >= self.target(height):
            bonus = self.bonus(height)
        short: i64 = height - self.height_reached(won, height)
        for s in range(self.seats):
            points[s] = self.points[s]
            if s == self.chief:
                points[s] += bonus - 10 * short
            elif s == self.partner:
                points[s] += bonus
            else:
                points[s] += 5 * short
        return self.seats

    def write_stalemate(self, points: vec[i64]) -> None:
        """Score a tie for most cards: each of the tied gains five a card laid; the one whose bid came latest
        loses ten a card.
        """
        most: i64 = self.greatest_height()
        tied: i64 = self.seats_at(most)
        latest: i64 = 0
        latest_bid: i64 = -1
        for s in range(self.seats):
            points[s] = 0
            if (tied >> s) & 1:
                points[s] = 5 * most
                bid: i64 = (self.last_bid >> (8 * s)) & 255
                if bid > latest_bid:
                    latest = s
                    latest_bid = bid
        points[latest] = -10 * most

    def target(self, height: i64) -> i64:
        """Return the card points that chief and partner need for a bid of that height."""
        return _TARGET[self.seats] + _TARGET_STEP[self.seats] * height

    def height_reached(self, won: i64, height: i64) -> i64:
        """Return the greatest height, up to the bid's, whose target the points reach; 0 for none."""
        while height > 0 and self.target(height) > won:
            height -= 1
        return height

    def bonus(self, height: i64) -> i64:
        """Return the score of chief and of partner for a target reached, by the size of the chief's trump."""
        trump: i64 = self.chief_trump
        size: i64 = 2
        if trump == _NO_TRUMP:
            size = 3
        elif trump < _DIGIT_TRUMP:
            size = 0
        elif trump == _DIGIT_TRUMP + 1 or trump == _DIGIT_TRUMP + 7:
            size = 1
        bonus: i64 = 10 * (height + size)
        if self.bonus_cap >= 0 and bonus > self.bonus_cap:
            return self.bonus_cap
        return bonus

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> MueDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        for s in range(self.seats):
            if s != seat:
                for card in _PACK.cards_in(self.hold[s]):
                    other.rest[0] = with_card(other.rest[0], card, _PACK.copies[card])
                other.hold[s] = 0
        return other

    def sample_hidden(self, x: i64) -> None:
        pool: vec[i64] = _PACK.bits_in(self.rest[0])
        sizes: vec[i64] = vec[i64]([0] * self.seats)
        for s in range(self.seats):
            if s != self.viewer:
                sizes[s] = self.hand_size(s) - bit_count(self.laid_open[s])
        arrange(pool, sizes, self.lacks, x)
        at: i64 = 0
        for s in range(self.seats):
            end: i64 = at + sizes[s]
            while at < end:
                card: i64 = index_of(pool[at])
                self.hold[s] = with_card(self.hold[s], card, _PACK.copies[card])
                at += 1
        self.rest[0] = 0
        self.viewer = -1

    def apply_observed(self, mover: int, seen: str) -> None:
        action = self.action(seen)
        card: i64 = action - _LAY if action >= _LAY else action
        hidden: bool = action < _PASS and (action >= _LAY or not self.laid_open[mover] & BIT[card])
        if mover != self.viewer and hidden:
            self.hold[mover] = with_card(self.hold[mover], card, _PACK.copies[card])
            self.rest[0] = without_card(self.rest[0], _PACK.copies[card])
        self.apply(action)

    def key(self) -> list[int]:
        fields = [
            *self.table_key(), self.dealt, self.bonus_cap, self.same_trump, self.stage, self.limit,
            self.laid_now, self.passes,
            self.bids, self.last_bid, self.heights, self.chief, self.vice, self.partner, self.chief_trump,
            self.vice_trump,
            self.trumps,
        ]  # fmt: skip
        for masks in (self.laid_open, self.points, self.rest):
            add_masks(fields, masks)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        if action >= _PARTNER:
            return f"partner {action - _PARTNER}"
        if action >= _TRUMP:
            return f"trump {_TRUMP_WORDS[action - _TRUMP]}"
        if action >= _PASS:
            return "pass" if action == _PASS else "stop"
        return f"lay {_WORDS[action - _LAY]}" if action >= _LAY else f"play {_WORDS[action]}"

    def action(self, word: str) -> int:
        if word not in _ACTIONS:
            raise ActionError(
                f"{word!r} is no action of mue: there are pass, lay CARD, stop, trump COLOUR, trump DIGIT, "
                "trump none, "
                "partner SEAT and play CARD"
            )
        return _ACTIONS[word]

    def phase(self) -> str:
        return _PHASES[self.stage]

    def hand(self, seat: int) -> list[str]:
        return [_WORDS[card] for card in _PACK.cards_in(self.hold[seat])]

    def hidden_cards(self) -> list[str]:
        return [_WORDS[card] for card in _PACK.cards_in(self.rest[0])]

    def hand_size(self, seat: int) -> int:
        """Cards still to be played, the laid ones included."""
        return self.dealt - self.done - (1 if self.has_played(seat) else 0)

    def facts(self) -> Facts:
        named = self.stage > _CHIEF_NAMES
        return {
            "card points": [self.points[s] for s in range(self.seats)],
            "chief": self.chief if self.chief >= 0 else None,
            "chief trump": _TRUMP_WORDS[self.chief_trump] if named else None,
            "laid": [[_WORDS[card] for card in _PACK.cards_in(self.laid_open[s])] for s in range(self.seats)],
            "may lay": self.limit if self.stage == _AUCTION and self.turn >= 0 else None,
            "partner": self.partner if self.partner >= 0 else None,
            "target": self.target(self.height_of(self.chief)) if self.chief >= 0 else None,
            "tricks": self.tricks_by_seat(),
            "vice": self.vice if self.vice >= 0 else None,
            "vice trump": _TRUMP_WORDS[self.vice_trump]
            if self.vice >= 0 and self.stage > _VICE_NAMES
            else None,
        }


def _every_action() -> dict[str, int]:
    words = {f"play {card}": number for card, number in _NUMBERS.items()}
    words |= {f"lay {card}": _LAY + number for card, number in _NUMBERS.items()}
    words |= {f"trump {trump}": _TRUMP + number for number, trump in enumerate(_TRUMP_WORDS)}
    words |= {f"partner {seat}": _PARTNER + seat for seat in range(6)}
    return words | {"pass": _PASS, "stop": _STOP}


_ACTIONS: Final = _every_action()


class Mue(Game):
    """A match of Mü.

    >>> from stichkampf.games import new_game
    >>> print(new_game("mue", 5, {"length": "deals:3"}))
    Mü for 5 seats: length deals:3, bonus_cap 100, allow_same_trump False, max_deals 40
    """

    name: ClassVar[str] = "mue"
    title: ClassVar[str] = "Mü"
    players: ClassVar[tuple[int, ...]] = (4, 5, 6)
    specification: ClassVar[tuple[Option, ...]] = (
        length(lambda seats, options: "points:200", points=True),
        choice("bonus_cap", 100, "none", meaning="the most that a fulfilled contract is rewarded with"),
        choice("allow_same_trump", False, True, meaning="the chief may name the same trump as the vice"),
        max_deals(40, only_with_points=False),
    )
    tagline: ClassVar[str] = "Bid with open cards, name two trumps, find a partner."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _CARDS
    sample_cards: ClassVar[tuple[str, ...]] = ("B7", "K1", "G0")
    facts: ClassVar[Mapping[str, Fact]] = {
        "card points": Fact(kind=Kind.COUNT, meaning="card points won", each=True, counts=0),
        "chief": Fact(kind=Kind.SEAT, meaning="chief", present=_PHASES[1:], when="None in the auction"),
        "chief trump": Fact(
            kind=Kind.SUIT,
            meaning="the chief's trump",
            present=("partner", "tricks"),
            when="None until it is named; none is the word none",
        ),
        "laid": Fact(
            kind=Kind.CARD,
            meaning="cards laid in the auction",
            each=True,
            value="list[list[str]]",
            held=True,
            when="without those played since",
        ),
        "may lay": Fact(
            kind=Kind.COUNT,
            meaning="cards that may still be laid",
            present=("auction",),
            when="of the seat to act; None after the auction",
        ),
        "partner": Fact(
            kind=Kind.SEAT, meaning="the chief's partner", present=("tricks",), when="None until named"
        ),
        "target": Fact(
            kind=Kind.COUNT,
            meaning="target of the chief's side, in card points",
            present=_PHASES[1:],
            when="None in the auction",
        ),
        "tricks": TRICKS,
        "vice": Fact(
            kind=Kind.SEAT,
            meaning="vice",
            present=("vice's trump",),
            perhaps=_PHASES[2:],
            when="None in the auction, and in a deal without a vice",
        ),
        "vice trump": Fact(
            kind=Kind.SUIT,
            meaning="the vice's trump",
            present=(),
            perhaps=_PHASES[2:],
            when="None until it is named, and in a deal without a vice",
        ),
    }
    secrets: ClassVar[Mapping[str, Fact]] = {}
    verbs: ClassVar[Mapping[str, Verb]] = {
        "pass": Verb(
            says="passes",
            asks="Bid: lay cards open",
            more="One press, one card. Whoever has laid most becomes chief.",
            button="Pass",
        ),
        "lay": Verb(
            says="lays",
            asks="Bid: lay cards open",
            more="One press, one card. Whoever has laid most becomes chief.",
        ),
        "stop": Verb(says="stops bidding", asks="Lay another card, or end your bid", button="Done"),
        "trump": Verb(
            says="names as trump",
            kind=Kind.SUIT,
            asks="Name your trump",
            more="A colour or a number among your open cards.",
        ),
        "partner": Verb(says="picks as partner", kind=Kind.SEAT, asks="Pick your partner"),
        "play": Verb(says="plays", asks="Play a card"),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "auction": "each seat in turn lays cards open or passes",
        "vice's trump": "the vice names a colour or digit of his own laid cards",
        "chief's trump": "the chief names a colour or digit of his own laid cards, or none",
        "partner": "the chief picks a partner",
        "tricks": "each seat in turn plays a card",
    }
    counted: ClassVar[str] = "card points"
    sides: ClassVar[tuple[str, ...]] = ("chief", "partner")
    view: ClassVar[type[View]] = MueView
    german: ClassVar[Mapping[str, str]] = MUE
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        ("auction, at the start of a turn", "pass, lay K7"),
        ("auction, later in a turn", "stop, lay K7"),
        ("trumps, the vice first", "trump G, trump 7, trump none"),
        ("partner", "partner 2"),
        ("tricks", "play K7"),
    )
    felt: ClassVar[Felt] = Felt(
        roles={"chief": "chief", "vice": "vice", "partner": "partner"},
        sides=("chief", "partner"),
        terms=(
            Term(fact="chief trump", caption="chief's trump"),
            Term(fact="vice trump", caption="vice's trump"),
            Term(fact="target", caption="target", counts="card points", of=("chief", "partner")),
            Term(fact="may lay", caption="may still lay"),
        ),
        running="card points",
        stacks=("laid",),
        laid="laid",
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"length": "deals:4"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:1"})
    actions: ClassVar[list[str]] = [
        "pass",
        *with_each("lay", _CARDS),
        "stop",
        *with_each("trump", _TRUMP_WORDS),
        *with_each("partner", "012345"),
        *with_each("play", _CARDS),
    ]

    deck: ClassVar[list[str]] = deck(_COLOURS, list(_RANKS))

    def reached(self, totals: list[int], points: int) -> bool:
        """Tell whether a seat has more points than those that end a match."""
        return max(totals) > points

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        hands, _ = deal_hands(chance.shuffled(self.deck), self.seats, len(self.deck) // self.seats)
        return {"hands": hands}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> MueDeal:
        hands = check_hands(dealt.get("hands"), self.seats, len(self.deck) // self.seats)
        check_cards("hands", [card for hand in hands for card in hand], self.deck)
        deal = self._at_the_start(dealer)
        for seat, hand in enumerate(hands):
            deal.hold[seat] = _PACK.hand_of(hand)
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> MueDeal:
        deal = self._at_the_start(dealer)
        deal.viewer = seat
        deal.hold[seat] = _PACK.hand_of(seen["hand"])
        deal.rest[0] = _PACK.unseen(self.deck, seen["hand"])
        return deal

    def _at_the_start(self, dealer: int) -> MueDeal:
        """Make a new deal without its cards."""
        deal = MueDeal(self.seats, dealer)
        deal.start_table(dealer)
        cap = self.options["bonus_cap"]
        deal.dealt = len(self.deck) // self.seats
        deal.bonus_cap = -1 if cap == "none" else cap
        deal.same_trump = bool(self.options["allow_same_trump"])
        deal.stage = _AUCTION
        deal.laid_open = vec[i64]([0] * self.seats)
        deal.limit = 1
        deal.laid_now = deal.passes = deal.bids = deal.last_bid = deal.heights = deal.trumps = 0
        deal.chief = deal.vice = deal.partner = -1
        deal.chief_trump = deal.vice_trump = _NO_TRUMP
        deal.points = vec[i64]([0] * self.seats)
        deal.rest = vec[i64]([0])
        return deal
