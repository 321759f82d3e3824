"""`python benchmarks/forfeits`: does a bot that fails on purpose move any other?

Plays a ladder and every format with a bot that fails, and each again with the substitute entered in its place
and the same luck. Prints by how much the expected Elo and place of the others differ, with 95% intervals, and
writes it with its date where `--out` says. Exit status 1 where the rule of the site misses its goal for a bot
that is worth the substitute: ±3 Elo and ±0.1 places.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from competitions import FORMATS, LADDER_BOTS, Outcome, cast_of, ladder_season, tournament
from failing import FAILURES, Cast, Floats
from real_play import BOTS, FAILING, FRIEND, GAME, season
from rules import RULES

MOST_ELO, MOST_PLACES = 3.0, 0.1
STRONGER = (0.0, 100.0)
REAL_BLOCKS = 40


@dataclass(frozen=True)
class Moved:
    """By how much others moved, on average over the seasons; by number, nan for who failed.

    :ivar elo: with `elo_error`, half the width of its 95% interval.
    """

    cast: Cast
    elo: Floats
    elo_error: Floats
    place: Floats
    place_error: Floats

    def worst(self) -> tuple[str, str]:
        return _furthest(self.elo, self.elo_error, 1), _furthest(self.place, self.place_error, 3)

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


def moved(what: str, rule: str, failure: str, stronger_by: float, seasons: int, seed: int) -> Moved:
    """Compare seasons with and without the failing bot, each pair with the same luck."""
    bots = LADDER_BOTS if what == "ladder" else FORMATS[what]["entrants"]
    cast = cast_of(bots, stronger_by)
    pairs = [
        [_season(what, rule, fails, cast, [seed, number]) for fails in (failure, None)]
        for number in range(seasons)
    ]
    elo, place = (
        np.array([getattr(with_it, name) - getattr(without, name) for with_it, without in pairs])
        for name in ("elo", "place")
    )
    error = 1.96 / np.sqrt(seasons)
    return Moved(
        cast, elo.mean(axis=0), error * elo.std(axis=0), place.mean(axis=0), error * place.std(axis=0)
    )


def _season(what: str, rule: str, failure: str | None, cast: Cast, seed: list[int]) -> Outcome:
    fails = FAILURES[failure] if failure else None
    if what == "ladder":
        return ladder_season(cast, RULES[rule], fails, seed)
    return tournament(what, cast, fails, seed)


def questions(seasons: int) -> list[tuple[str, str, str, float, int]]:
    """List what is simulated: the ladder by every rule, the formats by that of the site."""
    ladder = [
        ("ladder", rule, failure, by, seasons) for by in STRONGER for rule in RULES for failure in FAILURES
    ]
    formats = [
        (name, "stands", failure, by, seasons)
        for by in STRONGER
        for name in FORMATS
        for failure in FAILURES
        if "unsuspended" not in failure
        if FORMATS[name]["entrants"] > 2 or ("friend" not in failure and "rival" not in failure)
    ]
    return ladder + formats


def page(found: dict[tuple[str, str, str, float, int], Moved]) -> str:
    lines = [
        f"# Forfeits, {datetime.now(UTC):%Y-%m-%d}",
        "",
        "`python benchmarks/forfeits`: a bot fails on purpose, against the same field and luck with the "
        "substitute in its place. The other bot that moved furthest, in Elo and in places among the "
        "others, and the mean of the three friends, each with its 95% interval. *Unsuspended*: in no more "
        "than four of fifty matches. Where *stands* moves the others because the failing bot is stronger "
        "than the substitute, it would move them as much by playing the substitute's cards itself.",
    ]
    for by in STRONGER:
        worth = "is worth the substitute" if not by else f"is {by:.0f} Elo stronger than the substitute"
        lines += ["", f"## The failing bot {worth}", ""]
        lines += [
            "| | rule | it fails | seasons | Elo | place | friends, Elo |",
            "|---|---|---|--:|--:|--:|--:|",
        ]
        for (what, rule, failure, own, seasons), one in found.items():
            if own == by:
                elo, place = one.worst()
                friends = one.of_friends() if what == "ladder" else ""
                lines.append(f"| {what} | {rule} | {failure} | {seasons} | {elo} | {place} | {friends} |")
    return "\n".join([*lines, ""])


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


def _answer(question: tuple[str, str, str, float, int], seed: int) -> Moved:
    return moved(*question, seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seasons", type=int, default=400)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--real", type=int, default=0, help="seasons of 40 blocks that are really played")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    asked = questions(args.seasons)
    with ProcessPoolExecutor(args.jobs) as pool:
        found = dict(zip(asked, pool.map(partial(_answer, seed=args.seed), asked), strict=True))
        seeds = [f"{args.seed} {number}" for number in range(args.real)]
        real = list(pool.map(partial(season, REAL_BLOCKS), seeds))
    written = page(found) + (page_of_real_play(real) if real else "")
    sys.stdout.write(written)
    if args.out:
        args.out.write_text(written)
    missed = [
        question
        for question, one in found.items()
        if question[1] == "stands" and not question[3] and not one.is_within
    ]
    for question in missed:
        sys.stderr.write(f"missed: {' '.join(map(str, question))}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
