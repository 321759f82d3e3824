"""Bytes of a table played, copying into the store, and exports, on a temporary database.

    python benchmarks/store.py [--database URL] [--tables N]

Fills an empty database (SQLite, or PostgreSQL by its URL) with the rows of a ladder, which are generated, and
gives every table the record of one real match, in an outbox that a store in a folder empties then. On
PostgreSQL it lists the bytes of rows and indexes, and indexes that begin as another does. Exits 1 if an
export of 20,000 records takes more than 4 s of processor time, that of PostgreSQL included.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import django
from platform_speed import GAME, OPTIONS, SEATS, fill, insert

EXPORT_SECONDS, EXPORT_RECORDS = 4.0, 20_000
SIZES = """
    SELECT s.relname, s.n_live_tup, pg_table_size(s.relid), pg_indexes_size(s.relid)
    FROM pg_stat_user_tables s WHERE s.n_live_tup > 0 ORDER BY pg_total_relation_size(s.relid) DESC LIMIT 8
"""
TWICE = """
    SELECT a.indexrelid::regclass, pg_relation_size(a.indexrelid), b.indexrelid::regclass
    FROM pg_index a JOIN pg_index b ON a.indrelid = b.indrelid AND a.indexrelid <> b.indexrelid
    WHERE a.indpred IS NULL AND b.indpred IS NULL AND NOT a.indisunique
      AND (b.indkey::text || ' ') LIKE (a.indkey::text || ' %') AND a.indclass[0] = b.indclass[0]
    ORDER BY 2 DESC
"""


class Keeper:
    """Keep the bytes that are stored."""

    def save(self, name: str, content: Any) -> str:
        self.content = content.read()
        return name


def real_record() -> str:
    """Play one match by chance; its record with the times of its decisions."""
    from stichkampf.games import new_game
    from stichkampf.match.match import Match
    from stichkampf.match.records import dump

    chance = random.Random(2026)
    match = Match(new_game(GAME, SEATS, OPTIONS), seed=bytes(32))
    while not match.over:
        seat = match.to_act()[0]
        match.play(seat, chance.choice(match.legal(seat)), cost_seconds=chance.expovariate(1000))
    return dump(match.record([{"bot": f"author-{seat}/bot-{seat}", "version": 1} for seat in range(SEATS)]))


def give_records(text: str) -> int:
    """Put a record into the outbox for each table; return its bytes there."""
    from django.db.models import CharField, F, Value
    from django.db.models.functions import Concat
    from django.utils import timezone
    from stichkampf_platform.storage import compressed_texts
    from stichkampf_platform.storage.models import StoredFile
    from stichkampf_platform.tournaments.models import MatchRecord

    content, digest, size = compressed_texts.pack(text)
    folders = F("table_id") / 1000
    records = MatchRecord.objects.filter(table__block__tournament__slug="ladder")
    records.update(
        file_name=Concat(Value("records/"), folders, Value("/"), F("table_id"), output_field=CharField()),
        digest=digest,
        record_bytes=size,
    )
    names = list(records.values_list("file_name"))
    insert(StoredFile, ("name",), names, content=content, created_at=timezone.now())
    return len(content)


def timed_export(connection: Any) -> float:
    """Export all records; return the seconds of a processor, of this process and PostgreSQL's together."""
    from stichkampf_platform.tournaments.models import Tournament
    from stichkampf_platform.tournaments.records import record_files

    tournament = Tournament.objects.get(slug="ladder")
    begun, cpu_begun, server_begun = time.perf_counter(), time.process_time(), server_seconds(connection)
    lines = sum(1 for line in record_files.export(tournament) if "deals" in line)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu_begun
    of_server = server_seconds(connection) - server_begun
    print(
        f"export of {lines:,} records: {seconds:.1f} s, {cpu:.1f} s of a processor here"
        f" and {of_server:.1f} in PostgreSQL"
    )
    return cpu + of_server


def server_seconds(connection: Any) -> float:
    """Return the seconds of a processor that the server process of a connection has taken; 0 for SQLite."""
    if connection.vendor != "postgresql":
        return 0.0
    pid = connection.connection.info.backend_pid
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default="", metavar="URL", help="an empty database; default SQLite")
    parser.add_argument("--tables", type=int, default=EXPORT_RECORDS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-store-") as folder:
        os.environ |= {"STICHKAMPF_STATE_DIR": folder, "DATABASE_URL": args.database}
        return measure(args.tables)


def measure(tables: int) -> int:
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from stichkampf_platform.storage.copying import copy_files

    call_command("migrate", verbosity=0)
    fill(tables)
    text = real_record()
    size = give_records(text)
    print(
        f"{connection.vendor}, {tables:,} tables; a record has {len(text):,} bytes, {size:,} of them stored"
    )
    print(f"load {os.getloadavg()[0]:.0f}")
    connection.cursor().execute("ANALYZE")  # as autovacuum does
    timed_export(connection)
    begun = time.perf_counter()
    copied = copy_files(seconds=3600, kept=timedelta(0))
    print(
        f"copied into a folder, and the rows removed: {copied / (time.perf_counter() - begun):.0f} a second"
    )
    seconds = timed_export(connection)
    if connection.vendor == "postgresql":
        connection.cursor().execute("VACUUM FULL ANALYZE")
        tell_sizes(connection, tables)
    return 1 if seconds * EXPORT_RECORDS / tables > EXPORT_SECONDS else 0


def tell_sizes(connection: Any, tables: int) -> None:
    """Print the bytes of a table played, and the indexes that begin as another and have a byte of it."""
    with connection.cursor() as cursor:
        cursor.execute(SIZES)
        print(
            "\n| rows of | number | bytes, a table played | of indexes, a table played |\n|---|---|---|---|"
        )
        for name, rows, content, indexes in cursor.fetchall():
            print(f"| {name} | {rows:,} | {content / tables:.0f} | {indexes / tables:.0f} |")
        cursor.execute(TWICE)
        for index, bytes_, other in cursor.fetchall():
            if bytes_ >= tables:
                print(f"{index} begins as {other}: {bytes_ / tables:.0f} bytes a table played")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    sys.exit(main())
