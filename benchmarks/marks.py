"""Test of marks: how many planted mistakes they find, and how many good decisions they mark.

Matches are played by strong play: `search` at ten times its budget at two seats, `thumb` at the others. An
independent search (the reference) with 40,000 worlds, 100 times those in which an analysis measures an action
at first, spent on that action alone, values actions at decisions of strong play. *Planted* is one that it
holds at least 5% of the deal's span of points worse than the best; *false* would be a mark on a decision of
strong play that it holds within 1% of the best. The span is the difference between the highest and the lowest
score of a deal in matches of the game.

    python benchmarks/marks.py collect --game mue --minutes 30    # more samples: 3 to 10 a minute
    python benchmarks/marks.py                                    # mark all samples: some minutes

The first takes hours for all games, knows nothing of marks, and adds to benchmarks/results/marks, a file of
compressed JSON lines for each game: the record of a match with its samples. So each version of the analysis
is tested on the same samples. Goals: 90% of the planted ones marked, 5% of the good ones; and by 1,000
decisions with a choice, strong play has at most a quarter of the marks of `thumb` over all games, in none
more than half.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from stichkampf.analysis.costs import ANALYSIS_VERSION, decision_cost
from stichkampf.bots.practice import LocalMatch
from stichkampf.bots.registry import house_bot
from stichkampf.bots.search import SearchBot
from stichkampf.engine.deal import Deal
from stichkampf.engine.search import Search
from stichkampf.games import GAMES, new_game
from stichkampf.match.looking_ahead import ITERATIONS
from stichkampf.match.records import dump, steps
from stichkampf.match.table import Table
from stichkampf.policies import policy_of

FOLDER = Path(__file__).parent / "results" / "marks"
REFERENCE_WORLDS = 40_000
LOOK_WORLDS = 6_000
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


def samples(name: str, number: int, span: int) -> dict[str, Any]:
    """Play a match and have one in five of its decisions valued by the reference.

    Returns the record, the numbers of these decisions, and the samples: at which decision, which action, how
    many points worse than the best.
    """
    record = played(name, number)
    rng = Random(f"samples of {name} {number}")
    decisions, found = [], []
    for index, step in enumerate(steps(record)):
        seat, word = step.move.seat, step.move.word
        if len(step.legal) == 1 or rng.random() >= 0.2:
            continue
        decisions.append(index)
        if record["seats"][seat]["bot"] != Strong.name:
            continue
        known = step.match.deal.information_set(seat)
        values = looked_over(name, known, seat, rng.getrandbits(62))
        best = max(values, key=values.__getitem__)
        held = held_worse(name, known, seat, best, word, rng)
        if held <= ALIKE * span:
            found.append({"kind": GOOD, "decision": index, "action": word, "held": round(held, 3)})
        worse = sorted(other for other, value in values.items() if values[best] - value >= WORSE * span)
        bad = rng.choice(worse) if worse else best
        held = held_worse(name, known, seat, best, bad, rng)
        if held >= WORSE * span:
            found.append({"kind": PLANTED, "decision": index, "action": bad, "held": round(held, 3)})
    return {"match": number, "record": record, "decisions": decisions, "samples": found}


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


def collected(name: str) -> list[dict[str, Any]]:
    """Read the matches of a game, with their samples."""
    path = FOLDER / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def collect(name: str, planted: int, good: int, minutes: float) -> None:
    """Play matches, one after the other, until there are enough samples or the time is over."""
    end = time.monotonic() + 60 * minutes
    matches = collected(name)
    counts = Counter(sample["kind"] for match in matches for sample in match["samples"])
    number = max((match["match"] for match in matches), default=-1) + 1
    span = span_of(name)
    while (counts[PLANTED] < planted or counts[GOOD] < good) and time.monotonic() < end:
        match = samples(name, number, span)
        with gzip.open(FOLDER / f"{name}.jsonl.gz", "at") as file:
            file.write(dump(match) + "\n")
        counts.update(sample["kind"] for sample in match["samples"])
        print(f"{name}: {counts[PLANTED]} planted, {counts[GOOD]} good", flush=True)
        number += 1


def marked(match: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Judge the decisions and samples of a match by an analysis; yield kinds, and if there is a mark."""
    record, decisions = match["record"], set(match["decisions"])
    found = defaultdict(list)
    for sample in match["samples"]:
        found[sample["decision"]].append(sample)
    for index, step in enumerate(steps(record)):
        if index not in decisions:
            continue
        seat, word = step.move.seat, step.move.word
        judged = {word: decision_cost(step.match.game, step.match.deal, seat, word).is_mistake}
        yield STRONG if record["seats"][seat]["bot"] == Strong.name else THUMB, judged[word]
        for sample in found[index]:
            action = sample["action"]
            if action not in judged:
                judged[action] = decision_cost(step.match.game, step.match.deal, seat, action).is_mistake
            yield sample["kind"], judged[action]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", nargs="?", choices=("measure", "collect"), default="measure")
    parser.add_argument("--game", choices=list(GAMES), action="append", help="only this game")
    parser.add_argument("--planted", type=int, default=150, metavar="N", help="of each game (150)")
    parser.add_argument("--good", type=int, default=300, metavar="N", help="of each game (300)")
    parser.add_argument("--minutes", type=float, default=600, help="the longest for a game (600)")
    args = parser.parse_args()
    games = args.game or list(GAMES)
    if args.command == "collect":
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in games:
            collect(name, args.planted, args.good, args.minutes)
        return 0
    with ProcessPoolExecutor() as pool:
        shares = {name: pool.map(_marked, collected(name)) for name in games}
        return _report({name: [one for match in found for one in match] for name, found in shares.items()})


def _marked(match: dict[str, Any]) -> list[tuple[str, bool]]:
    return list(marked(match))


def _report(found: dict[str, list[tuple[str, bool]]]) -> int:
    """Print the shares of marked samples by game, and over all; return 1 where a goal is missed."""
    shares: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for name, kinds_and_marks in found.items():
        for kind, is_marked in kinds_and_marks:
            for game in (name, "all games"):
                shares[game][kind].append(is_marked)
    print(f"analysis version {ANALYSIS_VERSION}\n")
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
