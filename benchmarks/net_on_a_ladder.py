"""The trained bot of examples/net among the house bots of a ladder.

    python benchmarks/net_on_a_ladder.py [--port N]

Starts the services of `make up` in a temporary folder and fills the main ladders. Trains the example as its
README tells, submits it with the command, and waits until it is ranked. Prints the ladder; exits with 1 where
the bot does not stand above `thumb`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from urllib.request import urlopen

from running_platform import RunningPlatform, running_platform
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.output import last_line
from stichkampf_platform.supervisor.process_manager import StopAsked

EXAMPLE = Path(__file__).resolve().parents[1] / "examples/net"
FILES = ("bot.py", "train.py", "stichkampf.toml")
GAME, BOT, MEASURE = "sixes-and-sevens", "ada/net", "house/thumb"
ACCOUNT = """
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
print(create_token(owner=User.objects.create(username="ada"), name="net")[1])
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8329, help="port of the site during the measurement")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-net-") as folder:
        project = Path(folder, "net")
        project.mkdir()
        for name in FILES:
            shutil.copy(EXAMPLE / name, project)
        begin = monotonic()
        subprocess.run([sys.executable, "train.py"], cwd=project, check=True)
        print(f"trained in {monotonic() - begin:.0f} s", flush=True)
        try:
            with running_platform(chosen.port) as platform:
                preparation.manage(platform.installation, ("start_main_ladders",))
                submit(platform, project)
                return report(ratings(platform))
        except StopAsked:
            return 1


def submit(platform: RunningPlatform, project: Path) -> None:
    """Submit the bot as its author does, and wait until it is ranked."""
    told = preparation.manage(platform.installation, ("shell", "--no-imports", "-c", ACCOUNT))
    environment = {**os.environ, "HOME": str(project.parent)}
    for words, text in (
        (("login", platform.address), last_line(told)),
        (("submit", ".", "--wait"), ""),
    ):
        command = [sys.executable, "-m", "stichkampf", *words]
        subprocess.run(command, cwd=project, env=environment, input=text, text=True, check=True)


def ratings(platform: RunningPlatform) -> list[dict]:
    """Return the ratings of the ladder, the best first."""
    with urlopen(f"{platform.address}api/v1/ladders/{GAME}/") as answer:
        return sorted(json.load(answer)["ratings"], key=lambda rating: -rating["elo"])


def report(ratings: list[dict]) -> int:
    """Print the ladder; return the exit status."""
    print("| bot | Elo | 95% | blocks |")
    print("|---|---|---|---|")
    for rating in ratings:
        print(f"| {rating['bot']} | {rating['elo']:.0f} | ±{rating['plus_minus']:.0f} | {rating['blocks']} |")
    order = [rating["bot"] for rating in ratings]
    return int(order.index(BOT) > order.index(MEASURE))


if __name__ == "__main__":
    sys.exit(main())
