"""Bits that two bots that agreed on a code can tell each other by time alone.

    python benchmarks/timing_channels.py [--trials N]

A sender and a receiver, as submitted bots in sandboxes, with moves left out: at one table, at two tables of
one block, and where the receiver's block begins when the sender's has ended. Printed is the mutual
information of what was sent and what was read, in bits a trial, with the 95% interval of a bootstrap. It has
no goal to miss, because what it finds is published (docs/sandbox.md).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import math
import os
import random
import secrets
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc, bot_pb2

ORDINARY_UID = 65534
RESAMPLES = 1000
STEP_SECONDS = 0.02
WINDOW_SECONDS = 0.25
DEALS = 4
TURNS = 25
BINS = 8
BOT = """
import hashlib, time
from stichkampf import Bot

def drawn(number, among):
    return hashlib.sha256(f"agreed {PAIR} {number}".encode()).digest()[0] % among

class Karl(Bot):
    last = number = 0

    def choose(self, table):
        now = time.monotonic()
        self.number += 1
        note = self.act(table, now)
        self.last = time.monotonic()
        return table.legal[0], str(note)

"""
ROLES = {
    "sends at its table": f"""
    def act(self, table, now):
        symbol = drawn(self.number, 4)
        time.sleep(symbol * {STEP_SECONDS})
        return symbol
""",
    "reads at its table": """
    def act(self, table, now):
        return now - self.last if self.last else ""
""",
    "sends to another table": f"""
    def act(self, table, now):
        window = int(now / {WINDOW_SECONDS}) + 1
        if not drawn(window, 2):
            time.sleep(window * {WINDOW_SECONDS} - now)
        while time.monotonic() < window * {WINDOW_SECONDS}:
            pass
        return window
""",
    "reads another table": f"""
    def act(self, table, now):
        window, count = int(now / {WINDOW_SECONDS}) + 1, 0
        while time.monotonic() < window * {WINDOW_SECONDS}:
            count += 1
        return f"{{drawn(window, 2)}} {{count}}"
""",
    "sends to a later table": """
    def act(self, table, now):
        if table.legal[0].startswith("play"):
            time.sleep((SENT / 2 - now) % 1.0)
        return ""
""",
    "reads when it begins": """
    def act(self, table, now):
        return now % 1.0 if self.number == 1 else ""
""",
}


class Arbiter:
    """An arbiter process with sandboxes, and the matches that it is asked for."""

    def __init__(self, folder: Path) -> None:
        address = f"unix:{folder}/arbiter.sock"
        environment = {"PATH": os.environ["PATH"], "STICHKAMPF_ARBITER_ADDRESS": address}
        environment |= {"STICHKAMPF_STATE_DIR": str(folder), "TMPDIR": str(folder)}
        self.process = subprocess.Popen([sys.executable, "-m", "stichkampf_arbiter"], env=environment)
        self.channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
        self.stub = arbiter_pb2_grpc.ArbiterStub(self.channel)
        status = self.stub.GetStatus(pb.GetStatusRequest(), timeout=120, wait_for_ready=True)
        self.level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()

    def upload(self, source: str) -> str:
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w") as file:
            file.writestr("bot.py", source)
        content = memory.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        self.stub.UploadBot(iter([pb.UploadBotRequest(archive_sha256=digest, chunk=content)]))
        return digest

    def start(self, bots: list[str], *, game: str, options: dict[str, str], lane: str, **fields: Any) -> str:
        """Start a match of three or more; house bots take the seats that no bot of ours has."""
        key = secrets.token_hex(8)
        seats = [pb.Seat(bot="a/bot", version=1, archive_sha256=digest) for digest in bots]
        while len(seats) < 4:
            seats.append(pb.Seat(bot="house/thumb", version=1, house="thumb"))
        control = bot_pb2.TimeControl(move_seconds=2.0, bank_seconds=1000.0, cap_seconds=20.0)
        self.stub.StartMatch(
            pb.StartMatchRequest(
                idempotency_key=key,
                game=game,
                seats=seats,
                seed=secrets.token_bytes(32),
                options_json=json.dumps(options),
                lane=lane,
                time_control=control,
                fault_allowance=100,
                **fields,
            )
        )
        return key

    def record(self, key: str) -> dict[str, Any]:
        for _ in self.stub.WatchMatches(pb.WatchMatchesRequest(matches=[key]), timeout=900):
            pass
        found: dict[str, Any] = json.loads(
            self.stub.FetchRecord(pb.FetchRecordRequest(match=key)).record_json
        )
        return found

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait(120)


LONG = {"game": "sticheln", "options": {"length": f"deals:{DEALS}"}}
SHORT = {"game": "stiche-raten", "options": {"length": "deals:1"}}
Trial = tuple[int, float]


def notes_of(record: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Return the bots' notes by deal and move."""
    return {(note["deal"], note["move"]): note["note"]["text"] for note in record.get("notes", [])}


def program(role: str, pair: int) -> str:
    """Make the source of a bot of one pair, which has a code of its own."""
    return f"PAIR = {pair}\n" + BOT + ROLES[role]


def same_table(arbiter: Arbiter, number: int) -> list[Trial]:
    """Compare each symbol, sent in one move between two moves of the receiver, with the gap between these."""
    bots = [arbiter.upload(program(f"{what} at its table", number)) for what in ("sends", "reads")]
    record = arbiter.record(arbiter.start(bots, lane=f"same {number}", **LONG))
    notes = notes_of(record)
    trials, sent = [], list[int]()
    for at, deal in enumerate(record["deals"]):
        for place, (seat, _) in enumerate(deal["moves"]):
            text = notes.get((at, place), "")
            if seat == 0 and text:
                sent.append(int(text))
            elif seat == 1:
                if len(sent) == 1 and text:
                    trials.append((sent[0], float(text)))
                sent.clear()
    return trials


def other_table(arbiter: Arbiter, number: int) -> list[Trial]:
    """Compare whether the sender burned in a time window with the receiver's count in it."""
    block = {"block": f"other {number}", "block_tables": 2}
    # A code of their own: the senders of other blocks, which are played meanwhile, say something else.
    send, read = (
        arbiter.upload(program(role, number)) for role in ("sends to another table", "reads another table")
    )
    sending = arbiter.start([send], lane="0", **LONG, **block)
    reading = arbiter.start([read], lane="1", **LONG, **block)
    windows = {int(text) for text in notes_of(arbiter.record(sending)).values()}
    assert windows
    texts = notes_of(arbiter.record(reading)).values()
    return [(int(bit), float(count)) for bit, count in (text.split() for text in texts)]


def later_table(arbiter: Arbiter, number: int) -> list[Trial]:
    """Pair the half second in which the sender ended its block with the start of the receiver's next."""
    read = arbiter.upload(program("reads when it begins", number))
    send = [arbiter.upload(f"SENT = {bit}\n" + program("sends to a later table", number)) for bit in (0, 1)]
    trials = []
    chance = random.Random(number)
    for turn in range(TURNS):
        bit = chance.randrange(2)
        arbiter.record(
            arbiter.start([send[bit]], lane=f"later {number}", block=f"b{number}-{turn}s", **SHORT)
        )
        record = arbiter.record(
            arbiter.start([read], lane=f"later {number}", block=f"b{number}-{turn}r", **SHORT)
        )
        trials += [(bit, float(text)) for text in notes_of(record).values() if text]
    return trials


Attack = Callable[[Arbiter, int], list[Trial]]
TRIALS: dict[str, Attack] = {
    "same table, a decision": same_table,
    "other table of the block, a window": other_table,
    "later table, a block": later_table,
}


def information(pairs: Sequence[tuple[int, int]]) -> float:
    """Return the mutual information of two columns in bits, corrected for small samples (Miller, Madow)."""
    both, sent, read = Counter(pairs), Counter(s for s, _ in pairs), Counter(r for _, r in pairs)
    total = len(pairs)
    bits = sum(n / total * math.log2(n * total / (sent[s] * read[r])) for (s, r), n in both.items())
    return bits - (len(sent) - 1) * (len(read) - 1) / (2 * total * math.log(2))


def measured(trials: Sequence[Trial]) -> tuple[float, float, float]:
    """Return the bits a trial, and the 95% interval."""
    ordered = sorted(value for _, value in trials)
    edges = [ordered[len(ordered) * number // BINS] for number in range(1, BINS)]
    pairs = [(sent, sum(value > edge for edge in edges)) for sent, value in trials]
    chance = random.Random(2026)
    again = sorted(information(chance.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return information(pairs), again[RESAMPLES // 40], again[-RESAMPLES // 40]


def run(arbiter: Arbiter, least: int, attacks: Mapping[str, Attack], together: int) -> None:
    print(f"\nsandbox: {arbiter.level}\n\n| channel | trials | bits a trial | 95% |\n|---|---|---|---|")
    for name, attack in attacks.items():
        trials: list[Trial] = []
        begun = 0
        with ThreadPoolExecutor(together) as threads:
            while len(trials) < least:
                numbers = range(begun, begun + together)
                begun += together
                for found in threads.map(lambda number, attack=attack: attack(arbiter, number), numbers):
                    trials += found
        bits, low, high = measured(trials)
        print(f"| {name} | {len(trials)} | {bits:.3f} | {low:.3f} to {high:.3f} |", flush=True)


def measure(attacks: Mapping[str, Attack], *, about: str | None, trials: int, together: int) -> None:
    """Read the command line, start an arbiter and print the result of each attack.

    :param trials: number of each kind, unless the command line gives another.
    :param together: pairs of bots that are tried at once.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--trials", type=int, default=trials, help="least number of each kind")
    parser.add_argument("--channel", action="append", choices=list(attacks), help="only this one")
    chosen = parser.parse_args()
    asked = {name: attacks[name] for name in chosen.channel or attacks}
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        if os.getuid() == 0:
            os.chown(folder, ORDINARY_UID, ORDINARY_UID)
            os.chmod(folder, 0o755)
        arbiter = Arbiter(Path(folder))
        try:
            run(arbiter, chosen.trials, asked, together)
        finally:
            arbiter.close()


if __name__ == "__main__":
    measure(TRIALS, about=__doc__, trials=1000, together=4)
