"""Stiche-Raten, a game of the Oh Hell family: bid the number of tricks that you will take, then take exactly
that number.

Round r deals r cards to each of 3 to 6 seats, from 1 up to as many as the deck allows; one more card is
turned up and its suit is trump, but the last round has no trump. From the dealer's left each seat bids 0 … r
tricks; under the hook the dealer, last, may not make the bids add up to r. Play follows suit where it can;
the highest trump takes the trick, else the highest card of the suit led, the first of two equals. A bid met
scores 2 + tricks, a bid missed loses the difference.

*Grab and pass* (`greifen_passen`): four cards grab, four pass (see `_GRAB`, `_PASS`). They belong to no suit
and may always be played. The first grab card in a trick takes it; a pass card never does, unless all passed:
then the first. Source: the German Wikibooks page of that name, Wizard where it is silent on special cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    below,
    either,
    five_bits,
    indices,
    indices_into,
    next_random,
    single_bits,
    vec,
)
from stichkampf.engine.cards import FRENCH_SUITS, deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Felt, Tally, Term
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, choice, length, length_of
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks
from stichkampf.engine.view import View
from stichkampf.engine.worlds import split
from stichkampf.errors import ActionError, DealError
from stichkampf.games.german_texts import STICHE_RATEN
from stichkampf.games.views.stiche_raten import SticheRatenView

# A card is suit * 13 + its rank from 0, low to high; as an action it plays that card.
_NATURAL: Final = "23456789TJQKA"
_CARDS: Final = deck(FRENCH_SUITS, list(_NATURAL))
_TEN_HIGH: Final = "23456789JQKTA"
_TRUMP: Final = 64  # actions 64 … 67 name a suit
_BID: Final = 80  # actions 80 … 101 bid

_GRAB: Final = {64: ("CJ", "SJ"), 52: ("CJ", "DJ", "HJ", "SJ")}
_PASS: Final = {64: ("DJ", "HJ"), 52: ("CA", "DA", "HA", "SA")}

_NAMING: Final = 0
_BIDDING: Final = 1
_PLAYING: Final = 2
_PHASES: Final = ("naming trump", "bidding", "tricks")

_NO_SUIT: Final = -1  # nothing led that must be followed, yet
_FREE: Final = -2  # a grab card was led: no seat has to follow


class Rank:
    """The cards of one choice of deck and options: their words, and those that grab or pass."""

    def __init__(self, deck_size: int, ten_high: bool, specials: bool) -> None:
        self.choices = (deck_size, ten_high, specials)
        order = _TEN_HIGH if ten_high else _NATURAL
        self.words: list[str] = [suit + rank for suit in FRENCH_SUITS for rank in order]
        self.numbers: dict[str, int] = {word: number for number, word in enumerate(self.words)}
        self.deck: list[str] = (
            deck(FRENCH_SUITS, list("789TJQKA"), 2) if deck_size == 64 else deck(FRENCH_SUITS, list(_NATURAL))
        )
        self.grab: i64 = self.mask(_GRAB[deck_size]) if specials else 0
        self.passing: i64 = self.mask(_PASS[deck_size]) if specials else 0
        self.specials: i64 = self.grab | self.passing
        self.suits: vec[i64] = vec[i64]([0x1FFF * BIT[13 * suit] & ~self.specials for suit in range(4)])

    def __reduce__(self) -> tuple[type[Rank], tuple[int, bool, bool]]:
        return Rank, self.choices

    def mask(self, cards: tuple[str, ...]) -> i64:
        total: i64 = 0
        for card in cards:
            total |= BIT[self.numbers[card]]
        return total


class SticheRatenDeal(TrickDeal):
    """One round. Hands are two masks a seat: kinds held at least once, kinds held twice."""

    rank: Rank
    size: i64  # cards dealt to each
    hook: bool
    turned: i64  # the card turned up, -1 for none
    trump: i64  # suit, -1 for none
    stage: i64
    bids: i64  # five bits a seat
    bidders: i64  # seats that have bid
    bid_sum: i64
    led: i64  # suit to follow, or _NO_SUIT, _FREE
    twice: vec[i64]
    rest: vec[i64]  # full deal: the stock; blind deal: every card unseen; two masks

    def __init__(self, seats: i64, dealer: i64, rank: Rank) -> None:
        super().__init__(seats, dealer)
        self.rank = rank

    def clone(self) -> SticheRatenDeal:
        other = SticheRatenDeal(self.seats, self.dealer, self.rank)
        other.copy_table(self)
        other.size = self.size
        other.hook = self.hook
        other.turned = self.turned
        other.trump = self.trump
        other.stage = self.stage
        other.bids = self.bids
        other.bidders = self.bidders
        other.bid_sum = self.bid_sum
        other.led = self.led
        other.twice = self.twice[:]
        other.rest = self.rest[:]
        return other

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self, seat: i64) -> i64:
        hand: i64 = self.hold[seat]
        led: i64 = self.led
        if led < 0:
            return hand
        suit: i64 = self.rank.suits[led]
        return either(hand & suit != 0, hand & (suit | self.rank.specials), hand)

    def forbidden_bid(self) -> i64:
        """Return the bid that the hook keeps from the dealer; -1 for none."""
        if not self.hook or self.bidders != self.seats - 1:
            return -1
        return self.size - self.bid_sum

    def legal_actions(self) -> list[int]:
        if self.stage == _PLAYING:
            return indices(self.legal_cards(self.turn)) if self.turn >= 0 else []
        if self.stage == _NAMING:
            return [_TRUMP, _TRUMP + 1, _TRUMP + 2, _TRUMP + 3]
        forbidden: i64 = self.forbidden_bid()
        return [_BID + bid for bid in range(self.size + 1) if bid != forbidden]

    def legal_of(self, seat: int) -> list[int]:
        return self.legal_actions()

    def write_legal(self, actions: vec[i64]) -> i64:
        if self.stage == _PLAYING:
            return indices_into(self.legal_cards(self.turn), 0, actions, 0)
        return super().write_legal(actions)

    def pick(self, x: i64) -> i64:
        if self.stage == _PLAYING:
            return any_of(self.legal_cards(self.turn), x)
        if self.stage == _NAMING:
            return _TRUMP + below(4, x)
        forbidden: i64 = self.forbidden_bid()
        if forbidden < 0 or forbidden > self.size:
            return _BID + below(self.size + 1, x)
        bid: i64 = below(self.size, x)
        if bid >= forbidden:
            bid += 1
        return _BID + bid

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.stage == _PLAYING:
            self.play(action)
        elif self.stage == _BIDDING:
            self.bid(action - _BID)
        else:
            self.trump = action - _TRUMP
            self.stage = _BIDDING

    def bid(self, bid: i64) -> None:
        self.bids |= bid << (5 * self.turn)
        self.bid_sum += bid
        self.bidders += 1
        self.turn = self.left_of(self.turn)
        if self.bidders == self.seats:
            self.stage = _PLAYING

    def play(self, card: i64) -> None:
        seat: i64 = self.turn
        bit: i64 = BIT[card]
        second: i64 = self.twice[seat] & bit
        self.twice[seat] ^= second
        self.hold[seat] ^= bit ^ second
        special: bool = self.rank.specials & bit != 0
        led: i64 = self.led
        if led >= 0:
            if not special:
                self.note_void(seat, bit, self.rank.suits[led])
        elif led == _NO_SUIT:
            if not special:
                self.led = card // 13
            elif self.count == 0 and self.rank.grab & bit:
                self.led = _FREE
        if self.lay(seat, card, self.power(card, bit, special)):
            self.take(self.best)
            self.led = _NO_SUIT
            if self.done == self.size:
                self.turn = -1

    def power(self, card: i64, bit: i64, special: bool) -> i64:
        """Return the rank of a card in the current trick; the first of equals wins."""
        if special:
            if self.rank.grab & bit:
                return 300
            return -1
        suit: i64 = card // 13
        rank: i64 = either(suit == self.led, 100 + card, 0)
        return either(suit == self.trump, 200 + card, rank)

    def bid_of(self, seat: i64) -> i64:
        return five_bits(self.bids, seat)

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        for seat in range(self.seats):
            tricks: i64 = self.tricks_of(seat)
            missed: i64 = tricks - self.bid_of(seat)
            points[seat] = either(missed == 0, 2 + tricks, either(missed > 0, -missed, missed))
        return self.seats

    # Knowledge ----------------------------------------------------------------------------------------------

    def size_of(self, seat: i64) -> i64:
        """Count the cards in a hand: one fewer for every trick, the current one too if the seat has played to
        it.
        """
        return self.size - self.done - (1 if self.has_played(seat) else 0)

    def information_set(self, seat: int) -> SticheRatenDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        for s in range(self.seats):
            if s != seat:
                unseen(other.rest, self.hold[s])
                unseen(other.rest, self.twice[s])
                other.hold[s] = 0
                other.twice[s] = 0
        return other

    def sample_hidden(self, x: i64) -> None:
        pool: vec[i64] = single_bits(self.rest[0], self.rest[1])
        sizes: vec[i64] = vec[i64]([0] * (self.seats + 1))
        lacks: vec[i64] = vec[i64]([0] * (self.seats + 1))
        dealt: i64 = 0
        for s in range(self.seats):
            if s != self.viewer:
                sizes[s] = self.size_of(s)
                lacks[s] = self.lacks[s]
                dealt += sizes[s]
        sizes[self.seats] = len(pool) - dealt
        split(pool, sizes, lacks, x)
        at: i64 = 0
        for pile in range(self.seats + 1):
            end: i64 = at + sizes[pile]
            once: i64 = 0
            twice: i64 = 0
            while at < end:
                twice |= once & pool[at]
                once |= pool[at]
                at += 1
            if pile == self.seats:
                self.rest[0] = once
                self.rest[1] = twice
            elif pile != self.viewer:
                self.hold[pile] = once
                self.twice[pile] = twice
        self.viewer = -1

    def apply_observed(self, mover: int, seen: str) -> None:
        action = self.action(seen)
        if action < _TRUMP and mover != self.viewer:
            bit: i64 = BIT[action]
            self.hold[mover] |= bit
            if self.rest[1] & bit:
                self.rest[1] ^= bit
            else:
                self.rest[0] ^= bit
        self.apply(action)

    def key(self) -> list[int]:
        fields: list[int] = self.table_key()
        fields += [
            self.size,
            self.hook,
            self.turned,
            self.trump,
            self.stage,
            self.bids,
            self.bidders,
            self.bid_sum,
            self.led,
        ]
        add_masks(fields, self.twice)
        add_masks(fields, self.rest)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def word(self, action: int) -> str:
        if action >= _BID:
            return f"bid {action - _BID}"
        if action >= _TRUMP:
            return f"trump {FRENCH_SUITS[action - _TRUMP]}"
        return f"play {self.rank.words[action]}"

    def action(self, word: str) -> int:
        verb, _, what = word.partition(" ")
        if verb == "play" and what in self.rank.deck:
            return self.rank.numbers[what]
        if verb == "bid" and what.isascii() and what.isdigit() and str(int(what)) == what and int(what) < 32:
            return _BID + int(what)
        if verb == "trump" and len(what) == 1 and what in FRENCH_SUITS:
            return _TRUMP + FRENCH_SUITS.index(what)
        raise ActionError(
            f"{word!r} is no action of stiche-raten: there are play CARD, bid N and trump C, D, H or S"
        )

    def phase(self) -> str:
        return _PHASES[self.stage]

    def hand(self, seat: int) -> list[str]:
        return self.words_of(self.hold[seat], self.twice[seat])

    def hidden_cards(self) -> list[str]:
        return self.words_of(self.rest[0], self.rest[1])

    def words_of(self, once: i64, twice: i64) -> list[str]:
        """List the words of two masks: kinds that are there at least once, kinds that are there twice."""
        doubles = indices(twice)
        return [self.rank.words[c] for c in indices(once) for _ in range(2 if c in doubles else 1)]

    def hand_size(self, seat: int) -> int:
        return self.size_of(seat)

    def card_word(self, card: int) -> str:
        return self.rank.words[card]

    def facts(self) -> Facts:
        order = self.from_dealers_left()
        asked = order[: self.bidders]
        return {
            "bids": [self.bid_of(s) if s in asked else None for s in range(self.seats)],
            "round": self.size,
            "tricks": self.tricks_by_seat(),
            "trump": None if self.trump < 0 else FRENCH_SUITS[self.trump],
            "turned": None if self.turned < 0 else self.rank.words[self.turned],
        }


def unseen(rest: vec[i64], cards: i64) -> None:
    """Add one copy of each kind in the mask to the two masks of unseen cards."""
    rest[1] |= rest[0] & cards
    rest[0] |= cards


class SticheRaten(Game):
    """A match of Stiche-Raten: rounds 1, 2, … of growing hands.

    >>> from stichkampf.games import new_game
    >>> print(new_game("stiche-raten", 5))
    Stiche-Raten for 5 seats: deck 64, length full, greifen_passen False, hook True, ten_high False
    """

    name: ClassVar[str] = "stiche-raten"
    title: ClassVar[str] = "Stiche-Raten"
    players: ClassVar[tuple[int, ...]] = (3, 4, 5, 6)
    specification: ClassVar[tuple[Option, ...]] = (
        choice("deck", 64, 52, meaning="the number of cards: two packs of 32, or one of 52"),
        length(lambda seats, options: "full", full=True),
        choice("greifen_passen", False, True, meaning="the variant with cards that grab or pass on a trick"),
        choice("hook", True, False, meaning="the dealer may not make the bids add up"),
        choice("ten_high", False, True, meaning="the ten ranks above the king"),
    )
    tagline: ClassVar[str] = "Bid your tricks; the dealer may not make the bids add up."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _CARDS
    sample_cards: ClassVar[tuple[str, ...]] = ("SA", "HT", "D7")
    facts: ClassVar[Mapping[str, Fact]] = {
        "bids": Fact(
            kind=Kind.COUNT, meaning="tricks bid", each=True, gaps=True, when="None until the seat has bid"
        ),
        "round": Fact(kind=Kind.COUNT, meaning="cards each"),
        "tricks": TRICKS,
        "trump": Fact(
            kind=Kind.SUIT,
            meaning="trump suit",
            texts=tuple(FRENCH_SUITS),
            present=(),
            perhaps=("bidding", "tricks"),
            when="None in the last round, after a pass card, and until a suit is named",
        ),
        "turned": Fact(
            kind=Kind.CARD,
            meaning="card turned up for trump",
            texts=tuple(_CARDS),
            present=("naming trump",),
            perhaps=("bidding", "tricks"),
            when="None in the last round",
        ),
    }
    secrets: ClassVar[Mapping[str, Fact]] = {}
    verbs: ClassVar[Mapping[str, Verb]] = {
        "trump": Verb(says="names as trump", kind=Kind.SUIT, asks="Name the trump suit"),
        "bid": Verb(says="bids", kind=Kind.COUNT, asks="How many tricks will you take?"),
        "play": Verb(says="plays", asks="Play a card"),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "naming trump": "the seat left of the dealer names a suit, where a grab card was turned up",
        "bidding": "each seat in turn bids a number of tricks",
        "tricks": "each seat in turn plays a card",
    }
    view: ClassVar[type[View]] = SticheRatenView
    german: ClassVar[Mapping[str, str]] = STICHE_RATEN
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        ("a grab card was turned up", "trump C"),
        ("bidding", "bid 0, bid 1, bid 2"),
        ("tricks", "play ST"),
    )
    felt: ClassVar[Felt] = Felt(
        terms=(
            Term(fact="trump", caption="trump", none="none"),
            Term(fact="turned", caption="turned up"),
            Term(fact="round", caption="cards each"),
        ),
        tally=Tally(goal="bids", have="tricks", of="round", unequal="hook"),
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"length": "deals:4"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:6"})
    actions: ClassVar[list[str]] = [
        *with_each("trump", FRENCH_SUITS),
        *with_each("bid", [str(tricks) for tricks in range(22)]),
        *with_each("play", _CARDS),
    ]

    def __init__(self, seats: int, options: Mapping[str, Json]) -> None:
        super().__init__(seats, options)
        self.rank = Rank(
            int(self.options["deck"]), bool(self.options["ten_high"]), bool(self.options["greifen_passen"])
        )
        self.rounds = int(self.options["deck"]) // seats

    def is_finished(self, deals_played: int, totals: list[int], carry: Carry) -> bool:
        kind, number = length_of(self.options)
        return deals_played >= (self.rounds if kind == "full" else min(number, self.rounds))

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        hands, stock = deal_hands(chance.shuffled(self.rank.deck), self.seats, number + 1)
        return {"hands": hands, "stock": stock}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> SticheRatenDeal:
        hands = check_hands(dealt.get("hands"), self.seats, number + 1)
        stock = dealt.get("stock", [])
        if not isinstance(stock, list):
            raise DealError(f"stock must list the undealt cards, the turned-up one first, not {stock!r:.60}")
        check_cards("hands and stock", [card for hand in hands for card in hand] + stock, self.rank.deck)
        turned = stock[0] if number + 1 < self.rounds else None
        deal = self._round(number, dealer, turned)
        for seat, hand in enumerate(hands):
            self._give(deal, seat, hand)
        for card in stock if turned is None else stock[1:]:
            unseen(deal.rest, BIT[self.rank.numbers[card]])
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> SticheRatenDeal:
        deal = self._round(number, dealer, seen["turned"])
        deal.viewer = seat
        self._give(deal, seat, seen["hand"])
        hidden = list(self.rank.deck)
        for card in [*seen["hand"], *([seen["turned"]] if seen["turned"] else [])]:
            hidden.remove(card)
        for card in hidden:
            unseen(deal.rest, BIT[self.rank.numbers[card]])
        return deal

    def _give(self, deal: SticheRatenDeal, seat: int, cards: list[str]) -> None:
        for card in cards:
            bit = BIT[self.rank.numbers[card]]
            deal.twice[seat] |= deal.hold[seat] & bit
            deal.hold[seat] |= bit

    def _round(self, number: int, dealer: int, turned: str | None) -> SticheRatenDeal:
        """Make a round without its hidden cards."""
        deal = SticheRatenDeal(self.seats, dealer, self.rank)
        deal.size = number + 1
        deal.hook = bool(self.options["hook"])
        deal.turned = -1 if turned is None else self.rank.numbers[turned]
        bit = 0 if turned is None else BIT[deal.turned]
        grabbed = bool(self.rank.grab & bit)
        suitless = turned is None or grabbed or bool(self.rank.passing & bit)
        deal.trump = -1 if suitless else deal.turned // 13
        deal.stage = _NAMING if grabbed else _BIDDING
        deal.start_table((dealer + 1) % self.seats)
        deal.bids = deal.bidders = deal.bid_sum = 0
        deal.led = _NO_SUIT
        deal.twice = vec[i64]([0] * self.seats)
        deal.rest = vec[i64]([0, 0])
        return deal
