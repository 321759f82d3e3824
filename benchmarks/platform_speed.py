"""Speed of ratings and scheduling, on a temporary database.

    python benchmarks/platform_speed.py [--database URL] [--tables N]

Fills an empty database (SQLite, or the one of the URL) with the results of a ladder of 200 versions, then
measures each operation in its own process, so that the peak of resident memory is its own too, with Django,
numpy and scipy. Exits 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import django

ENTRANTS = 200
SWISS_ENTRANTS = 500
SEATS = 4
GAME = "stiche-raten"
OPTIONS = {"length": "deals:4"}
PORTION = 5000


def fill(tables: int) -> None:
    """Make a ladder with only played blocks, and a Swiss tournament of 500 entrants before its start."""
    from stichkampf_platform.ladders.services import ladder_of
    from stichkampf_platform.tournaments.models import Tournament

    versions = make_versions(SWISS_ENTRANTS)
    ladder = ladder_of(game=GAME, seats=SEATS, options=OPTIONS, main=True)
    same: dict[str, Any] = {
        "game": GAME,
        "seats": SEATS,
        "options": ladder.options,
        "options_digest": ladder.options_digest,
    }
    permanent = Tournament.objects.create(
        slug="ladder",
        name="Ladder",
        format="ladder",
        blocks_planned=40,
        state="running",
        ladder=ladder,
        **same,
    )
    Tournament.objects.create(
        slug="swiss", name="Swiss", format="swiss", rounds=5, blocks_planned=2, state="draft", **same
    )
    play(permanent, enter(permanent, versions[:ENTRANTS]), tables // SEATS)


def make_versions(how_many: int) -> list[Any]:
    from stichkampf_platform.bots.models import Bot, Version
    from stichkampf_platform.people.models import User

    authors = User.objects.bulk_create(User(username=f"author-{number}") for number in range(how_many))
    bots = Bot.objects.bulk_create(
        Bot(owner=author, slug=f"bot-{number}", name=f"Bot {number}") for number, author in enumerate(authors)
    )
    versions = Version.objects.bulk_create(
        Version(bot=bot, number=1, digest=f"{bot.pk:064}", games=[GAME], state=Version.State.APPROVED)
        for bot in bots
    )
    for bot, version in zip(bots, versions, strict=True):
        bot.ranked_version = version
    Bot.objects.bulk_update(bots, ["ranked_version"])
    return versions


def enter(tournament: Any, versions: list[Any]) -> list[Any]:
    from stichkampf_platform.tournaments.models import Entrant

    return Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions)
    )


def play(tournament: Any, entrants: list[Any], blocks: int) -> None:
    """Play blocks of random entrants, with scores from strength, luck of the hand and noise."""
    import numpy as np  # after the settings, which limit its threads
    from django.utils import timezone
    from stichkampf_platform.tournaments.models import Block, MatchRecord, Result, Seat, Table

    chance = np.random.default_rng(2026)
    strength = chance.normal(0, 2, len(entrants))
    fields = [chance.choice(len(entrants), SEATS, replace=False) for _ in range(blocks)]
    luck = chance.normal(0, 6, (blocks, SEATS))
    now = timezone.now()
    made = stored(
        Block(tournament=tournament, number=number, seed=bytes(32), over_at=now, hinted_at=now)
        for number in range(blocks)
    )
    tables = stored(
        Table(block=block, lane=lane, state="done", finished_at=now)
        for block in made
        for lane in range(SEATS)
    )
    holders = [
        (at, lane ^ hand, hand) for at in range(blocks) for lane in range(SEATS) for hand in range(SEATS)
    ]
    seats = stored(
        Seat(table=tables[number // SEATS], number=hand, entrant=entrants[fields[at][who]])
        for number, (at, who, hand) in enumerate(holders)
    )
    noise = chance.normal(0, 4, len(seats))
    stored(
        Result(
            seat=seat,
            score=round(strength[fields[at][who]] + luck[at, hand] + noise[number]),
            rank=1,
            decisions=40,
            median_ms=0.1 * hand,
        )
        for number, (seat, (at, who, hand)) in enumerate(zip(seats, holders, strict=True))
    )
    stored(
        MatchRecord(table=table, file_name=f"{table.pk}", digest="", record_bytes=0, deals=4, moves=160)
        for table in tables
    )


def stored(rows: Iterator[Any]) -> list[Any]:
    made: list[Any] = []
    while portion := list(islice(rows, PORTION)):
        made += type(portion[0]).objects.bulk_create(portion)
    return made


class Cost:
    """Measure the enclosed statements: seconds on the clock, and of CPU, which others cannot stretch."""

    def __enter__(self) -> Cost:
        self.began, self.cpu_began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self.began
        self.cpu_seconds = time.process_time() - self.cpu_began


def refit() -> Cost:
    """Rate results in memory; take the quickest of three runs, because numpy warms up."""
    from stichkampf_platform.ratings.rating_rows import counted_spans, rows_of
    from stichkampf_platform.ratings.services import rated

    ladder = the_ladder()
    results = rows_of(counted_spans(ladder), ladder).results()
    costs = []
    for _ in range(3):
        with Cost() as cost:
            table = rated(ladder, results, anchors=[])
        costs.append(cost)
        assert table is not None
        assert len(table) == ENTRANTS
    return min(costs, key=lambda cost: cost.seconds)


def publish() -> Cost:
    """Rate the rows of the database and publish the snapshot."""
    from stichkampf_platform.ratings import services

    with Cost() as cost:
        snapshot = services.publish(ladder=the_ladder())
    assert snapshot is not None
    assert snapshot.ratings.count() == ENTRANTS
    return cost


def swiss_round() -> Cost:
    """Draw up a round of 500 entrants, once a round has been played."""
    from stichkampf_platform.bots.models import Version
    from stichkampf_platform.tournaments.models import Block, Table, Tournament
    from stichkampf_platform.tournaments.organising import lifecycle

    swiss = Tournament.objects.get(slug="swiss")
    lifecycle.set_entrants(tournament=swiss, versions=list(Version.objects.order_by("pk")))
    lifecycle.start(tournament=swiss)
    play_open(swiss)
    with Cost() as cost:
        lifecycle.advance_tournaments()
    blocks = Block.objects.filter(tournament=swiss, round=1)
    assert blocks.count() == 2 * SWISS_ENTRANTS // SEATS
    assert Table.objects.filter(block__in=blocks).count() == SEATS * blocks.count()
    return cost


def ladder_top_up() -> Cost:
    """Draw forty blocks of a ladder of 500, with 100,000 tables behind it."""
    from stichkampf_platform.tournaments.models import Tournament
    from stichkampf_platform.tournaments.organising import lifecycle

    ladder = Tournament.objects.get(slug="ladder")
    with Cost() as cost:
        lifecycle.advance_tournaments()
    assert ladder.blocks.filter(over_at=None).count() == 40
    assert ladder.entrants.count() == SWISS_ENTRANTS
    return cost


def nothing_to_draw() -> Cost:
    """Find, at the end of a block, that a ladder has enough blocks."""
    from stichkampf_platform.tournaments.organising import lifecycle

    with Cost() as cost:
        lifecycle.advance_tournaments()
    return cost


def play_open(tournament: Any) -> None:
    """Finish all scheduled blocks with results."""
    from django.utils import timezone
    from stichkampf_platform.tournaments.models import Block, Result, Seat, Table

    tables = Table.objects.filter(block__tournament=tournament, state="open")
    seats = Seat.objects.filter(table__in=tables).select_related("entrant")
    Result.objects.bulk_create(Result(seat=seat, score=seat.entrant.number % 17, rank=1) for seat in seats)
    tables.update(state="done")
    Block.objects.filter(tournament=tournament, over_at=None).update(over_at=timezone.now())


def the_ladder() -> Any:
    from stichkampf_platform.ladders.models import Ladder

    return Ladder.objects.get()


OPERATIONS: dict[Callable[[], Cost], tuple[str, float, float | None]] = {
    refit: ("refit of {tables:,} tables and 200 entrants", 1.0, 500),
    publish: ("the same, from the database's rows to the published snapshot", 10.0, None),
    ladder_top_up: ("40 blocks of a ladder of 500 entrants", 1.0, None),
    nothing_to_draw: ("a look at that ladder when nothing is missing", 0.1, None),
    swiss_round: ("next Swiss round of 500 entrants, 250 blocks", 1.0, None),
}
"""Name, most seconds and most MB of each operation."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="", metavar="URL", help="an empty database; default SQLite")
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument(
        "--measure", choices=[operation.__name__ for operation in OPERATIONS], help=argparse.SUPPRESS
    )
    args = parser.parse_args()
    if args.measure:
        return measure(args.measure)
    with tempfile.TemporaryDirectory(prefix="sk-speed-") as folder:
        os.environ |= {"STICHKAMPF_STATE_DIR": folder, "DATABASE_URL": args.database}
        return compare(args.tables)


def measure(operation: str) -> int:
    """Run one operation in this process and print seconds, CPU seconds and megabytes."""
    django.setup()
    cost = next(function for function in OPERATIONS if function.__name__ == operation)()
    # not getrusage, whose maximum is inherited from the process that started this one
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak is not None
    print(json.dumps([cost.seconds, cost.cpu_seconds, int(peak[1]) / 1024]))
    return 0


def compare(tables: int) -> int:
    """Measure all operations; return 1 if one of them misses its limit."""
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    fill(tables)
    python = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {python}, {connection.vendor}", end="; ", flush=True)
    print(f"filled in {time.perf_counter() - began:.0f} s\n")
    print("| | s | limit | CPU s | MB | limit |\n|---|---|---|---|---|---|")
    connection.close()
    missed = 0
    for operation, (name, most_seconds, most_mb) in OPERATIONS.items():
        command = [sys.executable, Path(__file__), "--measure", operation.__name__]
        seconds, cpu_seconds, mb = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        )
        missed += seconds > most_seconds or (most_mb is not None and mb > most_mb)
        name = name.format(tables=tables)
        print(
            f"| {name} | {seconds:.2f} | {most_seconds:g} | {cpu_seconds:.2f} | {mb:.0f} | {most_mb or ''} |",
            flush=True,
        )
    print(f"\n{missed} missed" if missed else "\nall met")
    return 1 if missed else 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    sys.exit(main())
