"""`python benchmarks/collusion`: how soon the watch sees a planted pair, and how often it accuses the honest.

Seasons of a ladder of twelve are drawn by the ladder's own draw, and each block is filled with one that its
four bots really played (see pool.py). In some of the seasons a giver and a taker are among the twelve. Prints
a table, and writes it with its date where `--out` says. Exit status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import cache, partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from pool import POOL, Pool
from report import Honest, Planted, as_page, goals_missed
from seasons import Deck, reported, together

SUSPECTS = 5
EARLY = 100
PORTIONS = 50
"""After each the page is written, so that a study that is cut short keeps what it has found."""


@cache
def deck(path: Path) -> Deck:
    """The pool's blocks; read once by each process."""
    return Deck(Pool.load(path))


def honest_season(number: int, *, pool: Path, blocks: int, seed: int) -> Honest:
    """A season without a pair, of which five pairs drawn by lot are suspected."""
    played, chance = deck(pool), np.random.default_rng([seed, 0, number])
    drawn = played.season(blocks, chance, giving=0.0)
    suspects = suspects_by_lot(played, chance, SUSPECTS)
    return Honest(number, [sorted(pair) for pair in reported(played, drawn, suspects=suspects)])


def planted_season(number: int, *, pool: Path, blocks: int, seed: int, giving: float) -> Planted:
    """A season with a pair: searched among all pairs, and once more where it is one of five suspects."""
    played, chance = deck(pool), np.random.default_rng([seed, 1, number])
    drawn = played.season(blocks, chance, giving=giving)
    met = together(played, drawn, played.pair)
    everybody = reported(played, drawn)
    early = drawn[: int(np.searchsorted(met, EARLY, side="right"))]
    suspects = [played.pair, *suspects_by_lot(played, chance, SUSPECTS - 1)]
    suspected = reported(played, early, suspects=suspects)
    return Planted(
        number,
        met_in_all=int(met[-1]),
        met_when_reported=met_at(met, everybody.get(played.pair)),
        met_when_reported_as_suspect=met_at(met, suspected.get(played.pair)),
        innocent=[sorted(pair) for pair in everybody if pair != played.pair],
        worth=played.worth(drawn),
    )


def suspects_by_lot(played: Deck, chance: np.random.Generator, number: int) -> list[frozenset[str]]:
    """The number of pairs of honest bots."""
    pairs = [frozenset(pair) for pair in combinations(played.names, 2) if frozenset(pair) != played.pair]
    return [pairs[place] for place in chance.choice(len(pairs), number, replace=False)]


def met_at(met: np.ndarray, blocks: int | None) -> int | None:
    """Count the blocks in which the pair had met, after this number of blocks."""
    return None if blocks is None else int(met[blocks - 1])


def portion(seasons: int, number: int) -> range:
    """The numbers of the seasons of one portion of all."""
    return range(seasons * number // PORTIONS, seasons * (number + 1) // PORTIONS)


def main() -> int:
    args = _parser().parse_args()
    given = {"pool": args.pool, "blocks": args.blocks, "seed": args.seed}
    honest: list[Honest] = []
    planted: dict[float, list[Planted]] = {giving: [] for giving in args.giving}
    page = ""
    # other workers could not import this file, whose functions they call
    with ProcessPoolExecutor(args.processes, mp_context=get_context("fork")) as workers:
        for number in range(PORTIONS):
            for giving, seasons in planted.items():
                play = partial(planted_season, giving=giving, **given)
                seasons += workers.map(play, portion(args.planted, number))
            honest += workers.map(partial(honest_season, **given), portion(args.honest, number))
            page = as_page(honest, planted, blocks=args.blocks, date=datetime.now(UTC).date().isoformat())
            if args.out:
                args.out.write_text(page, encoding="utf-8")
            print(
                f"\rseasons played: {number + 1} of {PORTIONS} portions", end="", file=sys.stderr, flush=True
            )
    print(file=sys.stderr)
    print(page)
    missed = goals_missed(honest, planted)
    for goal in missed:
        print(f"missed: {goal}", file=sys.stderr)
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="collusion", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--honest", type=int, default=1000, help="seasons without a pair (1000)")
    parser.add_argument("--planted", type=int, default=500, help="seasons with a pair (500)")
    parser.add_argument("--blocks", type=int, default=2000, help="of a season (2000)")
    parser.add_argument(
        "--giving",
        type=float,
        nargs="+",
        default=[0.6],
        help="shares of the meetings in which the giver gives (0.6: worth some 100 Elo there)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the drawing: a whole number")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--pool", type=Path, default=POOL, help="the blocks that were played")
    parser.add_argument("--out", type=Path, help="a Markdown file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
