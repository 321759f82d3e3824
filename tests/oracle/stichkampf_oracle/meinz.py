"""Meinz, RULES chapter 6: everybody takes two tricks, by calling or by the lowest card."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    Simultaneous,
    clockwise,
    is_length,
    length_of,
    number,
    portions,
    require_cards,
    require_hands,
    require_options,
    shuffled,
    suit,
)

SEATS = (3, 4)
PLACES = 4
"""Four play at the table, with three seats the card monster is the fourth: place 3."""
MONSTER = 3


def default_options(seats: int) -> dict[str, Any]:
    return {"length": "deals:8"}


def check_options(seats: int, options: dict[str, Any]) -> None:
    require_options(options, {"length": is_length("deals")})


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"{colour}{value}" for colour in "RYGB" for value in range(1, 10)]


def words(seats: int, options: dict[str, Any]) -> list[str]:
    cards = deck(seats, options)
    return [
        *(f"{verb} {card}" for verb in ("away", "play") for card in cards),
        "call",
        "quiet",
        "keep",
        *(f"swap {own} {other}" for own in cards for other in cards if own != other),
    ]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    hands = portions(shuffled(deck(seats, options), rng), PLACES, 9)
    return {"hands": hands} if seats == 4 else {"hands": hands[:3], "monster": hands[3]}


def first_dealers(seats: int) -> list[int]:
    return [2] if seats == 3 else [0, 1, 2, 3]


def next_dealer(dealer: int, seats: int) -> int:
    return (dealer + 1) % PLACES


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    return played >= length_of(options)[1]


def playable(hand: list[str], trick: list[str]) -> list[str]:
    if not trick or not any(suit(card) == suit(trick[0]) for card in hand):
        return list(hand)
    return [card for card in hand if suit(card) == suit(trick[0]) or number(card) == number(trick[0])]


def asked_after(cards_played: int) -> list[int]:
    """List positions in the trick, in the order in which they are asked (6.2, step 4)."""
    return {1: [0], 2: [1, 0], 3: [2, 0, 1], 4: []}[cards_played]


def lowest(cards: list[str], full: set[int]) -> int:
    """Return the position of the owner without a call; `full`: positions of those with two tricks."""
    candidates = [position for position in range(len(cards)) if position not in full]
    least = min(number(cards[position]) for position in candidates)
    return [position for position in candidates if number(cards[position]) == least][-1]


def place_points(sums: list[int]) -> list[int]:
    """Score the places (6.3)."""
    return [0 if sums.count(own) > 1 else (3, 1, 0, 2)[sum(other > own for other in sums)] for own in sums]


class MeinzRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        stack = [dealt["monster"]] if seats == 3 else []
        require_hands(dealt["hands"], seats, 9)
        require_hands(stack, PLACES - seats, 9)
        self.hands = [list(hand) for hand in [*dealt["hands"], *stack]]
        require_cards([card for hand in self.hands for card in hand], deck(seats, options))
        self.seats = seats
        self.aways = Simultaneous(
            [place for place in clockwise((dealer + 1) % PLACES, PLACES) if not self.is_monster(place)]
        )
        self.leader = (dealer + 1) % PLACES
        self.trick: list[str] = []
        self.owner: int | None = None
        self.asking: list[int] = []
        self.swapping = False
        self.tricks = [0] * PLACES
        self.captured: list[list[str]] = [[] for _ in range(PLACES)]
        self.over = False
        self.scores = [0] * seats

    def is_monster(self, place: int) -> bool:
        return self.seats == 3 and place == MONSTER

    def at_once(self) -> bool:
        return not self.aways.complete()

    def monster_turn(self) -> bool:
        return self.awaited() == [MONSTER] and self.is_monster(MONSTER)

    def place(self, position: int) -> int:
        return (self.leader + position) % PLACES

    def awaited(self) -> list[int]:
        if self.over:
            return []
        if self.at_once():
            return self.aways.awaited()
        if self.asking:
            return [self.asking[0]]
        if self.swapping and self.owner is not None:
            return [self.owner]
        return [self.place(len(self.trick))]

    def is_legal(self, seat: int, word: str) -> bool:
        if seat not in self.awaited():
            return False
        verb, *what = word.split()
        if self.at_once():
            return verb == "away" and what[0] in self.hands[seat]
        if self.asking:
            return verb in ("call", "quiet")
        if self.swapping:
            return verb == "keep" or (
                verb == "swap"
                and what[0] in self.hands[seat]
                and what[1] in self.trick
                and suit(what[0]) == suit(what[1])
            )
        if self.is_monster(seat):
            return verb == "play" and what[0] == self.hands[seat][0]
        if verb != "play" or what[0] not in self.hands[seat]:
            return False
        return what[0] in playable(self.hands[seat], self.trick)

    def play(self, seat: int, word: str) -> None:
        verb, *what = word.split()
        if verb == "away":
            self.hands[seat].remove(what[0])
            self.aways.made[seat].append(what[0])
        elif verb == "play":
            self.hands[seat].remove(what[0])
            self.trick.append(what[0])
            self.after_card()
        elif verb == "quiet":
            self.asking.pop(0)
        elif verb == "call":
            self.owner = seat
            self.asking = []
        else:
            if verb == "swap":
                own, other = what
                self.hands[seat].remove(own)
                self.hands[seat].append(other)
                self.trick[self.trick.index(other)] = own
            self.swapping = False
            self.take_trick()

    def after_card(self) -> None:
        unfilled = [place for place in range(PLACES) if self.tricks[place] < 2]
        if len(self.trick) < PLACES:
            if self.owner is None and len(unfilled) > 1:
                places = [self.place(position) for position in asked_after(len(self.trick))]
                self.asking = [place for place in places if place in unfilled and not self.is_monster(place)]
            return
        if self.owner is None:
            full = {position for position in range(PLACES) if self.place(position) not in unfilled}
            self.owner = self.place(lowest(self.trick, full))
        last = sum(self.tricks) == 7
        if last or self.is_monster(self.owner):
            self.take_trick()
        else:
            self.swapping = True

    def take_trick(self) -> None:
        assert self.owner is not None
        self.captured[self.owner] += self.trick
        self.tricks[self.owner] += 1
        self.leader = self.owner
        self.owner = None
        self.trick = []
        if sum(self.tricks) == 8:
            self.over = True
            sums = [sum(number(card) for card in cards) for cards in self.captured]
            if self.seats == 3:
                sums[MONSTER] += 12
            self.scores = place_points(sums)[: self.seats]
