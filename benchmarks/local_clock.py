"""The verdict of the clock at home beside the server's, on decisions near the limit.

    python benchmarks/local_clock.py [--decisions 500]

A bot burns 50 to 95% or 105 to 200% of the CPU time that a decision may take. The same matches are played at
home, as `stichkampf play` does, and in the sandbox by an arbiter. Prints how many decisions both judge alike,
and ends with 1 where it is fewer than 99 in 100. Only a quiet machine tells: on a busy one a decision that
was kept from a core is given its time back by estimate.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from stichkampf.bots.practice import seeds_from
from stichkampf.bots.registry import house_bot
from stichkampf.games import new_game
from stichkampf.local_play.clocked_match import BotProcesses, ClockedMatch
from stichkampf.local_play.programs import LocalProgram
from stichkampf.match.records import moves
from stichkampf.match.table import table_seed
from stichkampf.packaging.archive import pack
from stichkampf.sandboxed.private_arbiter import PrivateArbiter
from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb

GOAL = 0.99
SEAT = 0
ALLOWANCE = 100_000
CONTROL = TimeControl(move_seconds=0.1, bank_seconds=0, cap_seconds=0.1)
GAME = new_game("stiche-raten", 3)
# After an overrun one decision burns nothing: the server gives a question up, and the bot burns on.
BOT = """
import time
from stichkampf import Bot

class Burner(Bot):
    def __init__(self):
        self.late = False

    def choose(self, table):
        share = 0.0 if self.late else {plan}
        self.late = share > 1
        begin = time.process_time()
        while time.process_time() - begin < share * {limit}:
            pass
        return table.legal[0]
"""
PLAN = "table.rng.choice((table.rng.uniform(0.5, 0.95), table.rng.uniform(1.05, 2.0)))"


def shares(seed: bytes, decisions: int) -> list[float]:
    """List the share of its time that the bot burns in each decision of a match; 0 after an overrun."""
    rng = random.Random(table_seed(seed, SEAT))
    found: list[float] = []
    late = False
    while len(found) < decisions:
        share = 0.0 if late else rng.choice((rng.uniform(0.5, 0.95), rng.uniform(1.05, 2.0)))
        late = share > 1
        found.append(share)
    return found


def verdicts(record: dict[str, object]) -> list[bool]:
    """Tell of each decision of the bot whether it was late."""
    return [bool(move.fault) for move in moves(record) if move.seat == SEAT]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=500)
    wanted = parser.parse_args().decisions
    counted = alike = right_at_home = right_on_server = 0
    with tempfile.TemporaryDirectory() as folder, PrivateArbiter() as arbiter, BotProcesses() as processes:
        file = Path(folder, "burner.py")
        file.write_text(BOT.format(plan=PLAN, limit=CONTROL.cap_seconds))
        digest = arbiter.upload(pack(file))
        bot, house = LocalProgram("burner", entry=str(file)), LocalProgram("house/random", house="random")
        for number, seed in enumerate(seeds_from("clock")):
            match = ClockedMatch(GAME, [bot, house, house], seed, processes, CONTROL, ALLOWANCE)
            home = verdicts(match.play_to_end().record)
            seats = [pb.Seat(bot="burner", archive_sha256=digest)]
            seats += [pb.Seat(bot="house/random", version=house_bot("random").version, house="random")] * 2
            answer = arbiter.play(
                f"match-{number}",
                GAME,
                seats,
                seed=seed,
                control=CONTROL,
                fault_allowance=ALLOWANCE,
                substitute_version=house_bot("thumb").version,
                lane=str(number),
            )
            server = verdicts(json.loads(answer.record_json))
            for share, one, other in zip(shares(seed, len(home)), home, server, strict=True):
                if share and counted < wanted:
                    counted += 1
                    alike += one == other
                    right_at_home += one == (share > 1)
                    right_on_server += other == (share > 1)
            if counted >= wanted:
                break
    print(f"decisions: {counted}; judged alike at home and by the server: {alike / counted:.1%}")
    print(f"as burnt: at home {right_at_home / counted:.1%}, by the server {right_on_server / counted:.1%}")
    return 0 if alike >= GOAL * counted else 1


if __name__ == "__main__":
    sys.exit(main())
