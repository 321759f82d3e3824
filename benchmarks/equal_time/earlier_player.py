"""The player of commit 37b1c55, a process on that commit's SDK: questions in and answers out, as JSON lines.

A question holds the moves since the last one, and at the start of a match its game and seed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from stichkampf import Match, Table, new_game
from stichkampf.search import Search
from stichkampf.table import table_seed

from benchmarks.equal_time.thinking import Thinker


def new_search(table: Table, most: int) -> Search:
    return Search(table.deal, table.seat, most_iterations=most, seed=table.rng.getrandbits(62))


def new_match(asked: dict[str, Any]) -> tuple[Match, list[Thinker]]:
    game = new_game(asked["game"], asked["seats"], asked["options"])
    seed = bytes.fromhex(asked["seed"])
    tables = [Table(game, seat, table_seed(seed, seat)) for seat in range(game.seats)]
    return Match(game, seed=seed), [Thinker(table, new_search, asked["seconds"]) for table in tables]


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "game" in asked:
            match, thinkers = new_match(asked)
        for seat, word in asked["moves"]:
            match.play(seat, word)
        seat = asked["seat"]
        known = {"hand": match.deal.hand(seat), "legal": match.legal(seat)}
        print(json.dumps(known | thinkers[seat].think(match)._asdict()), flush=True)


if __name__ == "__main__":
    main()
