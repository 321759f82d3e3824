"""The time until a submitted bot that hangs while it is asked is noticed.

    python benchmarks/hung_bot.py

One of four bots stops itself with SIGSTOP at its first decision. It is frozen when it is asked nothing, so no
keepalive can notice; its time does. Prints the seconds from each question to its fault beside the limit of a
move and the second that a bot may wait without paying. Ends with 1 where one is above 1.5 times both.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zipfile
from time import monotonic

from hosted_blocks import OPTIONS, Side
from stichkampf.wire.v1 import arbiter_pb2 as pb

GOAL = 1.5
FREE_SECONDS = 1.0
BOT = """
import os, signal
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        if {hangs}:
            os.kill(os.getpid(), signal.SIGSTOP)
        return table.legal[0]
"""


def archive(*, hangs: bool) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("bot.py", BOT.format(hangs=hangs))
    return memory.getvalue()


def upload(side: Side, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    side.stub.UploadBot(iter([pb.UploadBotRequest(archive_sha256=digest, chunk=content)]))
    return digest


def seconds_until_noticed(side: Side, move_seconds: float) -> list[float]:
    """Play a match with a bot that hangs; the seconds that each of its faults took to come."""
    bots = [upload(side, archive(hangs=seat == 0)) for seat in range(4)]
    key = f"hung-{move_seconds:g}"
    request = pb.StartMatchRequest(
        idempotency_key=key,
        game="sticheln",
        seats=[pb.Seat(bot="a/bot", version=1, archive_sha256=digest) for digest in bots],
        seed=bytes(32),
        options_json=json.dumps(OPTIONS),
        lane="0",
        block=key,
        block_tables=1,
        fault_allowance=2,
    )
    clock = request.time_control
    clock.move_seconds, clock.bank_seconds, clock.cap_seconds = move_seconds, 0.0, move_seconds
    side.stub.StartMatch(request)
    took: list[float] = []
    since = monotonic()
    for news in side.stub.WatchMatches(pb.WatchMatchesRequest(matches=[key]), timeout=600):
        # The third fault ends the bot's part, and all its further moves are told with it. News that came
        # while this process had no core are told together.
        faults = [fault for fault in news.match.faults if fault.seat == 0]
        if not faults:
            since = monotonic()  # the bots have started, and the first question is asked
        for _ in range(len(took), min(len(faults), 3)):
            took.append(monotonic() - since)
            since = monotonic()
        if news.match.state >= pb.MATCH_STATE_FINISHED:
            break
    return took


def main() -> int:
    side = Side(sys.executable, 1, has_blocks=True)
    worst = 0.0
    try:
        for move_seconds in (1.0, 5.0, 20.0):
            took = seconds_until_noticed(side, move_seconds)
            assert len(took) == 3, took
            bound = move_seconds + FREE_SECONDS
            worst = max(worst, *(seconds / bound for seconds in took))
            print(f"limit {move_seconds:g} s: noticed after", *(f"{seconds:.1f}" for seconds in took), "s")
    finally:
        side.close()
    verdict = "met" if worst <= GOAL else "missed"
    print(f"noticed / limit and free second: {worst:.2f}, at most {GOAL}: {verdict}")
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
