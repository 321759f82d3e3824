"""Tables a minute of eight submitted bots, three of which burn 20 ms of CPU a decision.

    python benchmarks/hosted_blocks.py [--cheap] [--blocks N] [--rounds N] [--against PYTHON]
    python benchmarks/hosted_blocks.py --platform PORT [--blocks N]

Plays blocks of four tables of Sticheln at an arbiter of its own, as many at once as the platform does. With
`--against`, the interpreter of another checkout, whose arbiter plays two blocks at once as it did before
there were turns, both take turns in one run, and the exit status is 1 where this one is more than 15% slower.

With `--cheap` the fields are drawn from 32 bots that play the first card they may, for four deals, and both
arbiters play as many blocks. The processor time of a block is then split: sandboxes, which is nearly all the
import of the client, arbiter, launcher, these together, and the whole machine, other programs included. The
same bots then play with `stichkampf play`, and the processor time of a table is divided by that of a match
there. The exit status is 1 above the limits of a block and of this ratio, and, with `--against`, where this
side plays less than two and a half times the tables.

With `--platform` the blocks are those of a tournament of a whole platform, and its other programs are told
apart. On SQLite the database is in the workers' and the site's; with `DATABASE_URL` of a PostgreSQL server on
this machine all servers of PostgreSQL here are the part *database*.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import random
import resource
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import monotonic

import grpc
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc

ORDINARY_UID = 65534
GOAL, CHEAP_GOAL = 0.85, 2.5
"""The least tables a minute, divided by those of the other side."""
BLOCK_MS = 1_100
"""The most processor time of a block of cheap bots in sandboxes, arbiter and launcher together."""
HOSTED_BY_HOME = 15.0
"""The most processor time of their table, divided by that of the match at home."""
HOME_MATCHES = 80
PLATFORM = (
    "from benchmarks.nodes.tournaments import make_cheap_bots, start_cheap;"
    " make_cheap_bots({bots}); start_cheap({blocks})"
)
MOST_SECONDS = 1800.0
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


def home_ms() -> float:
    """Return the processor time of a match of four cheap bots with `stichkampf play`, without its start."""
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        bots = [Path(folder) / f"bot{number}.py" for number in range(4)]
        for bot in bots:
            bot.write_text(CHEAP)
        used = []
        for matches in (1, 1 + HOME_MATCHES):
            command = [sys.executable, "-m", "stichkampf", "play", "sticheln", *map(str, bots)]
            command += ["--matches", str(matches)]
            for name, value in CHEAP_OPTIONS.items():
                command += ["-o", f"{name}={value}"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * (used[1] - used[0]) / HOME_MATCHES


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


def used(arbiter: int) -> dict[str, float]:
    """Return the processor seconds so far of an arbiter, by what used them.

    :param arbiter: the number of its process.
    """
    launcher = launcher_of(arbiter)
    inside = sum(
        seconds(pid, of_ended_children=False) + seconds(pid, of_ended_children=True)
        for pid in descendants(launcher)[1:]
    )
    parts = {
        "sandboxes": inside + seconds(launcher, of_ended_children=True),
        "arbiter": seconds(arbiter, of_ended_children=False),
        "launcher": seconds(launcher, of_ended_children=False),
    }
    return parts | {"together": sum(parts.values()), "whole machine": machine_seconds()}


def launcher_of(arbiter: int) -> int:
    """Return the number of the launcher's process, the last above the sandboxes."""
    for pid in descendants(arbiter):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        if words[2:4] == [b"-m", b"stichkampf_arbiter.sandbox.launcher"]:
            return pid
    raise SystemExit("the arbiter has no launcher: this machine offers no sandbox")


def database_seconds() -> float:
    """Return the processor seconds so far of all servers of PostgreSQL, their ended children included."""
    found = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if (folder / "comm").read_text() == "postgres\n":
                pid = int(folder.name)
                found += seconds(pid, of_ended_children=False) + seconds(pid, of_ended_children=True)
    return found


def play_on_platform(port: int, blocks: int) -> None:
    """Play blocks of a tournament on a platform, and print what each of its programs used."""
    # needs the platform, which the other measurements do without
    from running_platform import process_tree, running_platform
    from stichkampf_platform.supervisor import preparation

    def spent() -> dict[str, float]:
        others = {
            name: sum(
                seconds(process, of_ended_children=False) + seconds(process, of_ended_children=True)
                for process in process_tree(pid)
            )
            for name, pid in platform.pids.items()
            if name != "arbiter"
        }
        return used(platform.pids["arbiter"]) | others | {"database": database_seconds()}

    with running_platform(port) as platform:
        before, begun = spent(), monotonic()
        script = PLATFORM.format(bots=CHEAP_BOTS, blocks=blocks)
        preparation.manage(platform.installation, ("shell", "--no-imports", "-c", script))
        while not is_over(platform.address):
            assert monotonic() < begun + MOST_SECONDS, "the tournament does not end"
            time.sleep(0.5)
        rate = 4 * blocks / (monotonic() - begun) * 60
        after = spent()
        text = ", ".join(f"{name} {1000 * (after[name] - before[name]) / blocks:.0f}" for name in after)
        print(f"on a platform: {rate:.0f} tables a minute\n  CPU of a block, ms: {text}", flush=True)


def is_over(address: str) -> bool:
    """Tell whether all tables of the tournament are over."""
    with urllib.request.urlopen(f"{address}api/v1/tournaments/cheap/") as answer:
        return bool(json.load(answer)["state"] == "finished")


class Side:
    """One arbiter."""

    def __init__(self, python: str, at_once: int, *, has_blocks: bool, is_cheap: bool = False) -> None:
        self.at_once, self.has_blocks, self.is_cheap = at_once, has_blocks, is_cheap
        self.options = CHEAP_OPTIONS if is_cheap else OPTIONS
        self.rates: list[float] = []
        self.block_ms: list[float] = []
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
        before = used(self.process.pid)
        begun = monotonic()
        with ThreadPoolExecutor(self.at_once) as workers:
            faults = sum(workers.map(self.play_block, fields))
        self.rates.append(4 * blocks / (monotonic() - begun) * 60)
        print(
            f"{self.at_once} blocks at once: {self.rates[-1]:.0f} tables a minute, {faults} faults",
            flush=True,
        )
        if self.is_cheap:
            after = used(self.process.pid)
            cost = {name: 1000 * (after[name] - before[name]) / blocks for name in after}
            self.block_ms.append(cost["together"])
            text = ", ".join(f"{name} {ms:.0f}" for name, ms in cost.items())
            print(f"  CPU of a block, ms: {text}; load {os.getloadavg()[0]:.0f}", flush=True)

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
    parser.add_argument("--platform", metavar="PORT", type=int, help="port of a platform that plays them")
    chosen = parser.parse_args()
    if chosen.platform:
        play_on_platform(chosen.platform, chosen.blocks)
        return 0
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
    met = []
    if len(sides) > 1:
        goal = CHEAP_GOAL if chosen.cheap else GOAL
        ratio = median(new / old for new, old in zip(sides[0].rates, sides[1].rates, strict=True))
        met.append(ratio >= goal)
        print(f"new / old: {ratio:.2f}, at least {goal}: {'met' if met[-1] else 'missed'}")
    if chosen.cheap:
        for side, name in zip(sides, ("this side", "the other side"), strict=False):
            block, home = median(side.block_ms), home_ms()
            by_home = block / 4 / home
            print(
                f"{name}: a block {block:.0f} ms; a match at home {home:.1f} ms, a table {by_home:.1f} times"
            )
            met += [block <= BLOCK_MS, by_home <= HOSTED_BY_HOME] if side is sides[0] else []
        print(f"at most {BLOCK_MS} ms and {HOSTED_BY_HOME:g} times: {'met' if all(met[-2:]) else 'missed'}")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
