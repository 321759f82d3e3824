"""The road of a new author, from an empty folder to a mended bot, as README tells it.

    python benchmarks/first_day.py [--port N] [--minutes 10]

Runs `make up` in a new clone with an empty cache of packages until it says welcome, and makes an account with
a token, as the Join page does. Then only commands of README in an empty environment, while the rules are
compiled and the ladders begin: `login`, `new`, `play`, a change of the bot, `check`, `submit --wait` until it
is ranked, `matches --lost`, `marks` for the costliest decision of a lost match, and `debug` there. Prints the
time of each step, and how long the accepted bot waited for its first table on a ladder; ends with 1 where a
step fails, all take longer, or the bot waits for more than a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

from fresh_platform import FreshPlatform, fresh_platform
from stichkampf.match.records import decisions_of

ACCOUNT = """
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
print(create_token(owner=User.objects.create(username="ada"), name="first day")[1])
"""
FIRST_TABLE = """
from stichkampf_platform.bots.models import Submission
from stichkampf_platform.tournaments.models import Table
accepted = Submission.objects.get(version__bot__owner__username="ada").finished_at
own = Table.objects.filter(seats__entrant__version__bot__owner__username="ada").order_by("started_at")
print((own.exclude(started_at=None)[0].started_at - accepted).total_seconds())
"""
FIRST_TABLE_SECONDS = 60.0


class Author:
    """A person with a terminal in the folder of the clone, and what each step took.

    :param seconds: the time that is left.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder = folder
        self.steps: list[tuple[str, float]] = []
        self._until = monotonic() + seconds
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}

    def types(self, *words: str, text: str = "") -> str:
        """Run `stichkampf` with these words to its end; returns what it prints.

        :raises SystemExit: it fails, or the time is over.
        """
        begin = monotonic()
        command = " ".join(["stichkampf", *words])
        try:
            done = subprocess.run(
                [".venv/bin/stichkampf", *words],
                cwd=self.folder,
                env=self._environment,
                input=text,
                capture_output=True,
                text=True,
                check=False,
                timeout=max(1.0, self._until - begin),
            )
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{command}: the time is over") from None
        self.steps.append((command, monotonic() - begin))
        print(f"{self.steps[-1][1]:6.1f} s  {command}", flush=True)
        if done.returncode:
            raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def walk(author: Author, address: str, token: str) -> None:
    """Go the whole road."""
    author.types("login", address, text=token)
    author.types("new", "first")
    author.types(
        "play",
        "sticheln",
        "first",
        "thumb",
        "glimpse",
        "random",
        "--matches",
        "20",
        "--records",
        "at-home.jsonl",
    )
    bot = author.folder / "first/bot.py"
    bot.write_text(bot.read_text().replace("class First", "# my first change\nclass First"))
    author.types("check", "first")
    author.types("submit", "first", "--wait")
    author.types("status", "first")
    author.types("matches", "first", "--lost")
    author.types("records", "first", "--lost", "--limit", "1", "-o", "lost.jsonl")
    author.types("verify", "lost.jsonl")
    record = json.loads((author.folder / "lost.jsonl").read_text())
    seat = next(number for number, one in enumerate(record["seats"]) if one["bot"] == "ada/first")
    told = json.loads(author.types("marks", "lost.jsonl", "--seat", str(seat + 1), "--json"))
    costs = {mark["decision"]: mark["cost"]["points"] for mark in told["marks"]}
    decision = max(costs, key=costs.__getitem__) if costs else decisions_of(record, seat)[0]
    author.types("debug", "lost.jsonl", str(decision), "first")
    author.types("debug", "lost.jsonl", str(decision), "first", "--test")


def run(platform: FreshPlatform, minutes: float) -> int:
    welcome = platform.until("Stichkampf is up")
    print(f"{welcome:6.1f} s  make up", flush=True)
    told = platform.manage("shell", "--no-imports", "-c", ACCOUNT)
    author = Author(platform.clone, 60 * minutes - welcome)
    walk(author, platform.address, told.split()[-1] + "\n")
    seconds = welcome + sum(seconds for _, seconds in author.steps)
    first_table = float(platform.manage("shell", "--no-imports", "-c", FIRST_TABLE).split()[-1])
    print(f"{first_table:6.1f} s  from its acceptance to its first table on a ladder")
    print(f"{seconds:6.1f} s  all")
    return 0 if seconds < 60 * minutes and first_table < FIRST_TABLE_SECONDS else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8324, help="port of the site")
    parser.add_argument("--minutes", type=float, default=10.0, help="the time for all (default: 10)")
    args = parser.parse_args()
    with fresh_platform(args.port) as platform:
        return run(platform, args.minutes)


if __name__ == "__main__":
    sys.exit(main())
