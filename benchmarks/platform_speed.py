"""Speed of ratings and scheduling, on a temporary database.

    python benchmarks/platform_speed.py [--database URL] [--tables N] [--wide N]

Fills an empty database (SQLite, or the one of the URL; one that a run has filled that was cut short stays as
it is) with the results of a ladder of 200 versions and of a wide one, with 36 tables for each of its versions
(generated, nothing was played). Then it measures each operation in its own process, so that the peak of
resident memory is its own too, with Django, numpy and scipy. Limits are for 100,000 tables and for 1,000
versions of the wide ladder, and grow with more of them. Exits 1 if a limit is missed.
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
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import django

ENTRANTS = 200
SWISS_ENTRANTS = 500
WIDE_BLOCKS = 9
"""Blocks of the wide ladder for each of its versions."""
SEATS = 4
GAME = "stiche-raten"
OPTIONS = {"length": "deals:4"}
WIDE_GAME, WIDE_OPTIONS = "sticheln", {"length": "deals:4"}


def fill(tables: int) -> None:
    """Make a ladder with only played blocks, and a Swiss tournament of 500 entrants before its start."""
    from stichkampf_platform.ladders.services import ladder_of

    versions = make_versions(SWISS_ENTRANTS)
    ladder = ladder_of(game=GAME, seats=SEATS, options=OPTIONS, main=True)
    permanent = make_tournament("ladder", ladder, format="ladder", blocks_planned=40, state="running")
    make_tournament("swiss", ladder, format="swiss", rounds=5, blocks_planned=2, ladder=None)
    play(permanent, enter(permanent, versions[:ENTRANTS]), tables // SEATS)


def fill_wide(entrants: int) -> None:
    """Make a ladder of more versions, those of the first one among them."""
    from stichkampf_platform.bots.models import Version
    from stichkampf_platform.ladders.services import ladder_of

    make_versions(entrants - SWISS_ENTRANTS, first=SWISS_ENTRANTS, game=WIDE_GAME)
    ladder = ladder_of(game=WIDE_GAME, seats=SEATS, options=WIDE_OPTIONS, main=True)
    wide = make_tournament("wide", ladder, blocks_planned=WIDE_BLOCKS * entrants, state="finished")
    play(wide, enter(wide, list(Version.objects.order_by("pk"))), WIDE_BLOCKS * entrants)


def make_tournament(name: str, ladder: Any, /, **fields: Any) -> Any:
    from stichkampf_platform.tournaments.models import Tournament

    same = {field: getattr(ladder, field) for field in ("game", "seats", "options", "options_digest")}
    own = {"ladder": ladder, "released": True, **same, **fields}  # the installation's: its blocks count
    return Tournament.objects.create(slug=name, name=name.title(), **own)


def make_versions(how_many: int, *, first: int = 0, game: str = GAME) -> list[Any]:
    from stichkampf_platform.bots.models import Bot, Version
    from stichkampf_platform.people.models import User

    authors = User.objects.bulk_create(
        User(username=f"author-{first + number}") for number in range(how_many)
    )
    bots = Bot.objects.bulk_create(
        Bot(owner=author, slug=f"bot-{number}", name=f"Bot {number}")
        for number, author in enumerate(authors, first)
    )
    versions = Version.objects.bulk_create(
        Version(bot=bot, number=1, digest=f"{bot.pk:064}", games=[game], state=Version.State.APPROVED)
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
    from stichkampf_platform.tournaments.models import Block, MatchRecord, Participation, Result, Seat, Table

    chance = np.random.default_rng(2026)
    strength = chance.normal(0, 2, len(entrants))
    field = np.array([chance.choice(len(entrants), SEATS, replace=False) for _ in range(blocks)])
    luck = chance.normal(0, 6, (blocks, SEATS))
    hands = np.arange(SEATS)
    who = field[:, hands[:, None] ^ hands]  # by block, lane and hand
    noise = chance.normal(0, 4, who.shape)
    scores = np.rint(strength[who] + luck[:, None, :] + noise).astype(int)
    now = timezone.now()
    ids = np.array([entrant.pk for entrant in entrants])
    places = range(blocks * SEATS)
    block_ids = insert(
        Block,
        ("number",),
        ((number,) for number in range(blocks)),
        tournament_id=tournament.pk,
        seed=bytes(32),
        over_at=now,
        hinted_at=now,
    )
    drawn = enumerate(ids[field].tolist())
    insert(
        Participation,
        ("block_id", "entrant_id"),
        ((block_ids[at], entrant) for at, entrants_of_block in drawn for entrant in entrants_of_block),
    )
    table_ids = insert(
        Table,
        ("block_id", "lane"),
        ((block_ids[place // SEATS], place % SEATS) for place in places),
        state="done",
        finished_at=now,
    )
    seats = enumerate(ids[who].ravel().tolist())
    seat_ids = insert(
        Seat,
        ("table_id", "number", "entrant_id"),
        ((table_ids[place // SEATS], place % SEATS, entrant) for place, entrant in seats),
    )
    insert(
        Result,
        ("seat_id", "score", "median_ms"),
        (
            (seat_ids[place], score, 0.1 * (place % SEATS))
            for place, score in enumerate(scores.ravel().tolist())
        ),
        rank=1,
        decisions=40,
    )
    insert(
        MatchRecord,
        ("table_id", "file_name"),
        ((table, f"{table}") for table in table_ids),
        digest="",
        record_bytes=0,
        deals=4,
        moves=160,
    )


def insert(model: Any, columns: Sequence[str], rows: Iterable[tuple[Any, ...]], **same: Any) -> range:
    """Insert many rows, with the same values in other columns and defaults in the rest; return their ids."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from stichkampf_platform.core.plain_rows import insert_rows

    last = model.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    fields = [field for field in model._meta.concrete_fields if field.attname not in ("id", *columns)]
    rest = tuple(
        field.get_db_prep_save(same.get(field.attname, field.get_default()), connection) for field in fields
    )
    names = ["id", *columns, *(field.attname for field in fields)]
    numbers = count(last + 1)
    complete = ((next(numbers), *row, *rest) for row in rows)
    with transaction.atomic(), connection.cursor() as cursor:
        insert_rows(model, names, complete)
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
    return range(last + 1, next(numbers))


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
    from stichkampf_platform.tournaments.models import Tournament

    ladder = Tournament.objects.get(slug="ladder").ladder
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
    return publication("ladder")


def publish_wide() -> Cost:
    """The same for the wide ladder, of which few pairs have met."""
    return publication("wide")


def publication(slug: str) -> Cost:
    from stichkampf_platform.ratings import services
    from stichkampf_platform.tournaments.models import Tournament

    tournament = Tournament.objects.get(slug=slug)
    with Cost() as cost:
        snapshot = services.publish(ladder=tournament.ladder)
    assert snapshot is not None
    assert snapshot.ratings.count() == tournament.entrants.count()
    return cost


def swiss_round() -> Cost:
    """Draw up a round of 500 entrants, once a round has been played."""
    from stichkampf_platform.bots.models import Version
    from stichkampf_platform.tournaments.models import Block, Table, Tournament
    from stichkampf_platform.tournaments.organising import lifecycle
    from stichkampf_platform.tournaments.running import due_steps

    swiss = Tournament.objects.get(slug="swiss")
    lifecycle.set_entrants(tournament=swiss, versions=list(Version.objects.order_by("pk")[:SWISS_ENTRANTS]))
    lifecycle.start(tournament=swiss)
    draw_all(swiss)
    play_open(swiss)
    with Cost() as cost:
        due_steps.advance_tournaments()
        draw_all(swiss)
    blocks = Block.objects.filter(tournament=swiss, round=1)
    assert blocks.count() == 2 * SWISS_ENTRANTS // SEATS
    assert Table.objects.filter(block__in=blocks).count() == SEATS * blocks.count()
    return cost


def draw_all(tournament: Any) -> None:
    """Draw what a large round leaves to a worker, portion by portion."""
    from stichkampf_platform.tournaments.scheduling import plans

    while plans.draw_on(tournament.pk):
        pass


def ladder_top_up() -> Cost:
    """Draw forty blocks of a ladder of 500, with 100,000 tables behind it."""
    from stichkampf_platform.tournaments.models import Tournament
    from stichkampf_platform.tournaments.running import due_steps

    ladder = Tournament.objects.get(slug="ladder")
    with Cost() as cost:
        due_steps.advance_tournaments()
    assert ladder.blocks.filter(over_at=None).count() == 40
    assert ladder.entrants.count() == SWISS_ENTRANTS
    return cost


def nothing_to_draw() -> Cost:
    """Find, at the end of a block, that a ladder has enough blocks."""
    from stichkampf_platform.tournaments.running import due_steps

    with Cost() as cost:
        due_steps.advance_tournaments()
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


OPERATIONS: dict[Callable[[], Cost], tuple[str, float, float | None]] = {
    refit: ("refit of {tables:,} tables and 200 entrants", 1.0, 500),
    publish: ("the same, from the database's rows to the published snapshot", 10.0, None),
    publish_wide: ("the same for {wide_tables:,} tables and {wide:,} entrants", 5.0, None),
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
    parser.add_argument("--wide", type=int, default=1000, help="versions of the wide ladder, at least 500")
    parser.add_argument(
        "--measure", choices=[operation.__name__ for operation in OPERATIONS], help=argparse.SUPPRESS
    )
    args = parser.parse_args()
    if args.measure:
        return measure(args.measure)
    with tempfile.TemporaryDirectory(prefix="sk-speed-") as folder:
        os.environ |= {"STICHKAMPF_STATE_DIR": folder, "DATABASE_URL": args.database}
        return compare(args.tables, args.wide)


def measure(operation: str) -> int:
    """Run one operation in this process and print seconds, CPU seconds and megabytes."""
    django.setup()
    cost = next(function for function in OPERATIONS if function.__name__ == operation)()
    # not getrusage, whose maximum is inherited from the process that started this one
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak is not None
    print(json.dumps([cost.seconds, cost.cpu_seconds, int(peak[1]) / 1024]))
    return 0


def compare(tables: int, wide: int) -> int:
    """Measure all operations; return 1 if one of them misses its limit."""
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from stichkampf_platform.tournaments.models import Tournament

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    if not Tournament.objects.filter(slug="wide").exists():
        fill(tables)
        fill_wide(wide)
    connection.cursor().execute("ANALYZE")  # as autovacuum does
    python = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {python}, {connection.vendor}", end="; ", flush=True)
    print(f"filled in {time.perf_counter() - began:.0f} s\n")
    print("| | s | limit | CPU s | MB | limit |\n|---|---|---|---|---|---|")
    connection.close()
    grown = {refit: tables / 100_000, publish: tables / 100_000, publish_wide: wide / 1000}
    missed = 0
    for operation, (name, most_seconds, most_mb) in OPERATIONS.items():
        command = [sys.executable, Path(__file__), "--measure", operation.__name__]
        seconds, cpu_seconds, mb = json.loads(
            subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        )
        portions = max(1.0, grown.get(operation, 1.0))
        most_seconds *= portions
        limits = f"{most_seconds:g}", f"{most_mb * portions:g}" if most_mb else ""
        missed += seconds > most_seconds or bool(most_mb and mb > most_mb * portions)
        name = name.format(tables=tables, wide=wide, wide_tables=SEATS * WIDE_BLOCKS * wide)
        print(
            f"| {name} | {seconds:.2f} | {limits[0]} | {cpu_seconds:.2f} | {mb:.0f} | {limits[1]} |",
            flush=True,
        )
    print(f"\n{missed} missed" if missed else "\nall met")
    return 1 if missed else 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    sys.exit(main())
