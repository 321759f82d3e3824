"""Figures of sensible play: what the house bots do before and around the tricks, beside what a person would.

Every game is played by mixed tables of all house bots that think (all but `random`, `timid` and `bold`), and
by tables of one kind. In Mü the command exits 1 where the figures of a table miss their goals.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.bots.registry import house_bots
from stichkampf.engine.deal import Deal
from stichkampf.games import GAMES, new_game
from stichkampf.games.was_sticht import WasStichtDeal
from stichkampf.match.records import steps

NOT_THINKING = ("random", "timid", "bold")
DEALS_A_MATCH = 10
MIXED = "mixed"


@dataclass
class Share:
    """A share: times that something happened, of the times that it could.

    :ivar goal: the least and the most that play is called sensible with; None for none.
    """

    goal: tuple[float, float] | None = None
    yes: int = 0
    of: int = 0

    def count(self, happened: bool) -> None:
        self.yes += happened
        self.of += 1

    @property
    def share(self) -> float:
        return self.yes / self.of if self.of else 0.0

    def __str__(self) -> str:
        return f"{100 * self.share:.0f}% of {self.of}"

    @property
    def is_met(self) -> bool:
        return self.goal is None or self.goal[0] <= self.share <= self.goal[1]


@dataclass
class Figures:
    """The figures of one game at one kind of table, by what they count."""

    shares: dict[str, Share] = field(default_factory=dict)

    def count(self, name: str, happened: bool, goal: tuple[float, float] | None = None) -> None:
        self.shares.setdefault(name, Share(goal)).count(happened)

    def add(self, other: Figures) -> None:
        for name, share in other.shares.items():
            own = self.shares.setdefault(name, Share(share.goal))
            own.yes += share.yes
            own.of += share.of


Moves = Sequence[tuple[Mapping[str, Any], Sequence[str], int, str]]
"""The moves of a deal: public facts and own hand before each choice, the seat, and the word that it chose."""


def mue(figures: Figures, deal: Deal, moves: Moves) -> None:
    facts = deal.facts()
    chief = facts["chief"]
    figures.count("deals that reach the tricks", chief is not None, (0.9, 1.0))
    laid = [0] * deal.seats
    for _, _, seat, word in moves:
        laid[seat] += word.startswith("lay")
    if any(laid):
        figures.count("highest bidder lays 6 cards or fewer", max(laid) <= 6, (0.9, 1.0))
    if chief is not None:
        won = facts["card points"][chief] + facts["card points"][facts["partner"]]
        figures.count("contracts made", won >= facts["target"], (0.35, 0.8))
        figures.count("contracts with a vice", facts["vice"] is not None)


def njet(figures: Figures, deal: Deal, moves: Moves) -> None:
    for _facts, hand, seat, word in moves:
        verb, *what = word.split()
        if verb == "block" and what[0] == "trump" and what[1] != "none":
            held = sum(card[0] == what[1] for card in hand)
            longest = max(sum(card[0] == colour for card in hand) for colour in "BYRK")
            figures.count("trump stones that block the own longest colour", held == longest)
        elif verb == "block" and what[0] == "start":
            figures.count("start stones that block the own seat", int(what[1]) == seat)
        elif verb == "block" and what[0] == "super" and what[1] != "none":
            zeros = hand.count(what[1] + "0")
            most = max(hand.count(colour + "0") for colour in "BYRK")
            figures.count("super stones that block the colour of most own zeros", zeros == most > 0)
        elif verb in ("discard", "give"):
            figures.count(
                "discards of an 8, a 9 or a supertrump", what[0][1] in "89" or is_super(_facts, what[0])
            )


def is_super(facts: Mapping[str, Any], card: str) -> bool:
    return card[1] == "0" and facts["board"]["super"] == [card[0]]


def stiche_raten(figures: Figures, deal: Deal, moves: Moves) -> None:
    facts = deal.facts()
    for bid, tricks in zip(facts["bids"], facts["tricks"], strict=True):
        figures.count("bids met", bid == tricks)
        figures.count("bids missed by more than one", abs(bid - tricks) > 1)


def meinz(figures: Figures, deal: Deal, moves: Moves) -> None:
    for _facts, _hand, _seat, word in moves:
        if word in ("call", "quiet"):
            figures.count("calls where asked", word == "call")
        elif word.startswith("away"):
            figures.count("discards of a 4, 5 or 6", word[-1] in "456")


def was_sticht(figures: Figures, deal: Deal, moves: Moves) -> None:
    assert isinstance(deal, WasStichtDeal)
    for seat in range(deal.seats):
        if seat != deal.dealer:
            figures.count("shown tasks met", bool(deal.fulfilled >> seat & 1))


def sticheln(figures: Figures, deal: Deal, moves: Moves) -> None:
    for _facts, hand, _seat, word in moves:
        if word.startswith("pain"):
            card = word.split()[1]
            lowest = min(int(own[1:]) for own in hand if own[0] == card[0])
            figures.count("pain cards of 3 or less", int(card[1:]) <= 3)
            figures.count("pain cards that are the lowest of their colour", int(card[1:]) == lowest)


def sixes_and_sevens(figures: Figures, deal: Deal, moves: Moves) -> None:
    half = len(moves) // 2
    for number, (_facts, _hand, _seat, word) in enumerate(moves):
        if word[-1] == "7":
            figures.count("sevens kept for the second half of the deal", number >= half)


COUNTS: dict[str, Callable[[Figures, Deal, Moves], None]] = {
    "mue": mue,
    "njet": njet,
    "stiche-raten": stiche_raten,
    "meinz": meinz,
    "was-sticht": was_sticht,
    "sticheln": sticheln,
    "sixes-and-sevens": sixes_and_sevens,
}


def main() -> int:
    args = _parser().parse_args()
    met = True
    with ProcessPoolExecutor(args.workers) as pool:
        for name in [args.game] if args.game else COUNTS:
            for seats in args.seats or GAMES[name].players:
                met = _print_game(pool, args, name, seats) and met
    return 0 if met else 1


def _parser() -> argparse.ArgumentParser:
    thinking = [bot for bot in house_bots() if bot not in NOT_THINKING]
    parser = argparse.ArgumentParser(prog="sensible_play.py", description=__doc__)
    parser.add_argument("--game", choices=COUNTS, help="one game only")
    parser.add_argument(
        "--seats", type=int, nargs="+", metavar="N", help="numbers of seats (all of the game)"
    )
    parser.add_argument("--deals", type=int, default=500, metavar="N", help="deals a kind of table (500)")
    parser.add_argument(
        "--tables",
        nargs="+",
        default=[MIXED, *thinking],
        metavar="BOT",
        help="kinds of table: bots, or mixed",
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="tables side by side (2)")
    parser.add_argument("--seed", default="sensible", help="of the deals: any text")
    return parser


def _print_game(pool: ProcessPoolExecutor, args: argparse.Namespace, name: str, seats: int) -> bool:
    """Print the table of one game and number of seats; returns whether all goals are met."""
    matches = max(1, -(-args.deals // DEALS_A_MATCH))
    jobs = [(name, seats, table, matches, args.seed) for table in args.tables]
    rows = {}
    for table, figures in zip(args.tables, pool.map(figures_of, *zip(*jobs, strict=True)), strict=True):
        rows[table] = figures.shares
    names = list(dict.fromkeys(share for shares in rows.values() for share in shares))
    print(f"\n{GAMES[name].title}, {seats} seats\n\n| table | " + " | ".join(names) + " |")
    print("|---" + "|---:" * len(names) + "|")
    for table, shares in rows.items():
        cells = [
            f"{shares[n]}{'' if shares[n].is_met else ' **missed**'}" if n in shares else "" for n in names
        ]
        print(f"| {table} | " + " | ".join(cells) + " |", flush=True)
    return all(share.is_met for shares in rows.values() for share in shares.values())


def figures_of(name: str, seats: int, table: str, matches: int, seed: str) -> Figures:
    """Play matches of a kind of table and count."""
    options = {"max_deals": DEALS_A_MATCH} if name == "was-sticht" else {"length": f"deals:{DEALS_A_MATCH}"}
    game = new_game(name, seats, options)
    figures = Figures()
    thinking = [bot for bot in house_bots() if bot not in NOT_THINKING]
    for number, match_seed in enumerate(islice(seeds_from(f"{seed} {name} {seats}"), matches)):
        bots = [
            thinking[(number * seats + s) % len(thinking)] if table == MIXED else table for s in range(seats)
        ]
        record = play_match(game, [entrant(bot) for bot in bots], match_seed).record
        for deal, moves in _deals(record):
            COUNTS[name](figures, deal, moves)
    return figures


def _deals(record: dict[str, Any]) -> Iterator[tuple[Deal, Moves]]:
    """Each deal of a record at its end, with its moves."""
    number = -1
    deal: Deal | None = None
    moves: list[tuple[Mapping[str, Any], Sequence[str], int, str]] = []
    for step in steps(record):
        if step.move.deal != number:
            if deal is not None:
                yield deal, moves
            number, moves = step.move.deal, []
        deal = step.match.deal
        moves.append((deal.facts(), deal.hand(step.move.seat), step.move.seat, step.move.word))
        # yielded once it is over: the object is the same until the next deal begins
    if deal is not None:
        yield deal, moves


if __name__ == "__main__":
    sys.exit(main())
