"""Biased random walks over every game: every phase is reached, and what the rules promise holds all the way.

`python benchmarks/walk.py --decisions N [--game G]` walks N decisions for each game and number of seats, the
options taken in turn. Each deal draws how eagerly it takes what leads on (bids, calls, swaps), from hardly
ever to nearly always: uniform choice would hardly ever end an auction of Mü in tricks. Exits 1 when a verb or
phase was visited less than 1,000 times for a million decisions; a promise that does not hold stops the walk.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import cycle, pairwise, product
from random import Random
from typing import Any

from stichkampf.engine.deal import Carry, Deal
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import Chance, match_seed
from stichkampf.games import GAMES, new_game

VISITS_IN_A_MILLION = 1000

VERBS = {
    "sticheln": ("pain", "play"),
    "stiche-raten": ("trump", "bid", "play"),
    "sixes-and-sevens": ("play",),
    "mue": ("pass", "lay", "stop", "trump", "partner", "play"),
    "njet": ("block", "team", "monster", "discard", "give", "play"),
    "meinz": ("away", "play", "quiet", "call", "keep", "swap"),
    "was-sticht": ("choose", "take", "show", "play", "drop"),
}
PHASES = {
    "sticheln": ("pain cards", "tricks"),
    "stiche-raten": ("naming trump", "bidding", "tricks"),
    "sixes-and-sevens": ("tricks",),
    "mue": ("auction", "vice's trump", "chief's trump", "partner", "tricks"),
    "njet": ("stones", "teams", "monster", "discarding", "tricks"),
    "meinz": ("putting away", "tricks"),
    "was-sticht": ("choosing tasks", "draft", "showing tasks", "tricks", "discarding a task"),
}
# With two seats Njet has no teams to name, and only with five a holder of the monster.
ABSENT = {("njet", 2): {"team", "teams", "monster"}, ("njet", 3): {"monster"}, ("njet", 4): {"monster"}}

OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "sticheln": {"zero_trick": ("leader", "nobody")},
    "stiche-raten": {
        "deck": (64, 52),
        "greifen_passen": (True, False, True),  # a trump is seldom named, and only under this option
        "hook": (True, False),
        "ten_high": (False, True),
    },
    "sixes-and-sevens": {"off_suit_seven": ("normal", "absolute")},
    "mue": {"bonus_cap": (100, "none"), "allow_same_trump": (False, True)},
    "njet": {"scoring": ("full", "difference"), "supertrump_suit": ("trump", "own")},
    "meinz": {},
    "was-sticht": {
        "tasks_per_player": (4, 3, 5),
        "distinct_tasks": (False, True),
        "dummy_in_hint": (True, False),
    },
}

LEADING_ON = ("lay", "call", "swap")
EAGERNESS = (0.02, 0.2, 0.5, 0.9)


class BrokenPromise(AssertionError):
    """Something that the rules promise did not hold."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="walk.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decisions", type=int, default=1_000_000, help="for each game and number of seats")
    parser.add_argument("--game", choices=GAMES, help="one game only")
    parser.add_argument("--seed", default="walk", help="any text")
    args = parser.parse_args()
    missed = []
    for name in [args.game] if args.game else GAMES:
        for seats in GAMES[name].players:
            walk = Walk(name, seats, args.seed)
            walk.run(args.decisions)
            print(walk.line(), flush=True)
            missed += walk.missed()
    for line in missed:
        print(f"walk: {line}", file=sys.stderr)
    return 1 if missed else 0


@dataclass
class Walk:
    """The walks of one game and number of seats."""

    name: str
    seats: int
    seed: str
    decisions: int = 0
    deals: int = 0
    visits: Counter[str] = field(default_factory=Counter)

    def run(self, decisions: int) -> None:
        for match, game in enumerate(cycle(self.games())):
            self.match(game, f"{self.seed} {self.name} {self.seats} {match}", decisions)
            if self.decisions >= decisions:
                return

    def games(self) -> list[Game]:
        names = OPTIONS[self.name]
        return [
            new_game(self.name, self.seats, dict(zip(names, values, strict=True)))
            for values in product(*names.values())
        ]

    def match(self, game: Game, seed: str, decisions: int) -> None:
        """The deals of one match, at most seven; in Stiche-Raten the small rounds come most often."""
        random = Random(seed)
        carry = game.start()
        dealer = game.first_dealer(Chance(match_seed(seed), "dealer"))
        for number in self.numbers(game, random):
            chance = Chance(match_seed(seed), f"deal {number}")
            deal = game.new_deal(number, dealer, game.shuffle(chance, number, carry), carry)
            self.deal(game, deal, random, carry)
            carry = game.carry(deal, carry)
            dealer = game.next_dealer(dealer)
            if self.decisions >= decisions or any(not tasks for tasks in carry.get("tasks", ())):
                return

    def numbers(self, game: Game, random: Random) -> Iterator[int]:
        if self.name != "stiche-raten":
            yield from range(4)
            return
        rounds = int(game.options["deck"]) // self.seats
        for _ in range(6):
            most = 1 + random.randrange(rounds)
            yield random.randrange(1 + random.randrange(most))
        yield rounds - 1

    def deal(self, game: Game, deal: Deal, random: Random, carry: Carry) -> None:
        """Walk one deal to its end, holding it to its promises on the way."""
        eagerness = random.choice(EAGERNESS)
        book = Book(game, deal, carry)
        while not deal.is_over():
            seat = random.choice(deal.to_act())
            legal = deal.legal_of(seat)
            book.before(seat, legal)
            action = choose(deal, legal, eagerness, random)
            word = deal.word(action)
            phase = deal.phase()
            self.visits[phase] += 1
            self.visits["verb " + word.split(" ", 1)[0]] += 1
            deal.apply_by(seat, action)
            book.after(seat, word)
            self.decisions += 1
        book.close()
        self.deals += 1

    def expected(self) -> list[str]:
        absent = ABSENT.get((self.name, self.seats), set())
        verbs = [f"verb {verb}" for verb in VERBS[self.name] if verb not in absent]
        return verbs + [phase for phase in PHASES[self.name] if phase not in absent]

    def missed(self) -> list[str]:
        needed = max(1, VISITS_IN_A_MILLION * self.decisions // 1_000_000)
        return [
            f"{self.name}, {self.seats} seats: {what} visited {self.visits[what]} times, not {needed}"
            for what in self.expected()
            if self.visits[what] < needed
        ]

    def line(self) -> str:
        counts = ", ".join(f"{what} {self.visits[what]}" for what in self.expected())
        return f"{self.name} {self.seats}: {self.decisions} decisions, {self.deals} deals; {counts}"


def choose(deal: Deal, legal: list[int], eagerness: float, random: Random) -> int:
    """A legal action: leading on as eagerly as this deal is, else any."""
    if len(legal) == 1:
        return legal[0]
    on = [action for action in legal if deal.word(action).split(" ", 1)[0] in LEADING_ON]
    if not on or len(on) == len(legal):
        return random.choice(legal)
    if random.random() < eagerness:
        return random.choice(on)
    return random.choice([action for action in legal if action not in on])


class Book:
    """Promises of one deal, checked by other means than the engine's: by the words of cards and actions."""

    def __init__(self, game: Game, deal: Deal, carry: Carry) -> None:
        self.game = game
        self.deal = deal
        self.hands = [Counter(deal.hand(s)) for s in range(game.table_seats)]
        self.laid: list[Counter[str]] = [Counter() for _ in self.hands]  # Mü: laid open and not played
        self.dealt = sum(self.hands, Counter())
        self.played: Counter[str] = Counter()
        self.tasks_before = sum(len(tasks) for tasks in carry.get("tasks", ()))

    def hold(self, promise: bool, what: str) -> None:
        if not promise:
            raise BrokenPromise(
                f"{self.game.name}, {self.game.seats} seats, {self.game.options}: {what}; {self.deal.facts()}"
            )

    def before(self, seat: int, legal: list[int]) -> None:
        deal = self.deal
        self.hold(bool(legal), f"seat {seat} has no legal action")
        self.hold(
            all(a < b for a, b in pairwise(legal)),
            f"legal actions {legal} are not ascending",
        )
        self.hold(0 <= seat < self.game.table_seats, f"seat {seat} acts")
        hand = deal.hand(seat)
        self.hold(
            Counter(hand) == self.hands[seat], f"seat {seat} holds {hand}, not {dict(self.hands[seat])}"
        )
        if deal.awaited:
            return  # the public size of a hand does not show what was put away and not revealed
        size = len(hand) + self.laid[seat].total()
        self.hold(size == deal.hand_size(seat), f"seat {seat} has {size} cards, not {deal.hand_size(seat)}")

    def after(self, seat: int, word: str) -> None:
        """Follow an action with the book's own hands."""
        verb, _, what = word.partition(" ")
        if verb == "play":
            self.played[what] += 1
            from_whence = self.laid[seat] if self.laid[seat][what] else self.hands[seat]
            self.hold(from_whence[what] > 0, f"seat {seat} played {what} and does not hold it")
            from_whence[what] -= 1
        elif verb == "swap":
            own, other = what.split()
            self.hands[seat] = self.hands[seat] - Counter([own]) + Counter([other])
            self.played = self.played - Counter([other]) + Counter([own])
        elif verb == "take":
            self.hands[seat][what] += 1
        elif verb in ("lay", "pain", "away", "discard", "give"):
            self.laid[seat][what] += verb == "lay"
            self.sync(verb)
        if self.deal.tricks_done() and not self.deal.table():
            trick = self.deal.last_trick()
            self.hold(
                trick is not None and len(trick.cards) == self.game.table_seats,
                "a trick is not one card a seat",
            )

    def sync(self, verb: str) -> None:
        """Hidden and open laying away: hands lose as many cards as were laid, no card comes from nowhere."""
        for s in range(self.game.table_seats):
            hand = Counter(self.deal.hand(s))
            new = hand - self.hands[s]
            self.hold(verb == "give" or not new, f"{new} came into the hand of seat {s} by {verb}")
            self.hands[s] = hand
        total = sum(self.hands, Counter())
        self.hold(not total - self.dealt, f"more cards than were dealt after {verb}")

    def close(self) -> None:
        scores = self.deal.scores()
        self.hold(len(scores) == self.game.seats, f"{len(scores)} scores")
        self.hold(not self.played - self.deck(), "a card was played that the deck does not hold")
        PROMISES[self.game.name](self, self.deal.facts(), scores)

    def deck(self) -> Counter[str]:
        return self.dealt if self.dealt else self.played

    def tricks(self, facts: Mapping[str, Any], number: int) -> None:
        self.hold(sum(facts["tricks"]) == number, f"{facts['tricks']} are not {number} tricks")
        self.hold(
            sum(self.played.values()) == number * self.game.table_seats, "tricks and cards do not agree"
        )


def sticheln(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    seats = book.game.seats
    book.hold(sum(book.played.values()) == 14 * seats, "not 14 cards a seat were played")
    if book.game.options["zero_trick"] == "leader":
        book.tricks(facts, 14)
    book.hold(sum(scores) <= 14 * seats, "more than a point a card")
    pains = [card[0] for card in facts["pain"]]
    owned = sum(int(card[1:]) for card in facts["pain"])
    # Every captured card counts 1 or less its value; each pain card its value.
    worst = -sum(int(card[1:]) * (card[0] in pains) * n for card, n in book.played.items()) - owned
    book.hold(worst <= sum(scores), "a loss larger than all pain colours together")
    book.hold(not sum(book.hands, Counter()), "cards are left in a hand")


def stiche_raten(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    book.tricks(facts, facts["round"])
    if book.game.options["hook"]:
        book.hold(sum(facts["bids"]) != facts["round"], "the bids add up to the round")
    for bid, won, score in zip(facts["bids"], facts["tricks"], scores, strict=True):
        book.hold(
            score == (2 + won if bid == won else -abs(bid - won)), f"bid {bid}, won {won}, scored {score}"
        )


def sixes_and_sevens(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    book.tricks(facts, 13)
    ours, theirs = facts["side points"]
    book.hold(ours + theirs == 117, f"{ours} and {theirs} are not 117")
    for seat, score in enumerate(scores):
        book.hold(score == max(0, (ours - theirs) * (-1) ** seat), f"{ours} : {theirs} scored {scores}")


def mue(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    if facts["chief"] is None:
        book.hold(not book.played, "cards were played without a chief")
        book.hold(all(score % 5 == 0 for score in scores), "a stalemate scores fives")
        return
    book.tricks(facts, 60 // book.game.seats)
    points = facts["card points"]
    book.hold(sum(points) == 60, f"{points} are not 60 card points")
    side = (facts["chief"], facts["partner"])
    book.hold(
        facts["partner"] not in (facts["chief"], facts["vice"], None), "no partner, or one who cannot be"
    )
    made = sum(points[seat] for seat in side) >= facts["target"]
    for seat, (own, score) in enumerate(zip(points, scores, strict=True)):
        extra = score - own
        if made:
            book.hold(
                (extra >= 10) if seat in side else extra == 0, f"{extra} for seat {seat} of a made contract"
            )
        else:
            book.hold(
                extra < 0 if seat == side[0] else extra == 0 if seat in side else extra > 0,
                f"{extra} for seat {seat} of a failed contract",
            )


def njet(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    (discard,), (points,) = facts["board"]["discard"], facts["board"]["points"]
    away = {"none": 0, "one": 1, "two": 2, "two-no-zero": 2, "pass-two": 0}[discard]
    book.tricks(facts, {2: 15, 3: 16, 4: 15, 5: 12}[book.game.seats] - away)
    zeros = sum(n for card, n in book.played.items() if card[1] == "0")
    book.hold(sum(facts["booty"]) <= zeros, "more booty than zeros")
    worth = [
        (won + booty) * (2 if seat == facts["monster"] else 1)
        for seat, (won, booty) in enumerate(zip(facts["tricks"], facts["booty"], strict=True))
    ]
    sides = [0, 0]
    for seat, number in enumerate(worth):
        sides[seat in facts["team"]] += int(points) * number
    if book.game.options["scoring"] == "difference":
        sides = [max(sides[0] - sides[1], 0), max(sides[1] - sides[0], 0)]
    book.hold(
        scores == [sides[seat in facts["team"]] for seat in range(len(scores))], f"{worth} scored {scores}"
    )


def meinz(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    book.tricks(facts, 8)
    book.hold(facts["tricks"] == [2, 2, 2, 2], "not two tricks a seat")
    book.hold(set(scores) <= {0, 1, 2, 3} and scores.count(3) <= 1, f"scores {scores}")
    bonus = [0, 0, 0, 12 if book.game.seats == 3 else 0]
    sums = [own + extra for own, extra in zip(facts["sums"], bonus, strict=True)]
    for seat, score in enumerate(scores):
        shared = sums.count(sums[seat]) > 1
        rank = sum(other > sums[seat] for other in sums)
        book.hold(score == (0 if shared else (3, 1, 0, 2)[rank]), f"sums {sums} scored {scores}")


def was_sticht(book: Book, facts: Mapping[str, Any], scores: list[int]) -> None:
    seats = book.game.seats
    book.hold(sum(facts["tricks"]) == 9, f"{facts['tricks']} are not nine tricks")
    book.hold(sum(book.played.values()) == 9 * seats, "not nine cards a seat were played")
    book.hold(all(n == 1 for n in book.played.values()), "a card was played twice")
    book.hold(all(score in (0, 1) for score in scores), f"scores {scores}")
    before = book.tasks_before or seats * int(book.game.options["tasks_per_player"])
    left = sum(len(tasks) for tasks in facts["tasks"])
    book.hold(before - left == sum(scores), f"{before} tasks less {sum(scores)} leave {left}")
    book.hold(len(facts["hints"]) == 9, "a row without a hint")


PROMISES = {
    "sticheln": sticheln,
    "stiche-raten": stiche_raten,
    "sixes-and-sevens": sixes_and_sevens,
    "mue": mue,
    "njet": njet,
    "meinz": meinz,
    "was-sticht": was_sticht,
}


if __name__ == "__main__":
    sys.exit(main())
