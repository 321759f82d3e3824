"""Waiting times of a hundred people at tables, beside ladders too, their cost, and their return after kills.

    python -m benchmarks.play [--port 9490] [--seconds 60] [--people 100] [--only PART] [--write]

Starts the platform of `make up` in a temporary folder, without a tournament, anew for each part. People ask
over HTTP, from an address each; all seven games, level *even*, six seconds of thinking on average. Of each
press it takes the time until all answers of others are there and the seat is asked again. Then the same
beside 32 tables of house bots at the same arbiter, which are counted before, meanwhile and afterwards. It
weighs the first visit to a table, heads included. Then it kills each program in turn, and takes the time from
the kill until a person who presses meanwhile is asked again. Exit status 1 above a bound; `--write` keeps the
table in `benchmarks/results`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import resource
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path

from stichkampf.games import GAMES

from benchmarks.idle import memory
from benchmarks.play.ladder import Ladder
from benchmarks.play.people import Browser, Person, Seen
from benchmarks.running_platform import RunningPlatform, process_tree, running_platform

TABLES, LEVEL, PAUSE_SECONDS = 32, "even", 6.0
WARM_SECONDS = 15.0
LINKED = re.compile(r'<(?:link rel="(?:stylesheet|icon|modulepreload)"|script)[^>]* (?:href|src)="(/[^"]+)"')
RESULTS = Path(__file__).parents[1] / "results"
KILLED = ("site", "hub", "arbiter", "redis", "workers")


@dataclass(frozen=True)
class Figure:
    """A measured figure with the most that it may be."""

    name: str
    value: float
    bound: float
    unit: str

    @property
    def holds(self) -> bool:
        return self.value <= self.bound

    @property
    def row(self) -> str:
        end = "" if self.holds else "missed"
        most = "" if self.bound == inf else f"{self.bound:g} {self.unit}"
        return f"| {self.name} | {self.value:.4g} {self.unit} | {most} | {end} |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.play", description=__doc__)
    parser.add_argument("--port", type=int, default=9490)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each of the two measurements")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--only", choices=MEASURED, help="one part of it")
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/results")
    words = parser.parse_args()
    # the ladder's client of the arbiter leaves the database, of which it uses none
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    parts = [words.only] if words.only else [*MEASURED]
    load = os.getloadavg()[0]
    figures: list[Figure] = []
    for part in parts:
        # tables that people left wait for half an hour, and would take the room of those who come next
        with running_platform(words.port) as platform:
            for figure in MEASURED[part](platform, words.port, words.people, words.seconds):
                print(figure.row, file=sys.stderr, flush=True)
                figures.append(figure)
    table = "\n".join(
        ["| figure | measured | at most | |", "|---|---|---|---|", *(each.row for each in figures)]
    )
    print(table)
    if words.write:
        now = datetime.now(UTC)
        heading = (
            f"# {words.people} people at tables\n\n{now:%Y-%m-%d, %H:%M} UTC, {os.cpu_count()} cores, load"
            f" {load:.1f} by other programs at the start. `python -m benchmarks.play`, each part"
            f" {words.seconds:g} s, {words.people} people"
        )
        (RESULTS / f"play-{now:%Y-%m-%d}.md").write_text(f"{heading}\n\n{table}\n")
    return int(not all(each.holds for each in figures))


def alone(platform: RunningPlatform, port: int, people: int, seconds: float) -> Iterator[Figure]:
    """Measure the people by themselves, and what they cost."""
    used: list[float] = []
    seen = asyncio.run(played(port, people, seconds, lambda: used.append(cores(platform, "site"))))
    tell("alone", seen)
    yield from waits(f"press to all answers, {people} people", seen, {50: inf, 95: 150, 99: inf})
    yield Figure("Play to the first card, p95", quantile(seen.first_card, 95), 1, "s")
    yield Figure(
        "processors of the site, for 100 people", (used[1] - used[0]) / seconds * 100 / people, 0.4, ""
    )
    yield Figure("memory of the hub", sum(map(memory, process_tree(platform.pids["hub"]))), 60, "MB")
    yield Figure("answer to a press, p95", quantile(seen.answer_bytes, 95) / 1000, 4, "kB")
    yield Figure("answers that were wrong", len(seen.wrong), 0, "")


def beside(platform: RunningPlatform, port: int, people: int, seconds: float) -> Iterator[Figure]:
    """Measure people and ladder beside each other, the ladder by itself before and afterwards."""
    socket = f"unix:{platform.installation.arbiter_socket}"
    with Ladder(socket, TABLES) as ladder:
        time.sleep(WARM_SECONDS)
        moments = [time.monotonic()]
        time.sleep(seconds / 2)
        moments.append(time.monotonic())
        marks: list[float] = []
        seen = asyncio.run(played(port, people, seconds, lambda: marks.append(time.monotonic())))
        moments += marks
        time.sleep(WARM_SECONDS)  # no person is left at a table that plays
        moments.append(time.monotonic())
        time.sleep(seconds / 2)
        moments.append(time.monotonic())
    before, meanwhile, after = (ladder.rate(moments[k], moments[k + 1]) for k in (0, 2, 4))
    tell(f"beside {TABLES} tables", seen)
    print(f"ladder: {before:.0f}, {meanwhile:.0f}, {after:.0f} tables a minute", file=sys.stderr)
    name = f"press to all answers, {people} people beside {TABLES} ladder tables"
    yield from waits(name, seen, {50: inf, 95: 200, 99: 400})
    yield Figure("the ladder slower by", 100 * (1 - 2 * meanwhile / (before + after)), 5, "%")


async def played(port: int, people: int, seconds: float, mark) -> Seen:  # type: ignore[no-untyped-def]
    """Let people play; what comes after the first seconds counts.

    :param mark: called where the measured time begins and ends.
    """
    seen = Seen()
    persons = [Person(port, n, list(GAMES), level=LEVEL, pause=PAUSE_SECONDS) for n in range(people)]
    until = time.monotonic() + WARM_SECONDS + seconds
    playing = [asyncio.ensure_future(person.play(until, seen)) for person in persons]
    await asyncio.sleep(WARM_SECONDS)
    for values in (seen.seconds, seen.answer_bytes):
        values.clear()
    mark()
    await asyncio.sleep(seconds)
    mark()
    await asyncio.gather(*playing)
    return seen


def kills(platform: RunningPlatform, port: int, people: int, seconds: float) -> Iterator[Figure]:
    """Kill each program in turn, and time its person's return."""
    with platform.restarting():
        for name in KILLED:
            yield asyncio.run(killed(platform, port, name))


async def killed(platform: RunningPlatform, port: int, name: str) -> Figure:
    """Kill a program while a person sits at a table; return how long the person waits."""
    seen = Seen()
    person = Person(port, 50_000 + KILLED.index(name), ["sticheln"], level=LEVEL, pause=PAUSE_SECONDS)
    shown = await person.press(await person.sit_down(seen), seen)
    os.kill(platform.pids[name], signal.SIGKILL)
    began, decision = time.monotonic(), shown.decision
    while shown.decision == decision and shown.turn != "over":
        try:
            shown = await person.press(shown, seen)
        except OSError:
            shown = await person.looked()
    waited = time.monotonic() - began
    print(f"{name} killed: {waited:.2f} s; {seen.wrong}", file=sys.stderr, flush=True)
    await asyncio.sleep(WARM_SECONDS)  # every program is well again
    return Figure(f"back at the table after a kill of {name}", waited, 2, "s")


def weight(platform: RunningPlatform, port: int, people: int, seconds: float) -> Iterator[Figure]:
    """Weigh what a first visit to a table loads, compressed as a browser asks for it."""
    yield Figure("first visit to a table", asyncio.run(loaded(port)) / 1000, 25, "kB")


async def loaded(port: int) -> int:
    heaviest = 0
    for number, game in enumerate(GAMES):
        person = Person(port, 60_000 + number, [game], level=LEVEL, pause=PAUSE_SECONDS)
        await person.sit_down(Seen())
        stranger = Browser(port, person.browser.source)
        stranger.cookies = person.browser.cookies
        page = await stranger.ask(person.path)
        files = {path: (await stranger.ask(path)).sent for path in LINKED.findall(page.text)}
        print(f"{game}: page {page.sent}, {files}", file=sys.stderr)
        heaviest = max(heaviest, page.sent + sum(files.values()))
    return heaviest


def cores(platform: RunningPlatform, name: str) -> float:
    """Return the processor seconds so far of a program."""
    fields = [
        Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        for pid in process_tree(platform.pids[name])
    ]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def waits(name: str, seen: Seen, bounds: dict[int, float]) -> Iterator[Figure]:
    """Yield the waits of people in percentiles, each with its bound."""
    for percent, bound in bounds.items():
        yield Figure(f"{name}, p{percent}", 1000 * quantile(seen.seconds, percent), bound, "ms")


def quantile(values: list[float] | list[int], percent: int) -> float:
    return float(statistics.quantiles(values, n=100)[percent - 1])


def tell(name: str, seen: Seen) -> None:
    waited = ", ".join(
        f"p{percent} {1000 * quantile(seen.seconds, percent):.0f} ms" for percent in (50, 95, 99)
    )
    print(
        f"{name}: {len(seen.seconds)} presses, {waited}, most {1000 * max(seen.seconds):.0f} ms,"
        f" {seen.over} matches over, wrong: {seen.wrong[:3]}",
        file=sys.stderr, flush=True,
    )  # fmt: skip


MEASURED = {"people": alone, "beside": beside, "weight": weight, "kills": kills}
"""Functions by the part that each measures, on a platform of its own."""

if __name__ == "__main__":
    sys.exit(main())
