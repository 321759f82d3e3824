"""The time of 64 mirrored pairs, and that from a challenge to its first table beside all else that plays.

    python benchmarks/challenges.py [--tries N] [--port N]

Starts the services of `make up` in a temporary folder on SQLite and asks for 64 mirrored pairs of thumb
against worrier at Sticheln, one deal, with nothing else to play. Then it starts the main ladders, the
demonstration tournament, and a tournament of 64 blocks with a remote bot that takes most of its time for
each decision. It asks for small challenges one after the other, and notes how long each waits for its first
table. Exits 1 where more than one in twenty waits longer than 10 seconds, or the pairs take longer than 2
minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from running_platform import RunningPlatform, running_platform
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.output import last_line
from stichkampf_platform.supervisor.process_manager import StopAsked

START_SECONDS, PAIRS_SECONDS = 10.0, 120.0
PAIRS, BLOCKS = 64, 64
EXPERIMENTS = """
import json, time
from django.utils import timezone
from stichkampf_platform.bots.models import Version
from stichkampf_platform.experiments import services
from stichkampf_platform.people.models import User
from stichkampf_platform.experiments.standing import standing
admin, _ = User.objects.get_or_create(username="admin", defaults={"is_staff": True})
newest = Version.objects.order_by("number")
thumb, worrier = (newest.filter(house=name).last() for name in ("thumb", "worrier"))
def challenge(blocks):
    return services.challenge(version=thumb, opponents=[worrier], game="sticheln", blocks=blocks, by=admin,
                              options={"length": "deals:1"})
def seconds(experiment, until):
    asked, end = experiment.created_at, time.monotonic() + 900
    while time.monotonic() < end:
        experiment.tournament.refresh_from_db()
        if until == "over" and experiment.tournament.finished_at:
            return (experiment.tournament.finished_at - asked).total_seconds()
        if until == "started" and (first := standing(experiment).first_table_at):
            return (first - asked).total_seconds()
        time.sleep(0.2)
    raise SystemExit("not " + until + " within 15 minutes")
"""
"""Runs in a process of the platform, as a request for a challenge would, before one of these two."""
PAIRS_OF_BOTS = f"""
pairs = challenge({PAIRS})
took = seconds(pairs, "over")
(found,) = standing(pairs).differences
print(json.dumps({{"seconds": took, "blocks": found.blocks, "elo": found.elo}}))
"""
STARTS = """
starts = []
for _ in range({tries}):
    small = challenge(1)
    starts.append(seconds(small, "started"))
    seconds(small, "over")
print(json.dumps(starts))
"""

SLOW_BOT = """
import time
from pathlib import Path
from stichkampf import Bot

class Slow(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        if Path("slow").exists():
            time.sleep(1.5)
        return table.legal[-1]
"""
"""A bot that is quick as long as it is validated."""
REMOTE_VERSION = """
import json
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.people.models import User
owner = User.objects.create(username="slow")
submission, token = create_remote_version(owner=owner, slug="slow", games=["stiche-raten"])
print(json.dumps(token))
"""
WAITING_BLOCKS = """
import json, time
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
end = time.monotonic() + 300
slow = Version.objects.get(bot__slug="slow")
while slow.state != Version.State.APPROVED:
    assert time.monotonic() < end, slow.state
    time.sleep(0.5)
    slow.refresh_from_db()
newest = Version.objects.order_by("number")
others = [newest.filter(house=name).last() for name in ("thumb", "worrier", "timid", "bold", "random")]
made = lifecycle.create_tournament(name="Slow", slug="slow", game="stiche-raten", seats=3, options={{}},
                                   versions=[slow, *others], blocks={blocks})
lifecycle.start(tournament=made)
while not Table.objects.filter(block__tournament=made).exclude(started_at=None).exists():
    assert time.monotonic() < end, "no table of the slow bot was begun"
    time.sleep(0.5)
print(json.dumps(made.blocks.count()))
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=100, help="challenges that are asked for (default: 100)")
    parser.add_argument("--port", type=int, default=8323, help="port of the site during the measurement")
    args = parser.parse_args()
    try:
        with running_platform(args.port) as platform:
            pairs = answer(platform, PAIRS_OF_BOTS)
            preparation.manage(platform.installation, ("start_main_ladders",))
            platform.start_demonstration()
            with slow_remote_bot(platform) as folder:
                waiting = answer(platform, WAITING_BLOCKS.format(blocks=BLOCKS))
                (folder / "slow").touch()
                starts = answer(platform, STARTS.format(tries=args.tries))
            print(f"{waiting} blocks of a slow remote bot beside them")
            return report(pairs, starts)
    except StopAsked:
        return 1


@contextmanager
def slow_remote_bot(platform: RunningPlatform) -> Iterator[Path]:
    """Connect a remote bot that is slow as soon as there is a file `slow` in the folder that this yields."""
    with tempfile.TemporaryDirectory(prefix="sk-slow-") as name:
        folder = Path(name)
        (folder / "bot.py").write_text(SLOW_BOT)
        told = preparation.manage(platform.installation, ("shell", "--no-imports", "-c", REMOTE_VERSION))
        (folder / "token").write_text(json.loads(last_line(told)))
        (folder / "token").chmod(0o600)
        server = ("--server", platform.installation.remote_listen, "--token-file", "token")
        command = [sys.executable, "-m", "stichkampf", "connect", "bot.py", *server]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as connected:
            try:
                yield folder
            finally:
                connected.kill()  # its tables would take minutes to end


def answer(platform: RunningPlatform, program: str) -> Any:
    """Run a program in a process of the platform; return what it prints, from JSON."""
    command = ("shell", "--no-imports", "-c", EXPERIMENTS + program)
    return json.loads(last_line(preparation.manage(platform.installation, command)))


def report(pairs: dict[str, Any], starts: list[float]) -> int:
    """Print both figures; return the exit status."""
    estimate, low, high = pairs["elo"]
    told = f"{estimate:+.0f} Elo ({low:+.0f} to {high:+.0f})"
    print(f"{pairs['blocks']} mirrored pairs: {pairs['seconds']:.0f} s, {told}")
    starts = sorted(starts)
    late = sum(seconds > START_SECONDS for seconds in starts)
    middle, longest = starts[len(starts) // 2], starts[-1]
    print(f"first table: median {middle:.1f} s, longest {longest:.1f} s, {late} of {len(starts)} late")
    return 1 if late > len(starts) / 20 or pairs["seconds"] > PAIRS_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
