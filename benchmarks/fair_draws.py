"""Rests that shall neither reward nor punish, and draws beside greedy ones: a simulation.

    python benchmarks/fair_draws.py [--tournaments 20000] [--fields 40] [--out FILE]

Rests: Swiss tournaments of equal bots, whose scores are drawn by chance; the mean place of those that rested
at least once beside that of the others, in percent of the field. Draws: the same pasts drawn by the platform,
and by the greedy draw that it had before; pairs that meet again, groups, and processor seconds of a round.

Exits 1 if places differ by more than 1% of the field, or where a draw has fewer groups than the greedy one,
or as many with more pairs that meet again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
from stichkampf.engine.seeds import Chance
from stichkampf.rating import Comparisons
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Competition, Past
from stichkampf_platform.tournaments.formats.drawing import RoundField, draw_groups, most_groups

SWISS = ROUND_FORMATS["swiss"]
FIELDS = ((5, 4, 3, 5), (7, 2, 4, 7), (9, 4, 4, 9), (10, 4, 3, 6))
"""Entrants, seats, rounds, and the number of authors among whom the entrants are dealt."""
SIZES = (17, 24, 40, 100, 300, 1000)
ROUNDS = 6
MOST = 0.01
SCORES = 20
"""Different scores of a hand: some are equal."""
RESTS = "| entrants | seats | rounds | authors | tournaments | place of the rested, less that of others |"
DRAWS = "| entrants | seats | groups | greedy | pairs again | greedy | rounds with more | longest round |"


@dataclass
class Places:
    """Sums of places of those that rested and of the others, over tournaments in which there are both.

    >>> places = Places(5)
    >>> places.add({0: 1.0, 1: 2.0, 2: 3.0}, {2})
    >>> places.difference
    0.3
    """

    entrants: int
    tournaments: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, places: dict[int, float], rested: set[int]) -> None:
        if not rested or len(rested) == len(places):
            return
        own = [place for who, place in places.items() if who in rested]
        others = [place for who, place in places.items() if who not in rested]
        difference = (sum(own) / len(own) - sum(others) / len(others)) / self.entrants
        self.tournaments += 1
        self.total += difference
        self.squares += difference**2

    @property
    def difference(self) -> float:
        """The mean place of those that rested less that of the others, as a part of the field."""
        return round(self.total / self.tournaments, 6)

    @property
    def error(self) -> float:
        """The standard error of that mean."""
        mean = self.total / self.tournaments
        return float(np.sqrt((self.squares / self.tournaments - mean**2) / self.tournaments))


def rests(entrants: int, seats: int, rounds: int, authors: int, tournaments: int, seed: int = 0) -> Places:
    """Play Swiss tournaments of equal bots and compare the places of those that rested."""
    random = Random(f"{entrants} {seats} {rounds} {seed}")
    found = Places(entrants)
    for _ in range(tournaments):
        asked = Competition(
            authors={n: f"author-{n % authors}" for n in range(entrants)},
            names={}, game="stiche-raten", seats=seats, blocks=1, rounds=rounds, seed=random.randbytes(32),
        )  # fmt: skip
        past = play(asked, random)
        played = [frozenset().union(*groups) for groups in past.rounds]
        rested = {who for who in range(entrants) if not all(who in there for there in played)}
        lines = SWISS.standings(asked, past)
        shared = Counter(line.place for line in lines)
        found.add({line.entrant: line.place + (shared[line.place] - 1) / 2 for line in lines}, rested)
    return found


def play(asked: Competition, random: Random) -> Past:
    """Play all rounds; every score is drawn by chance."""
    rounds: list[tuple[frozenset[int], ...]] = []
    rows: list[tuple[int, int, int, int]] = []
    past = Past()
    while plan := SWISS.next_round(asked, past):
        for tables in plan:
            block, group = sum(map(len, rounds)) + plan.index(tables), sorted(tables[0])
            scores = {who: [random.randrange(SCORES) for _ in tables] for who in group}
            for one, other in combinations(group, 2):
                points = sum((a > b) - (a < b) + 1 for a, b in zip(scores[one], scores[other], strict=True))
                rows.append((block, one, other, points))
        rounds.append(tuple(frozenset(tables[0]) for tables in plan))
        columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
        count = np.full(len(rows), len(plan[0]), dtype=np.int64)
        none, nothing = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows))
        compared = Comparisons(
            tuple(asked.authors), tuple(range(sum(map(len, rounds)))), *columns, count, nothing, count,
            none, none, none, none, nothing, nothing,
        )  # fmt: skip
        past = Past(tuple(rounds), compared)
    return past


def greedy(field: RoundField) -> list[list[int]]:
    """Draw a round as the platform did before: the lowest rest, and each group takes those it met least."""
    places = {one: place for place, one in enumerate(field.entrants)}
    by_rest = sorted(places, key=lambda one: (field.rested[one], -places[one]))
    resting = set(by_rest[: len(places) % field.size])
    order = [one for one in field.entrants if one not in resting]
    groups = []
    while len(order) >= field.size:
        group = [order.pop(0)]
        while len(group) < field.size:
            authors = {field.authors[one] for one in group} - {None}
            free = [one for one in order if field.authors[one] not in authors]
            if not free:
                break
            chosen = min(free, key=lambda one: sum(field.times(one, other) for other in group))
            order.remove(chosen)
            group.append(chosen)
        if len(group) == field.size:
            groups.append(group)
    return groups


@dataclass
class Drawn:
    """Draws of the same pasts: groups and pairs that meet again, of both; the longest round in seconds."""

    groups: int = 0
    groups_before: int = 0
    again: int = 0
    again_before: int = 0
    worse: int = 0
    longest: float = 0.0


def draws(entrants: int, size: int, fields: int) -> Drawn:
    """Draw rounds of fields with several bots an author, by both draws."""
    found = Drawn()
    for number in range(fields):
        random = Random(f"{entrants} {size} {number}")
        authors = {one: random.choice([None, *range(entrants)]) for one in range(entrants)}
        met: Counter[tuple[int, int]] = Counter()
        rested: Counter[int] = Counter()
        points: Counter[int] = Counter()
        for drawn in range(ROUNDS):
            order = sorted(range(entrants), key=lambda one: (-points[one], one))
            field = RoundField(
                order, size, authors, {one: points[one] for one in order},
                {one: rested[one] for one in order}, dict(met), dict(enumerate(order)),
                Chance(random.randbytes(32), "draw"),
            )  # fmt: skip
            before = greedy(field)
            begun = process_time()
            groups = draw_groups(field)
            found.longest = max(found.longest, process_time() - begun)
            again, again_before = repeated(field, groups), repeated(field, before)
            found.groups += len(groups)
            found.groups_before += len(before)
            found.again += again
            found.again_before += again_before
            # a draw with fewer groups has fewer pairs
            found.worse += again > again_before and len(groups) == len(before)
            assert len(groups) == most_groups(list(authors.values()), size), drawn
            for group in groups:
                met.update(combinations(sorted(group), 2))
                points.update({one: random.random() + (entrants - one) / entrants for one in group})
            there = {one for group in groups for one in group}
            rested.update(one for one in range(entrants) if one not in there)
    return found


def repeated(field: RoundField, groups: list[list[int]]) -> int:
    """Count the pairs that meet again."""
    return sum(field.times(*pair) > 0 for group in groups for pair in combinations(group, 2))


def report(tournaments: int, fields: int) -> Iterator[tuple[str, bool]]:
    """Yield both tables as Markdown, a line as it is found, with whether its limits are kept."""
    if tournaments:
        yield RESTS, True
        yield "|---|---|---|---|---|---|", True
    for field in FIELDS if tournaments else ():
        found = rests(*field, tournaments)
        shown = f"{100 * found.difference:+.2f}% ± {196 * found.error:.2f}%"
        line = f"| {' | '.join(map(str, field))} | {found.tournaments:,} | {shown} of the field |"
        yield line, abs(found.difference) <= MOST
    if fields:
        yield "", True
        yield DRAWS, True
        yield "|---|---|---|---|---|---|---|---|", True
    for entrants, size in product(SIZES, (2, 3, 4, 6)) if fields else ():
        drawn = draws(entrants, size, max(1, min(fields, 40 * fields // entrants)))
        counted = (drawn.groups, drawn.groups_before, drawn.again, drawn.again_before, drawn.worse)
        line = f"| {entrants} | {size} | {' | '.join(map(str, counted))} | {drawn.longest:.2f} s |"
        yield line, not drawn.worse and drawn.groups >= drawn.groups_before


def main() -> int:
    """Measure, and write each line as it is found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tournaments", type=int, default=20_000, help="of each field; 0 for draws alone")
    parser.add_argument("--fields", type=int, default=40, help="of each size at most; 0 for rests alone")
    parser.add_argument("--out", type=Path, help="file for the tables")
    asked = parser.parse_args()
    kept, lines = True, []
    for line, is_kept in report(asked.tournaments, asked.fields):
        print(line, flush=True)
        kept &= is_kept
        lines.append(line)
        if asked.out:
            asked.out.write_text("\n".join(lines) + "\n")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
