"""Tables a minute of eight submitted bots, three of which burn 20 ms of CPU a decision.

    python benchmarks/hosted_blocks.py [--cheap] [--blocks N] [--rounds N] [--against PYTHON]

Plays blocks of four tables of Sticheln at an arbiter of its own, as many at once as the platform does. With
`--against`, the interpreter of another checkout, whose arbiter plays two blocks at once as it did before
there were turns, both take turns in one run, and the exit status is 1 where this one is more than 15% slower.

With `--cheap` the fields are drawn from 32 bots that play the first card they may, for four deals, and both
arbiters play as many blocks. The processor time of a block is then split: sandboxes, which is nearly all the
import of the client, arbiter, launcher, and the whole machine, other programs included.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from time import monotonic

import grpc
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc

ORDINARY_UID = 65534
GOAL = 0.85
AT_ONCE = 2 + 2 * (os.cpu_count() or 1)
BEFORE_AT_ONCE = 2
OPTIONS = {"edition": "short", "zero_trick": "nobody", "length": "deals:1"}
CHEAP_OPTIONS = {**OPTIONS, "length": "deals:4"}
BOTS, CHEAP_BOTS = 8, 32
CHEAP = "from stichkampf import Bot\n\nclass Mine(Bot):\n    games = ('sticheln',)\n"
CHEAP += "    def choose(self, table):\n        return table.legal[0]\n"
THUMB = "import time\nfrom stichkampf.bots.thumb import Thumb\n\nclass Mine(Thumb):\n    pass\n"
BURNS = """
    def choose(self, table):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return super().choose(table)
"""


def archive(number: int, *, is_cheap: bool) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        burning = THUMB.replace("    pass\n", BURNS) if number < 3 else THUMB
        body = CHEAP if is_cheap else burning
        file.writestr("bot.py", f"{body}\nNUMBER = {number}\n")
    return memory.getvalue()


def machine_seconds() -> float:
    """Return the processor time of this machine so far that was not idle."""
    fields = list(map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:]))
    return (sum(fields[:3]) + sum(fields[5:8])) / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """Return a process and all below it."""
    try:
        children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    except (FileNotFoundError, ProcessLookupError):
        return [pid]
    return [pid, *(below for child in map(int, children.split()) for below in descendants(child))]


def seconds(pid: int, *, of_ended_children: bool) -> float:
    """Return the processor time of a process, or of its ended children; 0 if it has ended itself."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    first = 13 if of_ended_children else 11
    return (int(fields[first]) + int(fields[first + 1])) / os.sysconf("SC_CLK_TCK")


class Side:
    """One arbiter."""

    def __init__(self, python: str, at_once: int, *, has_blocks: bool, is_cheap: bool = False) -> None:
        self.at_once, self.has_blocks, self.is_cheap = at_once, has_blocks, is_cheap
        self.options = CHEAP_OPTIONS if is_cheap else OPTIONS
        self.rates: list[float] = []
        self.folder = tempfile.TemporaryDirectory(prefix="sk-")
        folder = Path(self.folder.name)
        if os.getuid() == 0:
            os.chown(folder, ORDINARY_UID, ORDINARY_UID)
            os.chmod(folder, 0o755)
        address = f"unix:{folder}/arbiter.sock"
        # a checkout of 37b1c55 reads the name without the prefix
        names = ("STICHKAMPF_ARBITER_ADDRESS", "ARBITER_ADDRESS")
        environment = {"PATH": os.environ["PATH"]} | dict.fromkeys(names, address)
        environment |= {"STICHKAMPF_STATE_DIR": str(folder), "TMPDIR": str(folder)}
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen([python, "-m", "stichkampf_arbiter"], env=environment, stderr=log)
        self.channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
        self.stub = arbiter_pb2_grpc.ArbiterStub(self.channel)
        self.stub.GetStatus(pb.GetStatusRequest(), timeout=120, wait_for_ready=True)
        self.bots = []
        for number in range(CHEAP_BOTS if is_cheap else BOTS):
            content = archive(number, is_cheap=is_cheap)
            digest = hashlib.sha256(content).hexdigest()
            self.stub.UploadBot(iter([pb.UploadBotRequest(archive_sha256=digest, chunk=content)]))
            self.bots.append(digest)

    def play_block(self, field: list[int]) -> int:
        """Play the four seatings of a block; return the number of faults."""
        name, keys = secrets.token_hex(8), []
        for lane in range(4):
            seats = [self.bots[field[(seat + lane) % 4]] for seat in range(4)]
            request = pb.StartMatchRequest(
                idempotency_key=f"{name}-{lane}",
                game="sticheln",
                seats=[pb.Seat(bot="a/bot", version=1, archive_sha256=digest) for digest in seats],
                seed=hashlib.sha256(name.encode()).digest(),
                options_json=json.dumps(self.options),
                lane=str(lane),
                fault_allowance=2,
            )
            if self.has_blocks:
                request.block, request.block_tables = name, 4
            self.stub.StartMatch(request)
            keys.append(request.idempotency_key)
        over: dict[str, pb.Match] = {}
        for news in self.stub.WatchMatches(pb.WatchMatchesRequest(matches=keys), timeout=1800):
            over[news.match.match] = news.match
        assert all(match.state == pb.MATCH_STATE_FINISHED for match in over.values()), over
        return sum(len(match.faults) for match in over.values())

    def play(self, blocks: int, seed: int) -> None:
        chance = random.Random(seed)
        fields = [chance.sample(range(len(self.bots)), 4) for _ in range(blocks)]
        launcher = self.launcher()
        before = self.used(launcher)
        begun = monotonic()
        with ThreadPoolExecutor(self.at_once) as workers:
            faults = sum(workers.map(self.play_block, fields))
        self.rates.append(4 * blocks / (monotonic() - begun) * 60)
        print(
            f"{self.at_once} blocks at once: {self.rates[-1]:.0f} tables a minute, {faults} faults",
            flush=True,
        )
        if self.is_cheap:
            after = self.used(launcher)
            text = ", ".join(f"{name} {1000 * (after[name] - before[name]) / blocks:.0f}" for name in after)
            print(f"  CPU of a block, ms: {text}; load {os.getloadavg()[0]:.0f}", flush=True)

    def used(self, launcher: int) -> dict[str, float]:
        """Return the processor seconds so far, by what used them."""
        inside = sum(
            seconds(pid, of_ended_children=False) + seconds(pid, of_ended_children=True)
            for pid in descendants(launcher)[1:]
        )
        return {
            "sandboxes": inside + seconds(launcher, of_ended_children=True),
            "arbiter": seconds(self.process.pid, of_ended_children=False),
            "launcher": seconds(launcher, of_ended_children=False),
            "whole machine": machine_seconds(),
        }

    def launcher(self) -> int:
        """Return the number of the launcher's process, the last above the sandboxes."""
        for pid in descendants(self.process.pid):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[2:4] == [b"-m", b"stichkampf_arbiter.sandbox.launcher"]:
                return pid
        raise SystemExit("the arbiter has no launcher: this machine offers no sandbox")

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait(120)
        self.folder.cleanup()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cheap", action="store_true", help="bots that hardly think, and where the time goes"
    )
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", metavar="PYTHON", help="the interpreter of a checkout to compare with")
    chosen = parser.parse_args()
    sides = [Side(sys.executable, AT_ONCE, has_blocks=True, is_cheap=chosen.cheap)]
    if chosen.against and chosen.cheap:
        sides.append(Side(chosen.against, AT_ONCE, has_blocks=True, is_cheap=True))
    elif chosen.against:
        sides.append(Side(chosen.against, BEFORE_AT_ONCE, has_blocks=False))
    try:
        for number in range(chosen.rounds):
            for side in sides:
                side.play(chosen.blocks, number)
    finally:
        for side in sides:
            side.close()
    if len(sides) == 1:
        return 0
    ratio = median(new / old for new, old in zip(sides[0].rates, sides[1].rates, strict=True))
    print(f"new / old: {ratio:.2f}, at least {GOAL}: {'met' if ratio >= GOAL else 'missed'}")
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
