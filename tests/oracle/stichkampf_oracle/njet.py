"""Njet, RULES chapter 5: the players block, stone by stone, choices that they do not want."""

from itertools import combinations
from random import Random
from typing import Any

from stichkampf_oracle.common import (
    Round,
    Simultaneous,
    clockwise,
    is_length,
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

SEATS = (2, 3, 4, 5)
HAND = {2: 15, 3: 16, 4: 15, 5: 12}
DEALS = {2: 8, 3: 9, 4: 8, 5: 10}


def default_options(seats: int) -> dict[str, Any]:
    return {"length": f"deals:{DEALS[seats]}", "scoring": "full", "supertrump_suit": "trump"}


def check_options(seats: int, options: dict[str, Any]) -> None:
    known = {
        "length": is_length("deals"),
        "scoring": one_of("full", "difference"),
        "supertrump_suit": one_of("trump", "own"),
    }
    require_options(options, known)


def deck(seats: int, options: dict[str, Any]) -> list[str]:
    sevens = (7,) if seats == 3 else (7, 7, 7, 7)
    numbers = (0, 0, 0, 1, 2, 3, 4, 5, 6, *sevens, 8, 9)
    return [f"{colour}{value}" for colour in "BYRK" for value in numbers]


def board(seats: int) -> dict[str, list[str]]:
    """The free fields of each row before the first stone (5.2); absent players are covered."""
    return {
        "start": [str(seat) for seat in range(seats)],
        "discard": ["none", "one", "two", "two-no-zero", "pass-two"],
        "trump": ["B", "Y", "R", "K", "none"],
        "super": ["B", "Y", "R", "K", "none"],
        "points": ["1", "2", "3", "4", "-2"],
    }


def words(seats: int, options: dict[str, Any]) -> list[str]:
    kinds = sorted(set(deck(seats, options)))
    everyone = range(seats)
    return [
        *(f"block {row} {field}" for row, fields in board(5).items() for field in fields),
        *(f"team {seat}" for seat in everyone),
        *(f"team {one} {other}" for one, other in combinations(everyone, 2)),
        "team alone",
        *(f"monster {seat}" for seat in everyone),
        *(f"{verb} {card}" for verb in ("discard", "give", "play") for card in kinds),
    ]


def deal_cards(seats: int, options: dict[str, Any], deal: int, rng: Random) -> dict[str, Any]:
    cards = shuffled(deck(seats, options), rng)
    dealt: dict[str, Any] = {"hands": portions(cards, seats, HAND[seats])}
    if seats == 2:
        dealt["stock"] = cards[30:]
    return dealt


def first_dealers(seats: int) -> list[int]:
    return list(range(seats))


def next_dealer(dealer: int, seats: int) -> int:
    return left(dealer, seats)


def finished(seats: int, options: dict[str, Any], played: int, totals: list[int], carry: Any) -> bool:
    return played >= length_of(options)[1]


# --- the tricks; `trump` and `supertrump` are colour letters or "none"


def is_super(card: str, supertrump: str) -> bool:
    return number(card) == 0 and suit(card) == supertrump


def in_trump_suit(card: str, trump: str, supertrump: str) -> bool:
    return suit(card) == trump or is_super(card, supertrump)


def playable(
    hand: list[str], trick: list[str], trump: str, supertrump: str, supertrump_suit: str
) -> list[str]:
    """List the playable cards (5.4); `supertrump_suit` "own": a supertrump also follows its printed colour,
    and must.
    """
    if not trick:
        return list(hand)
    if in_trump_suit(trick[0], trump, supertrump):
        following = [card for card in hand if in_trump_suit(card, trump, supertrump)]
    else:
        following = [
            card
            for card in hand
            if suit(card) == suit(trick[0])
            and (supertrump_suit == "own" or not in_trump_suit(card, trump, supertrump))
        ]
    return following or list(hand)


def trick_winner(cards: list[str], trump: str, supertrump: str) -> int:
    supers = [position for position, card in enumerate(cards) if is_super(card, supertrump)]
    if supers:
        return supers[-1]
    trumps = [position for position, card in enumerate(cards) if suit(card) == trump]
    candidates = trumps or [position for position, card in enumerate(cards) if suit(card) == suit(cards[0])]
    best = max(number(cards[position]) for position in candidates)
    return [position for position in candidates if number(cards[position]) == best][-1]


def booty(trick: list[tuple[int, str]], winner: int, winners_team: set[int]) -> int:
    """Count the zeros of the winner's opponents."""
    return sum(number(card) == 0 and seat not in winners_team for seat, card in trick)


def team_result(points: int, gains: dict[int, int], monster: int | None) -> int:
    """`gains`: tricks + booty of each member; the monster's holder counts twice (5.5)."""
    return points * sum(2 * gain if seat == monster else gain for seat, gain in gains.items())


def scored(results: list[int], scoring: str) -> list[int]:
    """Score the results of the two teams."""
    if scoring == "full":
        return results
    return [max(0, results[0] - results[1]), max(0, results[1] - results[0])]


class NjetRound(Round):
    def __init__(
        self, seats: int, options: dict[str, Any], deal: int, dealer: int, dealt: dict[str, Any], carry: Any
    ) -> None:
        require_hands(dealt["hands"], seats, HAND[seats])
        stock = dealt["stock"] if seats == 2 else []
        require_cards([card for hand in dealt["hands"] for card in hand] + stock, deck(seats, options))
        self.seats = seats
        self.options = options
        self.dealer = dealer
        self.hands = [list(hand) for hand in dealt["hands"]]
        self.board = board(seats)
        self.stones = 0
        self.phase = "stones"
        self.start = -1
        self.team: set[int] = set()
        self.monster: int | None = None
        self.chosen = Simultaneous([])
        self.leader = -1
        self.trick: list[tuple[int, str]] = []
        self.gains = dict.fromkeys(range(seats), 0)
        self.over = False
        self.scores = [0] * seats

    def field(self, row: str) -> str:
        """Return the row's last free field."""
        (only,) = self.board[row]
        return only

    def others(self) -> set[int]:
        return set(range(self.seats)) - self.team

    def pair(self) -> set[int]:
        return self.team if len(self.team) == 2 else self.others()

    def at_once(self) -> bool:
        return self.phase == "discard"

    def awaited(self) -> list[int]:
        if self.over:
            return []
        if self.phase == "stones":
            return [(self.dealer + self.stones) % self.seats]
        if self.phase in ("team", "monster"):
            return [self.start]
        if self.phase == "discard":
            return self.chosen.awaited()
        return [(self.leader + len(self.trick)) % self.seats]

    def is_legal(self, seat: int, word: str) -> bool:
        if seat not in self.awaited():
            return False
        verb, *what = word.split()
        if self.phase == "stones":
            return verb == "block" and what[1] in self.board[what[0]] and len(self.board[what[0]]) >= 2
        if self.phase == "team":
            if verb != "team":
                return False
            if what == ["alone"]:
                return self.seats == 3
            return str(self.start) not in what and (len(what) == 1 or self.seats == 5)
        if self.phase == "monster":
            return verb == "monster" and int(what[0]) in self.pair()
        if self.phase == "discard":
            return self.may_part_with(seat, verb, what[0])
        if verb != "play" or what[0] not in self.hands[seat]:
            return False
        cards = [card for _, card in self.trick]
        return what[0] in playable(
            self.hands[seat], cards, self.field("trump"), self.field("super"), self.options["supertrump_suit"]
        )

    def may_part_with(self, seat: int, verb: str, card: str) -> bool:
        kind = self.field("discard")
        if verb != ("give" if kind == "pass-two" else "discard") or card not in self.hands[seat]:
            return False
        only_zeros_left = all(number(held) == 0 for held in self.hands[seat])
        return kind != "two-no-zero" or number(card) != 0 or only_zeros_left

    def play(self, seat: int, word: str) -> None:
        _, *what = word.split()
        if self.phase == "stones":
            self.board[what[0]].remove(what[1])
            self.stones += 1
            if all(len(fields) == 1 for fields in self.board.values()):
                self.begin_teams()
        elif self.phase == "team":
            partners = {int(partner) for partner in what if partner != "alone"}
            self.team = {self.start} | partners
            self.after_team()
        elif self.phase == "monster":
            self.monster = int(what[0])
            self.begin_discard()
        elif self.phase == "discard":
            self.hands[seat].remove(what[0])
            self.chosen.made[seat].append(what[0])
            if self.chosen.complete():
                self.end_discard()
        else:
            self.hands[seat].remove(what[0])
            self.trick.append((seat, what[0]))
            if len(self.trick) == self.seats:
                self.end_trick()

    def begin_teams(self) -> None:
        self.start = self.leader = int(self.field("start"))
        if self.seats == 2:
            self.team = {self.start}
            self.begin_discard()
        else:
            self.phase = "team"

    def after_team(self) -> None:
        if self.seats == 5:
            self.phase = "monster"
            return
        if self.seats == 3:
            (self.monster,) = self.team if len(self.team) == 1 else self.others()
        self.begin_discard()

    def begin_discard(self) -> None:
        kind = self.field("discard")
        if kind == "none":
            self.phase = "tricks"
            return
        self.phase = "discard"
        order = clockwise(left(self.dealer, self.seats), self.seats)
        self.chosen = Simultaneous(order, each=1 if kind == "one" else 2)

    def end_discard(self) -> None:
        if self.field("discard") == "pass-two":
            for seat, given in self.chosen.made.items():
                self.hands[(seat - 1) % self.seats] += given
        self.phase = "tricks"

    def end_trick(self) -> None:
        cards = [card for _, card in self.trick]
        winner = self.trick[trick_winner(cards, self.field("trump"), self.field("super"))][0]
        winners_team = self.team if winner in self.team else self.others()
        self.gains[winner] += 1 + booty(self.trick, winner, winners_team)
        self.leader = winner
        self.trick = []
        if any(self.hands):
            return
        self.over = True
        teams = [self.team, self.others()]
        points = int(self.field("points"))
        results = [
            team_result(points, {seat: self.gains[seat] for seat in team}, self.monster) for team in teams
        ]
        for team, score in zip(teams, scored(results, self.options["scoring"]), strict=True):
            for seat in team:
                self.scores[seat] = score
