"""Tournaments of submitted bots that wait: made, started, and compared with their records.

    python -m benchmarks.nodes.tournaments bots SECONDS | start SLUG BLOCKS | check SLUG

Runs beside the site, with its settings. `check` prints one line of JSON.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections import Counter
from typing import Any

import django

django.setup()

from django.core.files.base import ContentFile  # noqa: E402
from stichkampf.match.verify import verify  # noqa: E402
from stichkampf.packaging.archive import check_archive  # noqa: E402
from stichkampf.rating import Results, rate  # noqa: E402
from stichkampf_platform.bots.models import Bot, Version  # noqa: E402
from stichkampf_platform.people.models import User  # noqa: E402
from stichkampf_platform.ratings.models import Snapshot  # noqa: E402
from stichkampf_platform.ratings.services import is_repeated  # noqa: E402
from stichkampf_platform.tournaments.models import Fault, MatchRecord, Result, Table, Tournament  # noqa: E402
from stichkampf_platform.tournaments.organising import lifecycle  # noqa: E402
from stichkampf_platform.tournaments.records import record_files  # noqa: E402

GAME, SEATS = "sticheln", 4
OPTIONS = {"edition": "short", "length": "deals:1"}
SLUG = "waiter"
SOURCE = """
import time
from stichkampf import Bot

class Waiter(Bot):
    number = {number}

    def choose(self, table):
        time.sleep({seconds})
        return table.legal[0]
"""
CHEAP = "cheap"
CHEAP_SOURCE = """
from stichkampf import Bot

class Mine(Bot):
    games = ("sticheln",)

    def choose(self, table):
        return table.legal[0]
"""
ELO_DIGITS = 6


def make_bots(seconds: float) -> None:
    """Add a submitted bot for each seat, which waits that long for each decision and counts as validated."""
    for number in range(SEATS):
        add_bot(f"{SLUG}-{number}", SOURCE.format(number=number, seconds=seconds))


def add_bot(slug: str, source: str) -> None:
    """Add a submitted bot, which counts as validated, with an author of its own."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("bot.py", source)
    content = memory.getvalue()
    owner = User.objects.create(username=f"author-of-{slug}")
    version = Version(
        bot=Bot.objects.create(owner=owner, slug=slug, name=slug),
        number=1,
        digest=check_archive(content).sha256,
        archive_bytes=len(content),
        games=[GAME],
        state=Version.State.APPROVED,
    )
    version.archive.save(version.digest, ContentFile(content), save=False)
    version.save()


def make_cheap_bots(count: int) -> None:
    """Add submitted bots that play the first card they may, and count as validated."""
    for number in range(count):
        add_bot(f"{CHEAP}-{number}", f"{CHEAP_SOURCE}\nNUMBER = {number}\n")


def start_cheap(blocks: int) -> None:
    """Start a tournament of these bots, in fields that are drawn, for four deals a table."""
    versions = list(Version.objects.filter(bot__slug__startswith=CHEAP).order_by("pk"))
    tournament = lifecycle.create_tournament(
        name=CHEAP, slug=CHEAP, game=GAME, seats=SEATS, options=OPTIONS | {"length": "deals:4"},
        versions=versions, blocks=blocks,
    )  # fmt: skip
    lifecycle.start(tournament=tournament)


def start(slug: str, blocks: int) -> None:
    """Start a rated tournament of these bots."""
    versions = list(Version.objects.filter(bot__slug__startswith=SLUG).order_by("pk"))
    tournament = lifecycle.create_tournament(
        name=slug, slug=slug, game=GAME, seats=SEATS, options=OPTIONS, versions=versions, blocks=blocks,
        move_seconds=2, bank_seconds=10, cap_seconds=5,
    )  # fmt: skip
    lifecycle.start(tournament=tournament)


def check(slug: str) -> dict[str, Any]:
    """Count what a tournament that is over has left, and compare it with its records.

    :raises RecordError: a record does not follow from the rules and the seed of its block.
    """
    tournament = Tournament.objects.get(slug=slug)
    tables = Table.objects.filter(block__tournament=tournament)
    results = Counter(Result.objects.filter(seat__table__in=tables).values_list("seat__table", flat=True))
    rows = list(_recorded_rows(tables))
    snapshot = Snapshot.objects.filter(tournament=tournament, final=True, published=True).latest()
    return {
        "state": tournament.state,
        "tables": Counter(tables.values_list("state", flat=True)),
        "replaced blocks": tournament.blocks.exclude(replaced_by=None).count(),
        "results a table": Counter(results.values()),
        "records": len({row[0] for row in rows}) * SEATS,
        "attempts": Counter(tables.values_list("attempts", flat=True)),
        "generations": Counter(tables.values_list("generation", flat=True)),
        "faults": Fault.objects.filter(result__seat__table__in=tables).count(),
        "levels": sorted(
            set(MatchRecord.objects.filter(table__in=tables).values_list("sandbox_level", flat=True))
        ),
        "nodes": Counter(tournament.blocks.values_list("node", flat=True)),
        "rated tables": snapshot.tables,
        "ladder equals the records": _ratings(snapshot) == _recomputed(rows),
        "ladder equals the results": is_repeated(snapshot),
    }


def _recorded_rows(tables):  # type: ignore[no-untyped-def]
    """Yield block, seat, bot and score of every verified record, after comparing them with the results."""
    for table in tables.select_related("block"):
        record = record_files.record(table.pk)
        verify(record, seed=bytes(table.block.seed))
        stored = Result.objects.filter(seat__table=table).order_by("seat__number")
        assert [result.score for result in stored] == record["scores"], table
        for seat, score in enumerate(record["scores"]):
            yield table.block.number, seat, record["seats"][seat]["bot"], score


def _ratings(snapshot: Snapshot) -> dict[str, float]:
    ratings = snapshot.ratings.select_related("version__bot__owner")
    return {rating.version.bot.full_name: round(rating.elo, ELO_DIGITS) for rating in ratings}


def _recomputed(rows: list[tuple[int, int, str, int]]) -> dict[str, float]:
    table = rate(Results.from_rows(rows))
    return {bot: round(table[bot].elo, ELO_DIGITS) for bot in {row[2] for row in rows}}


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bots", seconds]:
            make_bots(float(seconds))
        case ["start", slug, blocks]:
            start(slug, int(blocks))
        case ["check", slug]:
            print(json.dumps(check(slug)))
        case _:
            sys.exit(__doc__)
