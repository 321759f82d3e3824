"""Sticheln, RULES chapter 1: any card at any time; foreign colours trump; the pain colour hurts."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    Simultaneous,
    clockwise,
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

SEATS = (3, 4, 5, 6)
HIGHEST = {3: 8, 4: 11, 5: 14, 6: 14}


def default_options(seats: int) -> dict[str, Any]:
    return {"edition": "long", "zero_trick": "leader", "length": "deals:10"}


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "edition": one_of("long", "short"),
        "zero_trick": one_of("leader", "nobody"),
        "length": is_length("deals", "points"),
        "max_deals": is_whole,
    }
    by_points = str(options.get("length", "")).startswith("points:")
    require_options(options, known, voluntary=() if by_points else ("max_deals",))


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    colours = "RYGBOV" if seats == 6 else "RYGBO"
    return [f"{colour}{value}" for colour in colours for value in range(HIGHEST[seats] + 1)]


def words(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"{verb} {card}" for verb in ("pain", "play") for card in deck(seats, options)]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    return {"hands": portions(shuffled(deck(seats, options), rng), seats, 15)}


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    kind, count = length_of(options)
    if kind == "deals":
        return played >= count
    return max(totals) >= count or played >= options["max_deals"]


def trick_winner(cards: list[str], zero_trick: str) -> int | None:
    """Return the position of the winning card in the trick; None where no seat takes it (1.2, step 4)."""
    led = suit(cards[0])
    trumps = [card for card in cards if suit(card) != led and number(card) > 0]
    if trumps:
        best = max(number(card) for card in trumps)
        return cards.index(next(card for card in trumps if number(card) == best))
    if all(number(card) == 0 for card in cards):
        return 0 if zero_trick == "leader" else None
    best = max(number(card) for card in cards if suit(card) == led)
    return cards.index(f"{led}{best}")


def deal_score(captured: list[str], pain: str) -> int:
    """Score a deal (1.2, step 5)."""
    score = -number(pain)
    for card in captured:
        score += -number(card) if suit(card) == suit(pain) else 1
    return score


class StichelnRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        require_hands(dealt["hands"], seats, 15)
        require_cards([card for hand in dealt["hands"] for card in hand], deck(seats, options))
        self.seats = seats
        self.zero_trick = options["zero_trick"]
        self.hands = [list(hand) for hand in dealt["hands"]]
        self.pains = Simultaneous(clockwise(left(dealer, seats), seats))
        self.captured: list[list[str]] = [[] for _ in range(seats)]
        self.leader = left(dealer, seats)
        self.trick: list[str] = []
        self.over = False
        self.scores = [0] * seats

    def at_once(self) -> bool:
        return not self.pains.complete()

    def awaited(self) -> list[int]:
        if self.over:
            return []
        return self.pains.awaited() or [(self.leader + len(self.trick)) % self.seats]

    def is_legal(self, seat: int, word: str) -> bool:
        verb, card = word.split()
        return (
            seat in self.awaited()
            and verb == ("pain" if self.at_once() else "play")
            and card in self.hands[seat]
        )

    def play(self, seat: int, word: str) -> None:
        card = word.split()[1]
        self.hands[seat].remove(card)
        if self.at_once():
            self.pains.made[seat].append(card)
            return
        self.trick.append(card)
        if len(self.trick) == self.seats:
            self.end_trick()

    def end_trick(self) -> None:
        position = trick_winner(self.trick, self.zero_trick)
        if position is not None:
            self.leader = (self.leader + position) % self.seats
            self.captured[self.leader] += self.trick
        self.trick = []
        if not any(self.hands):
            self.over = True
            self.scores = [
                deal_score(self.captured[seat], self.pains.made[seat][0]) for seat in range(self.seats)
            ]
