"""Stiche-Raten, RULES chapter 2: bid the tricks that you will take, round by round more cards."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    clockwise,
    is_length,
    left,
    one_of,
    require_cards,
    require_hands,
    require_options,
    shuffled,
    suit,
)

SEATS = (3, 4, 5, 6)
SUITS = "CDHS"


def default_options(seats: int) -> dict[str, Any]:
    return {"deck": 64, "length": "full", "greifen_passen": False, "hook": True, "ten_high": False}


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "deck": one_of(64, 52),
        "length": is_length("full", "deals"),
        "greifen_passen": one_of(False, True),
        "hook": one_of(False, True),
        "ten_high": one_of(False, True),
    }
    require_options(options, known)


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    if options["deck"] == 64:
        return [f"{colour}{rank}" for colour in SUITS for rank in "789TJQKA" for copy in (1, 2)]
    return [f"{colour}{rank}" for colour in SUITS for rank in "23456789TJQKA"]


def last_round(seats: int, options: dict[str, Any]) -> int:
    """Return R, the round without trump (2.2)."""
    return int(options["deck"]) // seats


def words(seats: int, options: dict[str, Any]) -> list[str]:
    return [
        *(f"trump {colour}" for colour in SUITS),
        *(f"bid {count}" for count in range(last_round(seats, options) + 2)),
        *(f"play {card}" for card in sorted(set(deck(seats, options)))),
    ]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    cards = shuffled(deck(seats, options), rng)
    size = deal + 1
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(seats)]
    return {"hands": hands, "stock": cards[seats * size :]}


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    if options["length"] != "full" and played >= int(options["length"].split(":")[1]):
        return True
    return played >= last_round(seats, options)


def is_grab(card: str, options: dict[str, Any]) -> bool:
    return options["greifen_passen"] and card in (
        ("CJ", "SJ") if options["deck"] == 64 else ("CJ", "DJ", "HJ", "SJ")
    )


def is_pass(card: str, options: dict[str, Any]) -> bool:
    return options["greifen_passen"] and card in (
        ("HJ", "DJ") if options["deck"] == 64 else ("CA", "DA", "HA", "SA")
    )


def is_ordinary(card: str, options: dict[str, Any]) -> bool:
    return not is_grab(card, options) and not is_pass(card, options)


def strength(card: str, options: dict[str, Any]) -> int:
    order = "23456789JQKTA" if options["ten_high"] else "23456789TJQKA"
    return order.index(card[1])


def suit_to_follow(trick: list[str], options: dict[str, Any]) -> str | None:
    """The led suit, or None while it is open or where a grab card was led (2.3)."""
    if not trick or is_grab(trick[0], options):
        return None
    for card in trick:
        if is_ordinary(card, options):
            return suit(card)
    return None


def playable(hand: list[str], trick: list[str], options: dict[str, Any]) -> list[str]:
    led = suit_to_follow(trick, options)
    can_follow = any(is_ordinary(card, options) and suit(card) == led for card in hand)
    return [card for card in hand if not can_follow or not is_ordinary(card, options) or suit(card) == led]


def trick_winner(cards: list[str], trump: str | None, options: dict[str, Any]) -> int:
    for position, card in enumerate(cards):
        if is_grab(card, options):
            return position
    ordinary = [card for card in cards if is_ordinary(card, options)]
    if not ordinary:
        return 0
    trumps = [card for card in ordinary if suit(card) == trump]
    candidates = trumps or [card for card in ordinary if suit(card) == suit(ordinary[0])]
    best = max(strength(card, options) for card in candidates)
    return cards.index(next(card for card in candidates if strength(card, options) == best))


def legal_bids(earlier: list[int], seats: int, cards: int, hook: bool) -> list[int]:
    """Bids of the seat that bids after `earlier`; the dealer is the last (2.2, step 3)."""
    bids = list(range(cards + 1))
    if hook and len(earlier) == seats - 1:
        return [bid for bid in bids if sum(earlier) + bid != cards]
    return bids


def bid_score(bid: int, tricks: int) -> int:
    return 2 + tricks if bid == tricks else -abs(tricks - bid)


class SticheRatenRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        self.cards = deal + 1
        stock = dealt.get("stock", [])
        require_hands(dealt["hands"], seats, self.cards)
        require_cards([card for hand in dealt["hands"] for card in hand] + stock, deck(seats, options))
        self.seats = seats
        self.options = options
        self.hands = [list(hand) for hand in dealt["hands"]]
        self.first = self.leader = left(dealer, seats)
        self.bids: list[int] = []
        self.tricks = [0] * seats
        self.trick: list[str] = []
        self.over = False
        self.scores = [0] * seats
        self.trump: str | None = None
        self.naming = False
        if self.cards < last_round(seats, options):
            self.naming = is_grab(stock[0], options)
            self.trump = suit(stock[0]) if is_ordinary(stock[0], options) else None

    def awaited(self) -> list[int]:
        if self.over:
            return []
        if self.naming:
            return [self.first]
        if len(self.bids) < self.seats:
            return [(self.first + len(self.bids)) % self.seats]
        return [(self.leader + len(self.trick)) % self.seats]

    def is_legal(self, seat: int, word: str) -> bool:
        verb, what = word.split()
        if seat not in self.awaited():
            return False
        if self.naming:
            return verb == "trump"
        if len(self.bids) < self.seats:
            return verb == "bid" and int(what) in legal_bids(
                self.bids, self.seats, self.cards, self.options["hook"]
            )
        if verb != "play" or what not in self.hands[seat]:
            return False
        return what in playable(self.hands[seat], self.trick, self.options)

    def play(self, seat: int, word: str) -> None:
        verb, what = word.split()
        if verb == "trump":
            self.trump = what
            self.naming = False
        elif verb == "bid":
            self.bids.append(int(what))
        else:
            self.hands[seat].remove(what)
            self.trick.append(what)
            if len(self.trick) == self.seats:
                self.end_trick()

    def end_trick(self) -> None:
        self.leader = (self.leader + trick_winner(self.trick, self.trump, self.options)) % self.seats
        self.tricks[self.leader] += 1
        self.trick = []
        if not any(self.hands):
            self.over = True
            for seat, bid in zip(clockwise(self.first, self.seats), self.bids, strict=True):
                self.scores[seat] = bid_score(bid, self.tricks[seat])
