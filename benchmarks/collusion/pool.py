"""The pool: duplicate blocks that were really played, several for every four of the field that can meet.

`python benchmarks/collusion/pool.py` plays them again and writes `pool.npz`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from players import GIVER, SPOILER, TAKER, players
from stichkampf.bots.practice import play_match
from stichkampf.engine.seeds import match_seed
from stichkampf.games import new_game
from stichkampf.schedule import Block, block_of

POOL = Path(__file__).parent / "pool.npz"
GAME, SEATS = "sticheln", 4
OPTIONS = {"edition": "short", "zero_trick": "nobody", "length": "deals:4"}

Group = tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    """Blocks that were played, those of one group one after the other.

    :ivar names: of the bots; numbers below stand for them.
    :ivar groups: the four of each block, ascending; shape (blocks, 4).
    :ivar arrangement: which of the arrangements of these four was played, shape (blocks,).
    :ivar scores: by table and seat, shape (blocks, 4, 4).
    """

    names: tuple[str, ...]
    groups: NDArray[np.int64]
    arrangement: NDArray[np.int64]
    scores: NDArray[np.int64]

    def save(self, path: Path) -> None:
        np.savez_compressed(
            path,
            names=np.array(self.names),
            groups=self.groups.astype(np.uint8),
            arrangement=self.arrangement.astype(np.uint8),
            scores=self.scores.astype(np.int16),
        )

    @classmethod
    def load(cls, path: Path = POOL) -> Pool:
        with np.load(path) as columns:
            whole = (columns[name].astype(np.int64) for name in ("groups", "arrangement", "scores"))
            return cls(tuple(columns["names"].tolist()), *whole)


def groups_of(names: tuple[str, ...], *, pair_factor: int) -> Iterable[tuple[Group, int]]:
    """Every four that can meet, and how many times the usual number of blocks they play: those with the pair
    meet more often, for all that is known of the pair comes from them. Giver and spoiler never meet: the
    one takes the other's place.
    """
    taker, giver, spoiler = (names.index(name) for name in (TAKER, GIVER, SPOILER))
    for group in combinations(range(len(names)), SEATS):
        if not {giver, spoiler} <= set(group):
            yield group, pair_factor if {giver, taker} <= set(group) else 1


def played(task: tuple[Group, int, str]) -> list[list[int]]:
    """The scores of one block by table and seat; the task is its group, its number in it, and a seed."""
    group, number, seed = task
    field = players()
    names = tuple(field)
    game = new_game(GAME, SEATS, OPTIONS)
    deals = match_seed(f"{seed}/{'-'.join(map(str, group))}/{number}")
    tables = arranged(group, number).tables
    return [
        play_match(game, [field[names[bot]] for bot in table], deals).record["scores"] for table in tables
    ]


def arranged(group: Group, arrangement: int) -> Block[int]:
    """The tables of a block."""
    return block_of(group, SEATS, arrangement)


def play_pool(copies: int, pair_factor: int, seed: str, processes: int) -> Iterator[Pool]:
    """Play this many blocks of every four that can meet; yield now and then all blocks played so far."""
    names = tuple(players())
    tasks = [
        (group, copy * factor + more, seed)
        for copy in range(copies)
        for group, factor in groups_of(names, pair_factor=pair_factor)
        for more in range(factor)
    ]
    scores: list[list[list[int]]] = []
    with ProcessPoolExecutor(processes) as workers:
        for block in workers.map(played, tasks, chunksize=8):
            scores.append(block)
            if len(scores) % 250 == 0 or len(scores) == len(tasks):
                print(f"\rblocks played: {len(scores)} of {len(tasks)}", end="", file=sys.stderr, flush=True)
                yield Pool(
                    names,
                    groups=np.array([group for group, _, _ in tasks[: len(scores)]]),
                    arrangement=np.array([number for _, number, _ in tasks[: len(scores)]]),
                    scores=np.array(scores),
                )


def main() -> None:
    parser = argparse.ArgumentParser(prog="pool", description=__doc__)
    parser.add_argument("--copies", type=int, default=12, help="blocks of every four (12)")
    parser.add_argument("--pair-factor", type=int, default=3, help="times as many of those with the pair (3)")
    parser.add_argument("--seed", default="collusion", help="of the deals: any text")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=POOL)
    args = parser.parse_args()
    for so_far in play_pool(args.copies, args.pair_factor, args.seed, args.processes):
        so_far.save(args.out)


if __name__ == "__main__":
    main()
