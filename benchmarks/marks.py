"""Test of marks: how many planted mistakes they find, and how many good decisions they mark.

Matches are played by strong play: `search` at ten times its budget at two seats, `thumb` at the others. An
independent search (the reference) with 100 times the worlds in which an analysis measures an action, spent on
that action alone, values actions at decisions of strong play. *Planted* is one that it holds at least 5% of
the deal's span of points worse than the best; *false* would be a mark on a decision of strong play that it
holds within 1% of the best. The span is the difference between the highest and the lowest score of a deal in
matches of the game.

    python benchmarks/marks.py --planted 5 --good 10       # of each game; a small run
    python benchmarks/marks.py                             # 150 and 300 of each game: hours

Samples go into a file of JSON lines; a run that is broken off goes on where it stopped, and `--minutes` ends
one early. Goals: 90% of the planted ones marked, 5% of the good ones; and by 1,000 decisions with a choice,
strong play has at most a quarter of the marks of `thumb` over all games, in none more than half.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from stichkampf.analysis.costs import MEASURED_WORLDS, SEARCHED_WORLDS, decision_cost
from stichkampf.bots import house_bot
from stichkampf.bots.practice import LocalMatch
from stichkampf.bots.search import ITERATIONS, SearchBot
from stichkampf.engine.deal import Deal
from stichkampf.engine.search import Search
from stichkampf.games import GAMES, new_game
from stichkampf.match.records import steps
from stichkampf.match.table import Table
from stichkampf.policies import policy_of

REFERENCE_WORLDS = 100 * MEASURED_WORLDS
LOOK_WORLDS = 10 * SEARCHED_WORLDS
STRENGTH = 10
WORSE, ALIKE = 0.05, 0.01
PLANTED, GOOD, STRONG, THUMB = "planted", "good", "strong", "thumb"
SPAN_MATCHES = 10
LEAST_VISITS = 20


class Strong(SearchBot):
    """`search` with ten times its iterations."""

    name: ClassVar[str] = "strong"

    def choose(self, table: Table) -> str:
        if len(table.legal) == 1:
            return table.legal[0]
        policy = policy_of(table.game.name)
        worlds = STRENGTH * ITERATIONS
        tree = Search(
            *(table.deal, table.seat),
            most_iterations=worlds,
            seed=table.rng.getrandbits(62),
            policy=policy,
            priors=policy,
        )
        tree.run(worlds)
        return table.deal.word(tree.result().action)


def played(name: str, number: int, strong: bool = True) -> dict[str, Any]:
    """Play one match, two seats of it by strong play, in turns; return its record."""
    ladder = GAMES[name].main_ladder
    game = new_game(name, ladder.seats, ladder.options)
    thumb = house_bot("thumb")
    makes = [Strong if strong and (seat + number) % 2 else thumb for seat in range(game.seats)]
    match = LocalMatch(
        game, [make() for make in makes], Random(f"{name} {number}").randbytes(32)
    ).play_to_end()
    return match.record([{"bot": make.name} for make in makes])


def span_of(name: str) -> int:
    scores = [
        score
        for number in range(SPAN_MATCHES)
        for deal in played(name, number, strong=False)["deals"]
        for score in deal["scores"]
    ]
    return max(scores) - min(scores)


def samples(name: str, number: int, span: int) -> Iterator[dict[str, Any]]:
    """Yield the samples of one match: one in five decisions is valued by the reference."""
    record = played(name, number)
    rng = Random(f"samples of {name} {number}")
    for step in steps(record):
        seat, word = step.move.seat, step.move.word
        if len(step.legal) == 1 or rng.random() >= 0.2:
            continue
        game, deal = step.match.game, step.match.deal
        strong = record["seats"][seat]["bot"] == Strong.name
        judged = decision_cost(game, deal, seat, word)
        yield {"kind": STRONG if strong else THUMB, "marked": judged.is_mistake}
        if not strong:
            continue
        known = deal.information_set(seat)
        values = looked_over(name, known, seat, rng.getrandbits(62))
        best = max(values, key=values.__getitem__)
        held = held_worse(name, known, seat, best, word, rng)
        if held <= ALIKE * span:
            yield {"kind": GOOD, "marked": judged.is_mistake, "cost": judged.cost.to_json()}
        worse = sorted(other for other, value in values.items() if values[best] - value >= WORSE * span)
        bad = rng.choice(worse) if worse else best
        held = held_worse(name, known, seat, best, bad, rng)
        if held >= WORSE * span:
            planted = decision_cost(game, deal, seat, bad)
            cost = planted.cost.to_json()
            yield {"kind": PLANTED, "marked": planted.is_mistake, "cost": cost, "held": round(held, 3)}


def looked_over(name: str, known: Deal, seat: int, seed: int) -> dict[str, float]:
    """Value the actions of a decision by one search, those that it hardly visits left out."""
    policy = policy_of(name)
    tree = Search(known, seat, most_iterations=LOOK_WORLDS, seed=seed, policy=policy, priors=policy)
    tree.run(LOOK_WORLDS)
    found = tree.result()
    visited = zip(found.actions, found.visits, found.values, strict=True)
    return {known.word(action): value for action, visits, value in visited if visits >= LEAST_VISITS}


def held_worse(name: str, known: Deal, seat: int, best: str, other: str, rng: Random) -> float:
    """Return how much worse than the best the reference holds another action, in points."""
    if best == other:
        return 0.0
    policy = policy_of(name)
    values = []
    for word in (best, other):
        seed = rng.getrandbits(62)
        tree = Search(known, seat, most_iterations=REFERENCE_WORLDS, seed=seed, policy=policy, priors=policy)
        tree.legal = [known.action(word)]
        tree.run(REFERENCE_WORLDS)
        values += tree.result().values
    return values[0] - values[1]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(GAMES), action="append", help="only this game")
    parser.add_argument("--planted", type=int, default=150, metavar="N", help="of each game (150)")
    parser.add_argument("--good", type=int, default=300, metavar="N", help="of each game (300)")
    parser.add_argument("--minutes", type=float, default=600, help="the longest that a run may take (600)")
    parser.add_argument("--file", type=Path, default=Path("marks.jsonl"), help="of the samples (marks.jsonl)")
    args = parser.parse_args()
    end = time.monotonic() + 60 * args.minutes
    lines = [json.loads(line) for line in args.file.read_text().splitlines()] if args.file.exists() else []
    for name in args.game or list(GAMES):
        _collect(name, args, lines, end)
    return _report(lines)


def _collect(name: str, args: argparse.Namespace, lines: list[dict[str, Any]], end: float) -> None:
    """Play matches, one after the other, until there are enough samples or the time is over."""
    span = span_of(name)
    own = [line for line in lines if line["game"] == name]
    counts = Counter(line["kind"] for line in own)
    number = max((line["match"] for line in own), default=-1) + 1
    while (counts[PLANTED] < args.planted or counts[GOOD] < args.good) and time.monotonic() < end:
        fresh = [{"game": name, "match": number, **sample} for sample in samples(name, number, span)]
        with args.file.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in fresh)
        lines += fresh
        counts.update(line["kind"] for line in fresh)
        number += 1


def _report(lines: list[dict[str, Any]]) -> int:
    """Print the shares of marked samples by game, and over all; return 1 where a goal is missed."""
    shares: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        for game in (line["game"], "all games"):
            shares[game][line["kind"]].append(line["marked"])
    print(
        f"{'':18}{'planted, marked':>18}{'good, marked':>18}{'strong, of 1,000':>18}{'thumb, of 1,000':>18}"
    )
    for game in sorted(shares, key=lambda game: (game == "all games", game)):
        kinds = shares[game]
        found = [f"{100 * _share(kinds[kind]):.0f}% of {len(kinds[kind])}" for kind in (PLANTED, GOOD)]
        rates = [f"{1000 * _share(kinds[kind]):.0f}" for kind in (STRONG, THUMB)]
        print(f"{game:18}" + "".join(f"{text:>18}" for text in found + rates))
    everything = shares["all games"]
    good = _share(everything[PLANTED]) >= 0.9 and _share(everything[GOOD]) <= 0.05
    quarter = 4 * _share(everything[STRONG]) <= _share(everything[THUMB])
    halves = all(2 * _share(kinds[STRONG]) <= _share(kinds[THUMB]) for kinds in shares.values())
    return 0 if good and quarter and halves else 1


def _share(marked: list[bool]) -> float:
    return sum(marked) / len(marked) if marked else 0.0


if __name__ == "__main__":
    sys.exit(main())
