"""At Sixes and Sevens, RULES chapter 3: sevens set the trump, sixes turn the trick low."""

from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    is_length,
    is_whole,
    left,
    length_of,
    one_of,
    portions,
    require_cards,
    require_hands,
    require_options,
    shuffled,
    suit,
)

SEATS = (4,)
RANKS = "23456789TJQKA"


def default_options(seats: int) -> dict[str, Any]:
    return {"length": "deals:4", "off_suit_seven": "normal"}


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "length": is_length("deals", "points"),
        "off_suit_seven": one_of("normal", "absolute"),
        "max_deals": is_whole,
    }
    by_points = str(options.get("length", "")).startswith("points:")
    require_options(options, known, voluntary=() if by_points else ("max_deals",))


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"{colour}{rank}" for colour in "CDHS" for rank in RANKS]


def words(seats: int, options: dict[str, Any]) -> list[str]:
    return [f"play {card}" for card in deck(seats, options)]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    cards = deck(seats, options)
    hands = portions(shuffled([card for card in cards if card[1] not in "67"], rng), 4, 11)
    sixes = shuffled([card for card in cards if card[1] == "6"], rng)
    sevens = shuffled([card for card in cards if card[1] == "7"], rng)
    return {"hands": [hands[seat] + [sixes[seat], sevens[seat]] for seat in range(4)]}


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    kind, count = length_of(options)
    if kind == "deals":
        return played >= count
    return max(totals) >= count or played >= options["max_deals"]


def playable(hand: list[str], trick: list[str]) -> list[str]:
    if not trick or not any(suit(card) == suit(trick[0]) for card in hand):
        return list(hand)
    return [card for card in hand if suit(card) == suit(trick[0]) or card[1] in "67"]


def trump_after(trick: list[str], trump: str | None) -> str | None:
    for card in trick:
        if card[1] == "7":
            trump = suit(card)
    return trump


def trick_winner(trick: list[str], trump: str | None, off_suit_seven: str) -> int:
    """Return the position of the winning card; `trump` is the suit in force at the end of the trick (3.3)."""
    sevens = [card for card in trick if card[1] == "7"]
    if off_suit_seven == "absolute" and sevens and suit(sevens[-1]) != suit(trick[0]):
        return trick.index(sevens[-1])
    trumps = [card for card in trick if suit(card) == trump]
    candidates = trumps or [card for card in trick if suit(card) == suit(trick[0])]
    candidates.sort(key=lambda card: RANKS.index(card[1]))
    low = any(card[1] == "6" for card in trick)
    return trick.index(candidates[0] if low else candidates[-1])


def side_points(tricks: int, captured: list[str]) -> int:
    sixes = sum(card[1] == "6" for card in captured)
    sevens = sum(card[1] == "7" for card in captured)
    return 5 * tricks + 6 * sixes + 7 * sevens


def side_scores(points: list[int]) -> list[int]:
    """The better side scores the difference (3.4)."""
    return [max(0, points[0] - points[1]), max(0, points[1] - points[0])]


class SixesAndSevensRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        require_hands(dealt["hands"], 4, 13)
        require_cards([card for hand in dealt["hands"] for card in hand], deck(seats, options))
        for seat, hand in enumerate(dealt["hands"]):
            if sum(card[1] == "6" for card in hand) != 1 or sum(card[1] == "7" for card in hand) != 1:
                raise ValueError(f"seat {seat} does not hold exactly one 6 and one 7")
        self.off_suit_seven = options["off_suit_seven"]
        self.hands = [list(hand) for hand in dealt["hands"]]
        self.leader = left(dealer, 4)
        self.trump: str | None = None
        self.trick: list[str] = []
        self.tricks = [0, 0]
        self.captured: list[list[str]] = [[], []]
        self.over = False
        self.scores = [0] * 4

    def awaited(self) -> list[int]:
        return [] if self.over else [(self.leader + len(self.trick)) % 4]

    def is_legal(self, seat: int, word: str) -> bool:
        card = word.split()[1]
        if seat not in self.awaited() or card not in self.hands[seat]:
            return False
        return card in playable(self.hands[seat], self.trick)

    def play(self, seat: int, word: str) -> None:
        card = word.split()[1]
        self.hands[seat].remove(card)
        self.trick.append(card)
        if len(self.trick) == 4:
            self.end_trick()

    def end_trick(self) -> None:
        self.trump = trump_after(self.trick, self.trump)
        self.leader = (self.leader + trick_winner(self.trick, self.trump, self.off_suit_seven)) % 4
        side = self.leader % 2
        self.tricks[side] += 1
        self.captured[side] += self.trick
        self.trick = []
        if not any(self.hands):
            self.over = True
            sides = side_scores([side_points(self.tricks[side], self.captured[side]) for side in (0, 1)])
            self.scores = [sides[0], sides[1], sides[0], sides[1]]
