"""The road of a new author, from an empty environment to a mended bot, as README tells it.

    python benchmarks/first_day.py [--port N] [--minutes 10]

Starts the services of `make up` in a temporary folder with the main ladders and makes an account with a
token, as the Join page does. Then only commands of README: a new virtual environment, the installation,
`login`, `new`, `play`, a change of the bot, `check`, `submit --wait` until it is ranked, `matches --lost`,
`marks` for the costliest decision of a lost match, and `debug` there. Prints the time of each step; ends
with 1 where one fails or all take longer. STICHKAMPF_ENGINE=interpreted installs without compiling the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from running_platform import RunningPlatform, running_platform
from stichkampf.match.records import decisions_of
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import checkout
from stichkampf_platform.supervisor.output import last_line
from stichkampf_platform.supervisor.process_manager import StopAsked

GAME = "stiche-raten"
ACCOUNT = """
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
print(create_token(owner=User.objects.create(username="ada"), name="first day")[1])
"""


class Author:
    """A person with a terminal in an empty folder, and what each step took."""

    def __init__(self, folder: Path, address: str, minutes: float) -> None:
        self.folder = folder
        self.steps: list[tuple[str, float]] = []
        self._until = monotonic() + 60 * minutes
        self._environment = {
            "PATH": f"{folder / 'venv/bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            "STICHKAMPF_SITE": address,
            **{name: value for name, value in os.environ.items() if name == "STICHKAMPF_ENGINE"},
        }

    def types(self, *words: str, text: str = "") -> str:
        """Run a command to its end; returns what it prints.

        :raises SystemExit: it fails, or the time is over.
        """
        begin = monotonic()
        command = " ".join(words)
        try:
            done = subprocess.run(
                words,
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


def walk(author: Author, token: str) -> None:
    """Go the whole road."""
    python = "venv/bin/python"
    author.types(sys.executable, "-m", "venv", "venv")
    author.types(python, "-m", "pip", "install", "--quiet", f"{checkout()}[rating]")
    author.types("stichkampf", "login", text=token)
    author.types("stichkampf", "new", "first", "--game", GAME)
    author.types("stichkampf", "play", GAME, "first", "thumb", "glimpse", "random", "--matches", "3")
    bot = author.folder / "first/bot.py"
    bot.write_text(bot.read_text().replace("class First", "# my first change\nclass First"))
    author.types("stichkampf", "check", "first")
    author.types("stichkampf", "submit", "first", "--wait")
    author.types("stichkampf", "status", "first")
    author.types("stichkampf", "matches", "first", "--lost")
    author.types("stichkampf", "records", "first", "--lost", "--limit", "1", "-o", "lost.jsonl")
    author.types("stichkampf", "verify", "lost.jsonl")
    record = json.loads((author.folder / "lost.jsonl").read_text())
    seat = next(number for number, one in enumerate(record["seats"]) if one["bot"] == "ada/first")
    told = json.loads(author.types("stichkampf", "marks", "lost.jsonl", "--seat", str(seat + 1), "--json"))
    costs = {mark["decision"]: mark["cost"]["points"] for mark in told["marks"]}
    decision = max(costs, key=costs.__getitem__) if costs else decisions_of(record, seat)[0]
    author.types("stichkampf", "debug", "lost.jsonl", str(decision), "first")
    author.types("stichkampf", "debug", "lost.jsonl", str(decision), "first", "--test")


def run(platform: RunningPlatform, minutes: float) -> int:
    preparation.manage(platform.installation, ("start_main_ladders",))
    told = preparation.manage(platform.installation, ("shell", "--no-imports", "-c", ACCOUNT))
    with tempfile.TemporaryDirectory(prefix="sk-author-") as folder:
        author = Author(Path(folder), platform.address, minutes)
        walk(author, last_line(told).strip() + "\n")
        seconds = sum(seconds for _, seconds in author.steps)
    print(f"{seconds:6.1f} s  all")
    return 0 if seconds < 60 * minutes else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8324, help="port of the site")
    parser.add_argument("--minutes", type=float, default=10.0, help="the time for all (default: 10)")
    args = parser.parse_args()
    try:
        with running_platform(args.port) as platform:
            return run(platform, args.minutes)
    except StopAsked:
        return 1


if __name__ == "__main__":
    sys.exit(main())
