"""From nothing to a running platform: the time of each step of the first `make up`, downloads apart.

    python benchmarks/first_start.py [--port 8300] [--ladders]

Clones this checkout into an empty folder, with an empty cache for Python packages, and runs `make up` there
until the rules are compiled. Debian packages that are here already are not installed again. Exits with 1
where the welcome line comes more than 60 s after the start, downloads taken off, or compiling takes more
than 3 minutes. With `--ladders` it waits on, for the ladders that the house bots fill, and exits with 1 also
where one of them has no result two minutes after the rules are compiled, or a bot without a rank after ten.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from platform import machine, python_version
from time import sleep
from urllib.error import HTTPError
from urllib.request import urlopen

from fresh_platform import fresh_platform
from stichkampf.games import GAMES

WELCOME_SECONDS, COMPILE_SECONDS = 60.0, 180.0
RESULTS_SECONDS, RANKS_SECONDS = 120.0, 600.0
LONGEST_WAIT = 2 * RANKS_SECONDS
LOOK_SECONDS = 1.0
DOWNLOADS = r"(?m)^(?:Prepared \d+ packages? in ([\d.]+)(ms|s)|Fetched .+ in (\d+)s)"
"""Lines of the log of the set-up: uv says the first after it has fetched and unpacked, apt-get the second."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8300, help="of the site (default: 8300)")
    parser.add_argument("--ladders", action="store_true", help="wait on until the ladders are ranked")
    chosen = parser.parse_args()
    with fresh_platform(chosen.port) as platform:
        welcome = platform.until("Stichkampf is up")
        compiled = platform.until("the rules are compiled")
        filled = None
        if chosen.ladders:
            ratings = partial(ratings_of, platform.address)
            filled = ladders_filled(ratings, lambda: platform.seconds - compiled)
        log = (platform.clone / "var/log/setup.log").read_text()
    return report(welcome, compiled - welcome, downloads(log), filled)


def ratings_of(site: str) -> Iterator[list[dict]]:
    """Yield the ratings of the main ladder of each game; none where it has no results."""
    for game in GAMES:
        try:
            with urlopen(f"{site}/api/v1/ladders/{game}/") as answer:
                yield json.load(answer)["ratings"]
        except HTTPError as error:
            if error.code != 404:
                raise
            yield []


def ladders_filled(
    ratings: Callable[[], Iterator[list[dict]]], seconds: Callable[[], float]
) -> tuple[float, float]:
    """Wait for the ladders; return when each had results, and when no bot on them was without a rank.

    :param ratings: asks for the ratings of each ladder.
    :param seconds: the time since the rules were compiled.
    :raises SystemExit: it takes longer than `LONGEST_WAIT`.
    """
    first = None
    while seconds() < LONGEST_WAIT:
        ladders = list(ratings())
        if all(ladders):
            first = seconds() if first is None else first
            if not any(rating["provisional"] for ladder in ladders for rating in ladder):
                return first, seconds()
        sleep(LOOK_SECONDS)
    without = sum(not ladder or any(rating["provisional"] for rating in ladder) for ladder in ladders)
    raise SystemExit(f"{without} of {len(ladders)} ladders had bots without a rank after {seconds():.0f} s")


def downloads(log: str) -> float:
    """Return the seconds of downloads."""
    found = re.findall(DOWNLOADS, log)
    return sum(float(fetched or amount) / (1000 if unit == "ms" else 1) for amount, unit, fetched in found)


def report(
    welcome: float, compiled: float, fetching: float, filled: tuple[float, float] | None = None
) -> int:
    """Print the table; return the exit status.

    :param filled: the times of the ladders, from the moment in which the rules were compiled.
    """
    rows = [
        ("to the welcome line, without downloads", welcome - fetching, WELCOME_SECONDS),
        ("from there until the rules are compiled", compiled, COMPILE_SECONDS),
    ]
    if filled is not None:
        rows.append(("from then until each ladder has results", filled[0], RESULTS_SECONDS))
        rows.append(("from then until every bot on them is ranked", filled[1], RANKS_SECONDS))
    system = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {system}\n")
    print("| | s | limit |")
    print("|---|---|---|")
    print(f"| downloads | {fetching:.1f} | |")
    for what, seconds, limit in rows:
        print(f"| {what} | {seconds:.1f} | {limit:.0f} |")
    return int(any(seconds > limit for _, seconds, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
