"""`python benchmarks/forfeits`: does a bot that fails on purpose move any other?

Plays a ladder and every format with a bot that fails, and each again with the substitute entered in its place
and the same luck. Prints by how much the expected Elo and place of the others differ, with 95% intervals, and
writes it with its date where `--out` says, as far as it has come. A stronger bot is compared twice:
with the substitute, which it moves others against honestly, too, and with the same bot that does not fail.
Exit status 1 where failing adds more than the goal of the rule of the site, ±3 Elo and ±0.1 places. Where a
bot is worth the substitute, that is what the substitute in its place would change. The honest bot plays more
seasons than those that fail: their control variate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path

import numpy as np
from competitions import SEASONS
from differences import MOST_ELO, MOST_PLACES, Difference, Moved, Question, differences, moved
from failing import FAILURES, HONEST, Floats
from real_play import BOTS, FAILING, FRIEND, GAME, season
from rules import RULES, SITE

STRONGER = (0.0, 100.0)
FEWER_OF_EQUAL_PLAY = 3
"""The divisor of seasons where the failing bot is worth the substitute: scores are the baseline's."""
FEWEST = 50
"""Seasons where a bot always fails: none differs from that of the substitute."""
HONEST_SEASONS = {"gauntlet": 4000, "swiss": 4000, "knock-out": 16_000}
"""Seasons in which a stronger bot does not fail: in a knock-out it changes most who meets whom."""
SEASONS_AT_ONCE = 200
SEASONS_OF_OTHER_RULES = 30
REAL_BLOCKS = 40


def portions_of(asked: list[Question]) -> Iterator[tuple[list[Question], range]]:
    """Yield seasons that one process plays, with the questions that share their baseline."""
    for _, group in groupby(asked, key=lambda question: (question[0], question[3])):
        together = list(group)
        most = max(seasons for *_, seasons in together)
        for first in range(0, most, SEASONS_AT_ONCE):
            yield together, range(first, min(most, first + SEASONS_AT_ONCE))


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
        "others; *by failing*: against the field in which the same bot does not fail; and the mean of the "
        "three friends; each with its 95% interval. *Unsuspended*: in no more than four of fifty matches. "
        f"The rule of the site is *{SITE}*; its goal is {MOST_ELO:.0f} Elo and "
        f"{MOST_PLACES} places by failing, the interval included. Where the bot is worth the substitute, "
        f"both fields are the same one. A stronger bot moves others without a forfeit, too (*{HONEST}*): "
        "where it is, others go on. Bold is beyond the goal.",
    ]
    for by in STRONGER:
        worth = "is worth the substitute" if not by else f"is {by:.0f} Elo stronger than the substitute"
        lines += ["", f"## The failing bot {worth}", ""]
        lines += [
            "| | it fails | seasons | Elo | place | Elo, by failing | place, by failing | friends, Elo |",
            "|---|---|--:|--:|--:|--:|--:|--:|",
        ]
        for (what, rule, failure, own, _), one in found.items():
            if own == by and rule == SITE:
                friends = one.of_friends() if what == "ladder" else ""
                row = (what, failure, str(one.seasons), *one.worst(), friends)
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
            so_far: list[list[Difference]] = [[] for _ in together]
            for _, part in parts:
                for seasons, more in zip(so_far, part, strict=True):
                    seasons += more
                found |= moved(together, so_far)
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
