"""Time of every public page and every kind of API answer, on a large installation.

    python benchmarks/page_speed.py --database URL [--tables 250000] [--bots 1000] [--only WORD]

Fills an empty PostgreSQL database with rows that `page_rows.py` generates (nothing was played), unless an
earlier run has filled it, and tells the bytes of rows and indexes. Then it takes every address of the site's
and the API's URL patterns, so that none is forgotten, and asks for it in this process as a guest, without the
cache of public pages. It tells milliseconds of a processor in this process and in PostgreSQL, which must be
on this machine, and milliseconds on the clock, which other programs stretch more, of both the median of seven
requests; number of queries, bytes, and large tables that PostgreSQL reads from end to end. A file is asked
for once, and one of all results for the newest blocks alone: all of them take minutes. Exits 1 if a page that
is no file or stream takes a processor more than 50 ms or reads a large table, or an answer is one that it
should not be.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import django
from page_rows import generate, publish
from store import tell_sizes

MOST_MS = 50.0
TIMES = 7
LARGE = 20_000
"""Rows from which on a table is not to be read from end to end."""
FILES = {
    *("files:tournament-export", "files:ladder-csv", "api-records", "api-data-lines", "api-data-parquet"),
    *("api-ladder-csv", "files:record"),
}
"""Files, which are as long as what they hold."""
DATA_BLOCKS = 200
"""The newest blocks of which the files of all results and records are asked for."""
MISSING = {
    *(
        "account_confirm_email",
        "account_reset_password_from_key",
        "web:end-mails",
        "web:submission",
        "web:notice",
    ),
    *("openid_connect_login", "openid_connect_callback"),
    *("api-member", "api-submission", "api-trial-records", "files:trial-records", "files:submission-events"),
}
"""Answered with 404: the addresses of what this installation has none of, or shows to its owner alone."""
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
SCAN = re.compile(r"Seq Scan on (\w+)")


class Asked(NamedTuple):
    """One answer and what it took."""

    status: int
    size: int
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Measured:
    """An address and what its answer took."""

    name: str
    path: str
    status: int
    cpu_ms: float
    ms: float
    queries: int
    size: int
    scans: tuple[str, ...]

    @property
    def missed(self) -> bool:
        return self.name not in FILES and (self.cpu_ms > MOST_MS or bool(self.scans))

    def row(self, *, bold: bool) -> str:
        cpu_ms = f"**{self.cpu_ms:.0f}**" if bold else f"{self.cpu_ms:.0f}"
        cells = [f"`{self.path}`", cpu_ms, f"{self.ms:.0f}", f"{self.queries}"]
        return f"| {' | '.join([*cells, f'{self.size:,}', ', '.join(self.scans)])} |"


def patterns(found: Any = None, route: str = "", name: str = "") -> Iterator[tuple[str, str]]:
    """Yield name and route of every address that has one, of each only the newest form."""
    from django.urls import URLPattern, get_resolver

    for each in (found or get_resolver()).url_patterns:
        longer = route + str(each.pattern)
        if isinstance(each, URLPattern):
            yield name + (each.name or ""), longer
        elif longer not in ("admin/", "api/"):
            yield from patterns(each, longer, f"{each.namespace}:" if each.namespace else name)


def samples() -> dict[str, dict[str, object]]:
    """Return values of parameters by the first word of the route; "" has those that all share."""
    from stichkampf_platform.ladders.models import Ladder
    from stichkampf_platform.tournaments.models import Tournament
    from stichkampf_platform.tournaments.queries import shown_tables
    from stichkampf_platform.tournaments.records.open_data import DATA_SETS

    game = Ladder.objects.filter(main=True).order_by("game")[0].game
    large = Tournament.objects.get(slug=f"large-{game}")
    table = shown_tables().filter(block__tournament=large).order_by("-block__number")[1]
    every: dict[str, object] = dict.fromkeys(
        (
            "submission_id",
            "class_id",
            "pupil_id",
            "session_id",
            "token_id",
            "notice_id",
            "experiment_id",
            "number",
        ),
        1,
    )
    every |= dict.fromkeys(("key", "token", "uidb36", "lease", "provider_id"), "none")
    every |= {"author": "author-0", "bot": "bot-0", "other_author": "author-1", "other": "bot-1"}
    every |= {"table_id": table.pk, "block_id": table.block_id, "pk": table.pk}
    every |= {"deal": 1, "move": 3, "decision": 1, "step": 9, "seat": 1}
    every |= {"name": "author-0", "what": next(iter(DATA_SETS)), "section": "bots"}
    return {
        "": every,
        "bots": {"slug": "bot-0"},
        "ladders": {"slug": game},
        "games": {"slug": game},
        "docs": {"slug": "write-a-bot"},
        "tournaments": {"slug": large.slug, "name": "results.csv"},
        "blocks": {"pk": table.block_id},
        "organiser": {"slug": large.slug, "name": "results.csv"},
    }


def newest_part() -> str:
    """Return what a file of all results is asked with, so that it holds the newest blocks alone."""
    from stichkampf_platform.tournaments.queries import shown_blocks

    since = shown_blocks().order_by("-over_at").values_list("over_at", flat=True)[DATA_BLOCKS]
    return "?" + urlencode({"after": since.isoformat()})


def address(route: str, values: dict[str, dict[str, object]]) -> str:
    first = route.removeprefix("api/v1/").split("/")[0]
    known = {**values[""], **values.get(first, {})}
    plain = route if not route.startswith("^") and "(?P<" not in route else "password/reset/none-none/"
    return "/" + PARAMETER.sub(lambda found: str(known[found[1]]), plain)


class Measurement:
    """Ask for pages in this process."""

    def __init__(self, only: str) -> None:
        from django.db import connection
        from django.test import Client

        self.only, self.client = only, Client(raise_request_exception=False)
        self.client.cookies["measured"] = "1"  # the cache of public pages is for guests without such
        with connection.cursor() as cursor:
            cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s", [LARGE])
            self.large = {name for (name,) in cursor.fetchall()}
            cursor.execute("SET max_parallel_workers_per_gather = 0")  # their time would not be counted
            cursor.execute("SELECT pg_backend_pid()")
            (self.backend,) = cursor.fetchone()

    def addresses(self) -> dict[str, str]:
        values = samples()
        found: dict[str, str] = {}
        for name, route in patterns():
            part = newest_part() if name.startswith("api-data-") else ""
            found.setdefault(address(route, values) + part, name or route)
        return {path: name for path, name in found.items() if self.only in name}

    def ask(self, path: str) -> Asked:
        begun, cpu_begun = time.perf_counter(), self.cpu_seconds()
        answer = self.client.get(path)
        if answer.streaming:
            size = sum(len(part) for part in answer.streaming_content)
        else:
            size = len(answer.content)
        cpu_seconds, seconds = self.cpu_seconds() - cpu_begun, time.perf_counter() - begun
        return Asked(answer.status_code, size, seconds, cpu_seconds)

    def measure(self, name: str, path: str) -> Measured:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        asked = [self.ask(path)]
        if name not in FILES:
            asked = [self.ask(path) for _ in range(TIMES)]
        status, size = asked[-1].status, asked[-1].size
        with CaptureQueriesContext(connection) as captured:
            self.ask(path)
        queries = captured.captured_queries
        return Measured(
            name,
            path,
            status,
            1000 * statistics.median(each.cpu_seconds for each in asked),
            1000 * statistics.median(each.seconds for each in asked),
            len(queries),
            size,
            tuple(sorted(self.scans([query["sql"] for query in queries]))),
        )

    def cpu_seconds(self) -> float:
        """Return the processor time of this process and of its backend so far."""
        nanoseconds = Path(f"/proc/{self.backend}/schedstat").read_text().split()[0]
        return time.process_time() + int(nanoseconds) / 1e9

    def scans(self, statements: list[str]) -> set[str]:
        from django.db import connection

        found: set[str] = set()
        for statement in dict.fromkeys(statements):
            statement = re.sub(r"^DECLARE .*? FOR ", "", statement, flags=re.DOTALL)
            if not statement.lstrip().upper().startswith(("SELECT", "WITH", "(")):
                continue
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN " + statement.replace("%", "%%"), ())
                plan = "\n".join(line for (line,) in cursor.fetchall())
            found |= self.large & set(SCAN.findall(plan))
        return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", required=True, metavar="URL", help="PostgreSQL, empty or filled before")
    parser.add_argument("--tables", type=int, default=250_000)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--only", default="", metavar="WORD", help="addresses with this word in their names")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-pages-") as folder:
        os.environ |= {"STICHKAMPF_STATE_DIR": folder, "DATABASE_URL": args.database}
        return compare(args)


def prepare() -> None:
    """Set Django up to answer in this process."""
    from django.conf import settings

    django.setup()
    settings.ALLOWED_HOSTS = ["*"]
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    logging.disable()  # of records that are named only
    # of static files, which nothing collects here
    warnings.filterwarnings("ignore", message="No directory at")


def compare(args: argparse.Namespace) -> int:
    prepare()
    from django.core.management import call_command
    from django.db import connection
    from stichkampf_platform.ratings.highlights import keep_highlights
    from stichkampf_platform.tournaments.models import Result, Table

    call_command("migrate", verbosity=0)
    if not Result.objects.exists():
        begun = time.perf_counter()
        generate(args.bots, args.tables)
        print(f"generated in {time.perf_counter() - begun:.0f} s", flush=True)
    publish()
    tell_sizes(connection, Table.objects.count())
    while keep_highlights():  # as maintenance does
        pass
    measurement = Measurement(args.only)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {Result.objects.count():,} results, load {os.getloadavg()[0]:.0f}\n"
    )
    print(
        "| page | ms of a processor | on the clock | queries | bytes | reads whole |\n"
        "|---|---|---|---|---|---|"
    )
    measured, others = [], []
    for path, name in measurement.addresses().items():
        found = measurement.measure(name, path)
        (measured if found.status == 200 else others).append(found)
        if found.status == 200:
            print(found.row(bold=found.missed), flush=True)
    return report(measured, others)


def report(measured: list[Measured], others: list[Measured]) -> int:
    """Print what missed a bound, and the addresses that show a guest nothing; return the exit status."""
    missed = [found for found in measured if found.missed]
    wrong = [
        found
        for found in others
        if found.status >= 500 or (found.status == 404 and found.name not in MISSING)
    ]
    print("\nnot for guests, or leading elsewhere:")
    print(", ".join(f"{found.path} {found.status}" for found in others))
    print(f"the slowest of these took {max((found.cpu_ms for found in others), default=0):.0f} ms\n")
    for found in wrong:
        print(f"should not answer {found.status}: {found.name} {found.path}")
    for found in missed:
        print(f"missed: {found.name}, {found.cpu_ms:.0f} ms, {' '.join(found.scans)}")
    print("all kept" if not missed and not wrong else f"{len(missed)} missed")
    return 1 if missed or wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    sys.exit(main())
