"""`python benchmarks/forfeits`: does a bot that fails on purpose move any other?

Plays a ladder and every format with a bot that fails, and each again with the substitute entered in its place
and the same luck. Prints by how much the expected Elo and place of the others differ, with 95% intervals, and
writes it with its date where `--out` says, each competition as it ends. Exit status 1 where the rule of the
site misses its goal: ±3 Elo and ±0.1 places. A stronger bot that does not fail is compared, too: by so much
it moves others honestly. It plays more seasons of knock-outs than those that fail: their control variate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain, groupby
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path

import numpy as np
from competitions import FORMATS, LADDER_BOTS, SEASONS, Outcome, cast_of, ladder_season, tournament
from failing import FAILURES, HONEST, Cast, Floats
from real_play import BOTS, FAILING, FRIEND, GAME, season
from rules import RULES, SITE

MOST_ELO, MOST_PLACES = 3.0, 0.1
STRONGER = (0.0, 100.0)
FEWER_OF_EQUAL_PLAY = 3
"""The divisor of seasons where the failing bot is worth the substitute: scores are the baseline's."""
FEWEST = 50
"""Seasons where a bot always fails: none differs from that of the substitute."""
HONEST_SEASONS = {"knock-out": 16_000}
"""Seasons in which the bot does not fail, where they are more: who meets whom differs most there."""
SEASONS_AT_ONCE = 25
SEASONS_OF_OTHER_RULES = 30
REAL_BLOCKS = 40


Question = tuple[str, str, str, float, int]
"""Format or ladder, rule, way of failing, Elo above the substitute, number of seasons."""


@dataclass(frozen=True)
class Difference:
    """By how much others moved in one season; by number, nan for who failed.

    :ivar elo: from the field with the substitute, as `place`.
    :ivar honest_elo: how the same bot moves them where it does not fail, from the field with the substitute;
        so is `honest_place`.
    """

    elo: Floats
    place: Floats
    honest_elo: Floats
    honest_place: Floats


@dataclass(frozen=True)
class Moved:
    """By how much others moved, on average over the seasons; by number, nan for who failed.

    :ivar elo: with `elo_error`, half the width of its 95% interval; the others as in `Difference`.
    """

    cast: Cast
    elo: Floats
    elo_error: Floats
    place: Floats
    place_error: Floats
    by_failing: Floats
    by_failing_error: Floats

    def worst(self) -> tuple[str, str, str]:
        return (
            _furthest(self.elo, self.elo_error, 1),
            _furthest(self.place, self.place_error, 3),
            _furthest(self.by_failing, self.by_failing_error, 1),
        )

    def of_friends(self) -> str:
        friends = list(self.cast.friends)
        return f"{np.nanmean(self.elo[friends]):+.1f} ± {np.nanmean(self.elo_error[friends]):.1f}"

    @property
    def is_within(self) -> bool:
        elo, place = np.abs(self.elo) + self.elo_error, np.abs(self.place) + self.place_error
        return bool(np.nanmax(elo) <= MOST_ELO and np.nanmax(place) <= MOST_PLACES)


def _furthest(moved: Floats, error: Floats, digits: int) -> str:
    one = int(np.nanargmax(np.abs(moved) + error))
    return f"{moved[one]:+.{digits}f} ± {error[one]:.{digits}f}"


def portions_of(asked: list[Question]) -> Iterator[tuple[list[Question], range]]:
    """Yield seasons that one process plays, with the questions that share their baseline."""
    for _, group in groupby(asked, key=lambda question: (question[0], question[3])):
        together = list(group)
        most = max(seasons for *_, seasons in together)
        for first in range(0, most, SEASONS_AT_ONCE):
            yield together, range(first, min(most, first + SEASONS_AT_ONCE))


def differences(asked: list[Question], numbers: range, seed: int) -> list[list[Difference]]:
    """Compare seasons with the failing bot, with it as it plays on, and without it, all with the same luck.

    :param asked: of one competition and strength.
    :param numbers: of the seasons.
    :returns: for each question, by how much others moved in each season.
    """
    found: list[list[Difference]] = [[] for _ in asked]
    for number in numbers:
        what, *_, by, _ = asked[0]
        without = _season(what, SITE, None, by, seed, number)
        honest = _season(what, SITE, HONEST, by, seed, number) if by else without
        honestly = (honest.elo - without.elo, honest.place - without.place)
        for (_, rule, failure, _, seasons), moved in zip(asked, found, strict=True):
            if number < seasons:
                with_it = honest if failure == HONEST else _season(what, rule, failure, by, seed, number)
                moved.append(Difference(with_it.elo - without.elo, with_it.place - without.place, *honestly))
    return found


def moved(asked: list[Question], seasons: list[list[Difference]]) -> dict[Question, Moved]:
    """Return by how much others moved on average.

    :param asked: of one competition and strength, with its seasons.
    """
    most = max(seasons, key=len)
    honest = {name: _column(most, name) for name in ("honest_elo", "honest_place")}
    found = {}
    for question, own in zip(asked, seasons, strict=True):
        elo, place = _column(own, "elo"), _column(own, "place")
        by_failing = elo - honest["honest_elo"][: len(own)]
        found[question] = Moved(
            _cast(question[0], question[3]),
            *mean_and_error(elo, honest["honest_elo"]),
            *mean_and_error(place, honest["honest_place"]),
            *mean_and_error(by_failing, by_failing),
        )
    return found


def _column(seasons: list[Difference], name: str) -> Floats:
    return np.array([getattr(season, name) for season in seasons])


def mean_and_error(own: Floats, control: Floats) -> tuple[Floats, Floats]:
    """Return the means over seasons, the first axis, and half of their 95% intervals.

    :param control: the control variate, the first of its seasons the same; where it has more, they
        tell by how much its mean in those first ones was off.
    """
    seasons, beside = len(own), control[: len(own)]
    covariance = ((own - own.mean(axis=0)) * (beside - beside.mean(axis=0))).mean(axis=0)
    variance = beside.var(axis=0)
    slope = covariance / np.where(variance == 0, 1, variance)
    explained = slope * covariance
    mean = own.mean(axis=0) + slope * (control.mean(axis=0) - beside.mean(axis=0))
    remaining = np.maximum(own.var(axis=0) - explained, 0)
    return mean, 1.96 * np.sqrt(remaining / seasons + explained / len(control))


def _cast(what: str, stronger_by: float) -> Cast:
    return cast_of(LADDER_BOTS if what == "ladder" else FORMATS[what]["entrants"], stronger_by)


def _season(what: str, rule: str, failure: str | None, stronger_by: float, seed: int, number: int) -> Outcome:
    cast, fails = _cast(what, stronger_by), FAILURES[failure] if failure else None
    if what == "ladder":
        return ladder_season(cast, RULES[rule], fails, [seed, number])
    return tournament(what, cast, fails, [seed, number])


def questions(most_seasons: int | None = None, *, other_rules: bool = True) -> list[Question]:
    """List what is simulated: the ladder by every rule, the formats by that of the site.

    A stronger bot in a regression test is left out: the one other has none else to be measured against.
    """
    found = []
    for what in SEASONS:
        for by in reversed(STRONGER):
            for rule in RULES if what == "ladder" and other_rules else [SITE]:
                seasons = SEASONS[what] if rule == SITE else SEASONS_OF_OTHER_RULES
                if not by and rule == SITE:
                    seasons //= FEWER_OF_EQUAL_PLAY
                for failure in FAILURES:
                    own = min(seasons, most_seasons or seasons, FEWEST if failure == "always" else seasons)
                    if failure == HONEST and most_seasons is None:
                        own = HONEST_SEASONS.get(what, own)
                    alone = what == "regression" and (by or "friend" in failure or "rival" in failure)
                    honest = failure == HONEST and (rule != SITE or not by)
                    if not (alone or honest) and (what == "ladder" or "unsuspended" not in failure):
                        found.append((what, rule, failure, by, own))
    return found


def page(found: dict[Question, Moved]) -> str:
    lines = [
        f"# Forfeits, {datetime.now(UTC):%Y-%m-%d}",
        "",
        "`python benchmarks/forfeits`: a bot fails on purpose, against the same field and luck with the "
        "substitute in its place. The other bot that moved furthest, in Elo and in places among the "
        "others, in Elo against the field in which the same bot does not fail, and the mean of the three "
        "friends, each with its 95% interval. *Unsuspended*: in no more than four of fifty matches. "
        f"The rule of the site is *{SITE}*; its goal is {MOST_ELO:.0f} Elo and "
        f"{MOST_PLACES} places, the interval included. A stronger bot moves others without a forfeit, too "
        f"(*{HONEST}*): few comparisons rate a field a little differently with it in it.",
    ]
    for by in STRONGER:
        worth = "is worth the substitute" if not by else f"is {by:.0f} Elo stronger than the substitute"
        lines += ["", f"## The failing bot {worth}", ""]
        lines += [
            "| | it fails | seasons | Elo | place | Elo, by its failing | friends, Elo |",
            "|---|---|--:|--:|--:|--:|--:|",
        ]
        for (what, rule, failure, own, seasons), one in found.items():
            if own == by and rule == SITE:
                friends = one.of_friends() if what == "ladder" else ""
                row = (what, failure, str(seasons), *one.worst(), friends)
                lines.append(f"| {' | '.join(row)} |")
    return "\n".join([*lines, *_other_rules(found), ""])


def _other_rules(found: dict[Question, Moved]) -> Iterator[str]:
    """Yield a line for each rule that was not taken: the failure that moved another bot furthest."""
    if all(question[1] == SITE for question in found):
        return
    yield from ["", "## Rules that were not taken, on the ladder", ""]
    yield from ["| rule | the failing bot | it fails | Elo | place |", "|---|---|---|--:|--:|"]
    for rule in RULES:
        for by in STRONGER if rule != SITE else ():
            tried = {question[2]: one for question, one in found.items() if question[1::2] == (rule, by)}
            failure = max(tried, key=lambda name: np.nanmax(np.abs(tried[name].elo)))
            worth = f"{by:.0f} Elo stronger" if by else "worth the substitute"
            yield f"| {rule} | {worth} | {failure} | {' | '.join(tried[failure].worst()[:2])} |"


def page_of_real_play(seasons: list[dict[str, Floats]]) -> str:
    lines = ["", "## Really played", ""]
    lines += [
        f"`{BOTS[FAILING]}`, which is also the substitute, resigns after half of the deals of {GAME} where "
        f"its friend `{BOTS[FRIEND]}` is behind. Elo that the friend gains in {len(seasons)} seasons of "
        f"{REAL_BLOCKS} blocks:",
        "",
    ]
    for rule in seasons[0]:
        gained = np.array([one[rule][FRIEND] for one in seasons])
        error = 1.96 * gained.std() / np.sqrt(len(gained))
        lines.append(f"- {rule}: {gained.mean():+.1f} ± {error:.1f}")
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seasons", type=int, help="the most of each way to fail")
    parser.add_argument("--only", choices=SEASONS, action="append", help="of these, not of all")
    parser.add_argument("--site", action="store_true", help="by the rule of the site alone")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--real", type=int, default=0, help="seasons of 40 blocks that are really played")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    asked = [
        one
        for one in questions(args.seasons, other_rules=not args.site)
        if not args.only or one[0] in args.only
    ]
    # other workers could not import this file, whose functions they call
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("fork")) as pool:
        portions = list(portions_of(asked))
        answers = pool.map(partial(differences, seed=args.seed), *zip(*portions, strict=True))
        found: dict[Question, Moved] = {}
        played = zip((together for together, _ in portions), answers, strict=True)
        for together, parts in groupby(played, key=itemgetter(0)):
            of_each = zip(*(part for _, part in parts), strict=True)
            found |= moved(together, [list(chain.from_iterable(one)) for one in of_each])
            if args.out:
                args.out.write_text(page(found))
        seeds = [f"{args.seed} {number}" for number in range(args.real)]
        real = list(pool.map(partial(season, REAL_BLOCKS), seeds))
    written = page(found) + (page_of_real_play(real) if real else "")
    sys.stdout.write(written)
    if args.out:
        args.out.write_text(written)
    missed = [
        question
        for question, one in found.items()
        if question[1] == SITE and question[2] != HONEST and not one.is_within
    ]
    for question in missed:
        sys.stderr.write(f"missed: {' '.join(map(str, question))}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
