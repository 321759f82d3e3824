"""Mü, RULES chapter 4: an auction of open cards makes a chief, a vice and up to two trumps."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    is_length,
    is_whole,
    left,
    length_of,
    number,
    one_of,
    portions,
    require_cards,
    require_hands,
    require_options,
    shuffled,
    suit,
)

SEATS = (4, 5, 6)
COLOURS = "BYRKG"


def default_options(seats: int) -> dict[str, Any]:
    return {"length": "points:200", "bonus_cap": 100, "allow_same_trump": False, "max_deals": 40}


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "length": is_length("deals", "points"),
        "bonus_cap": one_of(100, "none"),
        "allow_same_trump": one_of(False, True),
        "max_deals": is_whole,
    }
    require_options(options, known)


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"{colour}{digit}" for colour in COLOURS for digit in (0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9)]


def words(seats: int, options: dict[str, Any]) -> list[str]:
    kinds = sorted(set(deck(seats, options)))
    return [
        "pass",
        "stop",
        *(f"lay {card}" for card in kinds),
        *(f"trump {name}" for name in [*COLOURS, *"0123456789", "none"]),
        *(f"partner {seat}" for seat in range(seats)),
        *(f"play {card}" for card in kinds),
    ]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    return {"hands": portions(shuffled(deck(seats, options), rng), seats, 60 // seats)}


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    kind, count = length_of(options)
    if kind == "deals":
        return played >= count
    return max(totals) > count or played >= options["max_deals"]


# --- the auction


def lay_limit(counts: list[int], seat: int) -> int:
    """Return m, the number of cards that `seat` may lay in this turn (4.2)."""
    return max(counts) + 1 - counts[seat]


def chief_of(counts: list[int]) -> int | None:
    top = max(counts)
    return counts.index(top) if counts.count(top) == 1 else None


def stalemate_scores(counts: list[int], last_bid: list[int]) -> list[int]:
    """`last_bid`: when each seat bid last, later is larger; no meaning for a seat that never did."""
    top = max(counts)
    if top == 0:
        return [0] * len(counts)
    tied = [seat for seat, count in enumerate(counts) if count == top]
    latest = max(tied, key=lambda seat: last_bid[seat])
    return [(-10 * top if seat == latest else 5 * top) if seat in tied else 0 for seat in range(len(counts))]


def vice_of(laid: list[list[str]], chief: int) -> int | None:
    others = [seat for seat in range(len(laid)) if seat != chief and laid[seat]]
    if not others:
        return None
    standing = {
        seat: (len(laid[seat]), sorted((number(card) for card in laid[seat]), reverse=True))
        for seat in others
    }
    best = max(standing.values())
    winners = [seat for seat in others if standing[seat] == best]
    return winners[0] if len(winners) == 1 else None


def trump_choices(laid: list[str], is_chief: bool, vice_trump: str | None, allow_same: bool) -> set[str]:
    choices = {suit(card) for card in laid} | {card[1] for card in laid}
    if is_chief:
        choices.add("none")
        if not allow_same:
            choices.discard(vice_trump or "")
    return choices


# --- the tricks; a trump is a colour letter, a digit, "none" or None


def matches(card: str, trump: str | None) -> bool:
    return trump is not None and trump in (card[0], card[1])


def is_trump(card: str, chief_trump: str | None, vice_trump: str | None) -> bool:
    return matches(card, chief_trump) or matches(card, vice_trump)


def trump_class(card: str, chief_trump: str | None, vice_trump: str | None) -> int:
    """3 double trump, 2 chief's, 1 vice's, 0 no trump (4.3)."""
    if matches(card, chief_trump) and matches(card, vice_trump) and chief_trump != vice_trump:
        return 3
    if matches(card, chief_trump):
        return 2
    return 1 if matches(card, vice_trump) else 0


def playable(
    cards: list[str], trick: list[str], chief_trump: str | None, vice_trump: str | None
) -> list[str]:
    if not trick:
        return list(cards)
    if is_trump(trick[0], chief_trump, vice_trump):
        following = [card for card in cards if is_trump(card, chief_trump, vice_trump)]
    else:
        following = [
            card
            for card in cards
            if suit(card) == suit(trick[0]) and not is_trump(card, chief_trump, vice_trump)
        ]
    return following or list(cards)


def trick_winner(cards: list[str], chief_trump: str | None, vice_trump: str | None) -> int:
    best = 0
    for position, card in enumerate(cards):
        group = trump_class(card, chief_trump, vice_trump)
        best_group = trump_class(cards[best], chief_trump, vice_trump)
        if group == best_group == 0 and suit(card) != suit(cards[0]):
            continue
        if (group, number(card)) > (best_group, number(cards[best])):
            best = position
    return best


# --- the score


def card_points(card: str) -> int:
    return {1: 0, 9: 0, 6: 2, 7: 2}.get(number(card), 1)


def target(seats: int, height: int) -> int:
    return {4: 28 + 2 * height, 5: 21 + 3 * height, 6: 16 + 4 * height}[seats]


def bonus(height: int, chief_trump: str, cap: int | str) -> int:
    if chief_trump == "none":
        step = 3
    elif chief_trump in COLOURS:
        step = 0
    else:
        step = 1 if chief_trump in "17" else 2
    full = 10 * (height + step)
    return full if cap == "none" else min(full, int(cap))


def contract_scores(
    seats: int, height: int, points: int, chief: int, partner: int, chief_trump: str, cap: int | str
) -> list[int]:
    """Return the points that the contract adds to the seats' card points; `points` are the team's (4.4)."""
    if points >= target(seats, height):
        reward = bonus(height, chief_trump, cap)
        return [reward if seat in (chief, partner) else 0 for seat in range(seats)]
    reached = max([0] + [lower for lower in range(1, height + 1) if target(seats, lower) <= points])
    missed = height - reached
    return [-10 * missed if seat == chief else 0 if seat == partner else 5 * missed for seat in range(seats)]


class MueRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        require_hands(dealt["hands"], seats, 60 // seats)
        require_cards([card for hand in dealt["hands"] for card in hand], deck(seats, options))
        self.seats = seats
        self.options = options
        self.hands = [list(hand) for hand in dealt["hands"]]
        self.laid: list[list[str]] = [[] for _ in range(seats)]
        self.phase = "auction"
        self.bidder = dealer
        self.passes = 0
        self.laid_this_turn = 0
        self.limit = 1
        self.turns = 0
        self.last_bid = [0] * seats
        self.chief = self.vice = self.partner = -1
        self.chief_trump: str | None = None
        self.vice_trump: str | None = None
        self.leader = -1
        self.trick: list[str] = []
        self.captured: list[list[str]] = [[] for _ in range(seats)]
        self.height = 0
        self.over = False
        self.scores = [0] * seats

    def awaited(self) -> list[int]:
        if self.over:
            return []
        if self.phase == "auction":
            return [self.bidder]
        if self.phase == "vice":
            return [self.vice]
        if self.phase in ("chief", "partner"):
            return [self.chief]
        return [(self.leader + len(self.trick)) % self.seats]

    def is_legal(self, seat: int, word: str) -> bool:
        if seat not in self.awaited():
            return False
        if self.phase == "auction":
            if word == "pass":
                return self.laid_this_turn == 0
            if word == "stop":
                return self.laid_this_turn > 0
        if " " not in word:
            return False
        verb, what = word.split()
        if self.phase == "auction":
            return verb == "lay" and what in self.hands[seat]
        if self.phase in ("vice", "chief"):
            return verb == "trump" and what in trump_choices(
                self.laid[seat], self.phase == "chief", self.vice_trump, self.options["allow_same_trump"]
            )
        if self.phase == "partner":
            return verb == "partner" and int(what) not in (self.chief, self.vice)
        cards = self.hands[seat] + self.laid[seat]
        if verb != "play" or what not in cards:
            return False
        return what in playable(cards, self.trick, self.chief_trump, self.vice_trump)

    def play(self, seat: int, word: str) -> None:
        verb, _, what = word.partition(" ")
        if self.phase == "auction":
            self.bid(seat, verb, what)
        elif self.phase == "vice":
            self.vice_trump = what
            self.phase = "chief"
        elif self.phase == "chief":
            self.chief_trump = what
            self.phase = "partner"
        elif self.phase == "partner":
            self.partner = int(what)
            self.leader = self.chief
            self.phase = "tricks"
        else:
            (self.laid if what in self.laid[seat] else self.hands)[seat].remove(what)
            self.trick.append(what)
            if len(self.trick) == self.seats:
                self.end_trick()

    def bid(self, seat: int, verb: str, card: str) -> None:
        if verb == "lay":
            self.hands[seat].remove(card)
            self.laid[seat].append(card)
            self.laid_this_turn += 1
            self.passes = 0
            self.last_bid[seat] = self.turns + 1
            if self.laid_this_turn < self.limit:
                return
        elif verb == "pass":
            self.passes += 1
        self.turns += 1
        self.bidder = left(seat, self.seats)
        self.laid_this_turn = 0
        self.limit = lay_limit([len(cards) for cards in self.laid], self.bidder)
        if self.passes == self.seats:
            self.end_auction()

    def end_auction(self) -> None:
        counts = [len(cards) for cards in self.laid]
        chief = chief_of(counts)
        if chief is None:
            self.over = True
            self.scores = stalemate_scores(counts, self.last_bid)
            return
        self.chief = chief
        self.height = counts[chief]
        vice = vice_of(self.laid, chief)
        self.vice = -1 if vice is None else vice
        self.phase = "chief" if vice is None else "vice"

    def end_trick(self) -> None:
        winner = trick_winner(self.trick, self.chief_trump, self.vice_trump)
        self.leader = (self.leader + winner) % self.seats
        self.captured[self.leader] += self.trick
        self.trick = []
        if any(self.hands) or any(self.laid):
            return
        self.over = True
        own = [sum(card_points(card) for card in cards) for cards in self.captured]
        contract = contract_scores(
            self.seats,
            self.height,
            own[self.chief] + own[self.partner],
            self.chief,
            self.partner,
            str(self.chief_trump),
            self.options["bonus_cap"],
        )
        self.scores = [own[seat] + contract[seat] for seat in range(self.seats)]
