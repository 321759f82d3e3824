"""Speed of data sets: how fast records become rows, and how fast many rows load, in each format.

Real matches among `thumb` and `random` are refereed and written again and again until there are rows enough.
Exits 1 where 10 million rows of the compact form take more than 128 bytes each, or 10 seconds of processor
time to load.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.games import GAMES, new_game
from stichkampf.lab.dataset import FORMATS, DatasetFolder, decided, load

MOST_BYTES = 128
MOST_SECONDS = 10.0
GOAL_ROWS = 10_000_000
MATCHES = 40
DEALS = {"was-sticht": {"max_deals": 4}}


def main() -> int:
    parser = argparse.ArgumentParser(prog="dataset_speed.py", description=__doc__)
    parser.add_argument("--game", choices=GAMES, default="sticheln", help="(sticheln)")
    parser.add_argument("--rows", type=int, default=GOAL_ROWS, metavar="N", help="(10 million)")
    args = parser.parse_args()
    game = new_game(args.game, 4, DEALS.get(args.game, {"length": "deals:4"}))
    field = [entrant(name) for name in ("thumb", "random", "thumb", "random")]
    seeds = islice(seeds_from("rows"), MATCHES)
    records = [play_match(game, field, seed).record for seed in seeds]
    begun = time.process_time()
    found = [decided(record) for record in records]
    count = sum(len(one.rows) for one in found)
    print(f"{args.game}: {count / (time.process_time() - begun):,.0f} decisions refereed a second")
    good = True
    for form in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "set")
            with DatasetFolder(path, form=form) as made:
                while made.rows < args.rows:
                    for record, one in zip(records, found, strict=True):
                        made.add(record, one._replace(rows=one.rows.copy()))
            size = sum(file.stat().st_size for file in path.glob(f"*.{form}"))
            begun = time.process_time()
            decisions = load(path, args.game)
            told = int(np.sum(decisions["action"], dtype=np.int64)) + int(decisions["legal"][:, 0].sum())
            seconds = time.process_time() - begun
            each = found[0].rows.itemsize
            print(
                f"{form}: {len(decisions):,} rows of {each} bytes ({size / len(decisions):.0f} in the file),"
                f" loaded and summed up ({told:,}) in {seconds:.1f} s of processor time"
            )
            good = good and each <= MOST_BYTES and seconds * GOAL_ROWS / len(decisions) <= MOST_SECONDS
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
