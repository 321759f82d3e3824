"""The luckiest of thirty equal versions: how far above its strength it stands, and for how long.

`python benchmarks/collusion/luck.py` draws from the pool of real blocks. In each run a bot is submitted
thirty times, and each version is rated after twenty blocks. The luckiest is kept: no more are submitted.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pool import SEATS, Pool, arranged
from stichkampf.rating import Results, compare, rate
from stichkampf_platform.ladders.rank_order import shared

VERSIONS, FIRST_BLOCKS, LATER_BLOCKS, OTHERS = 30, 20, 100, 400
WANTED = 10
"""The most Elo above the true rating after the later blocks, on average."""
ANCHORS = ("thumb", "glimpse", "worrier")
FIRST = 100
"""The number of the first version, above those of all bots."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Luck:
    """Elo of the luckiest version above its true rating.

    :ivar frozen: as it is picked, and for ever where it plays no more.
    :ivar alone: after its later blocks, by these and its first ones alone.
    :ivar shared: the same, where all versions share their evidence, as they do with the pick.
    """

    frozen: float
    alone: float
    shared: float


class Lottery:
    """Runs with one bot of the pool."""

    def __init__(self, pool: Pool, bot: str) -> None:
        giver = pool.names.index("giver")
        kept = ~(pool.groups == giver).any(1)
        rows = zip(pool.groups[kept], pool.arrangement[kept], strict=True)
        self._who = np.array([arranged(tuple(group), int(at)).tables for group, at in rows])
        self._scores = pool.scores[kept].astype(np.float64)
        self._bot = pool.names.index(bot)
        self._mine = np.flatnonzero((self._who == self._bot).any((1, 2)))
        self._rest = np.setdiff1d(np.arange(len(self._who)), self._mine)
        self._anchors = [pool.names.index(name) for name in ANCHORS if name != bot]
        self.true = self._elos(np.arange(len(self._who)), self._who)[self._bot]

    def run(self, chance: np.random.Generator) -> Luck:
        """Submit thirty versions, pick the luckiest, and let it play on."""
        first = chance.choice(self._mine, VERSIONS * FIRST_BLOCKS)
        version = np.repeat(FIRST + np.arange(VERSIONS), FIRST_BLOCKS)
        others = chance.choice(self._rest, OTHERS)
        elos = self._with(first, version, others)
        before = {FIRST + number: FIRST + number - 1 for number in range(1, VERSIONS)}
        blocks = dict.fromkeys(range(FIRST, FIRST + VERSIONS), FIRST_BLOCKS)
        own = {each: elos[each] for each in blocks}
        shown = shared(own, blocks, before)
        lucky, kept = max(own, key=own.__getitem__), max(shown, key=shown.__getitem__)
        later = chance.choice(self._mine, LATER_BLOCKS)
        after = {
            each: self._with(np.r_[first, later], np.r_[version, np.full(LATER_BLOCKS, each)], others)
            for each in {lucky, kept}
        }
        blocks[kept] += LATER_BLOCKS
        whole = shared({each: after[kept][each] for each in blocks}, blocks, before)
        return Luck(own[lucky] - self.true, after[lucky][lucky] - self.true, whole[kept] - self.true)

    def _with(self, blocks: Ints, version: Ints, others: Ints) -> dict[int, float]:
        """Rate these blocks, where the bot is called by its versions, together with blocks of others."""
        who = self._who[blocks]
        who = np.where(who == self._bot, version[:, None, None], who)
        return self._elos(np.r_[blocks, others], np.concatenate([who, self._who[others]]))

    def _elos(self, drawn: Ints, who: Ints) -> dict[int, float]:
        entrants, entrant = np.unique(who.ravel(), return_inverse=True)
        block, table, hand = np.indices(who.shape)
        results = Results(
            tuple(entrants.tolist()),
            tuple(range(len(who))),
            entrant=entrant,
            block=block.ravel(),
            hand=hand.ravel(),
            score=self._scores[drawn].ravel(),
            table=(block * SEATS + table).ravel(),
            forfeit=np.zeros(who.size, dtype=np.bool_),
        )
        return {line.entrant: line.elo for line in rate(compare(results), anchors=self._anchors)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="luck", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, pool = np.random.default_rng(args.seed), Pool.load()
    print("| bot | runs | picked, and never played again | 100 blocks later, alone | with the others |")
    print("|---|---|---|---|---|")
    found = []
    for bot in ("slip-0.05", "thumb"):
        lottery = Lottery(pool, bot)
        runs = [lottery.run(chance) for _ in range(args.runs // 2)]
        means = [float(np.mean([getattr(run, name) for run in runs])) for name in Luck.__annotations__]
        print(f"| {bot} | {len(runs)} | {' | '.join(f'{mean:+.1f}' for mean in means)} |")
        found += [run.shared for run in runs]
    mean = float(np.mean(found))
    print(f"\nMean of all {len(found)} runs with the others: {mean:+.1f} Elo.")
    if mean > WANTED:
        sys.exit(f"{mean:+.1f} Elo above the true rating; at most {WANTED:+} is wanted")


if __name__ == "__main__":
    main()
