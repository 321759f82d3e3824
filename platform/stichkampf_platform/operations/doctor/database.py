"""Checks of the database and of the files that are stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Max
from django.utils import timezone

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.environment import read_number
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.nodes import living
from stichkampf_platform.core.models import DrainOrder
from stichkampf_platform.operations.conversion import OF_BEFORE, is_of_before
from stichkampf_platform.operations.doctor.cause import CauseFound
from stichkampf_platform.operations.doctor.nodes import check_nodes
from stichkampf_platform.operations.moving import kinds_of_work
from stichkampf_platform.operations.schema import missing_migrations
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.storage import compressed_texts
from stichkampf_platform.storage.copying import TROUBLE
from stichkampf_platform.storage.store_label import WrongStore, check_label
from stichkampf_platform.supervisor.worker_programs import PLACES
from stichkampf_platform.tournaments.models import MatchRecord, Tournament

TOLERATED_SKEW = timedelta(seconds=2)
NEWEST_FILES = 3
PARKED_NAMED = 5
QUEUES_OF = {
    "matches": "matches",
    "validations": "validation",
    "publications": "ratings",
    "experiments": "experiments",
    "marks": "marks",
    "mails": "mail",
    "files": "sweep",
}
HELD_UP_SECONDS = 10
HOLDERS = """
SELECT holder.pid, holder.state, left(holder.query, 100), count(*),
    extract(epoch FROM clock_timestamp() - min(waiting.query_start))
FROM pg_stat_activity waiting, unnest(pg_blocking_pids(waiting.pid)) blocking
    JOIN pg_stat_activity holder ON holder.pid = blocking
WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock'
    AND waiting.query_start < clock_timestamp() - %s * interval '1 second'
    AND cardinality(pg_blocking_pids(holder.pid)) = 0
GROUP BY holder.pid, holder.state, holder.query ORDER BY count(*) DESC LIMIT 3
"""
"""Processes that wait for nobody and have others wait: how many, and for how long."""
OF_A_NODE = sum(PLACES[name] for name in ("worker", "experiments", "validation")) + 1
OF_AN_INSTALLATION = PLACES["maintenance"] + PLACES["marks"] + 4
"""Connections of workers, one for each task that they do at once, and some for people and this command."""


def check_database() -> Iterator[CauseFound]:
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        name, options = connection.settings_dict["NAME"], connection.settings_dict["OPTIONS"]
        host = connection.settings_dict["HOST"] or options.get("host") or "this machine"
        yield CauseFound(
            "the database cannot be reached",
            f"{name} at {host}: {str(error).strip().splitlines()[0]}",
            "Correct DATABASE_URL (postgres://user:password@host/name), or start PostgreSQL.",
        )
        return
    schema = list(_schema())
    yield from schema
    if schema:  # the other checks ask for tables that may not be there
        return
    yield from _clock()
    yield from _connections()
    yield from _held_up()
    yield from _stored_files()
    yield from check_nodes()
    yield from _drained()
    yield from _still()
    for failure in failures.parked()[:PARKED_NAMED]:
        yield CauseFound(
            "work that fails again and again",
            f"{failure} ({failure.times} times): {failure.reason}",
            "The workers' logs have the whole error. Everything else goes on, and this is tried every hour.",
            grave=False,
        )


def _schema() -> Iterator[CauseFound]:
    if is_of_before():
        yield CauseFound("a schema of before 1.0", "this program does not know its migrations.", OF_BEFORE)
        return
    executor = MigrationExecutor(connection)
    known = set(executor.loader.disk_migrations)
    ours = {app for app, _ in known}
    if missing := missing_migrations(executor):
        yield CauseFound(
            "an old schema",
            f"the database lacks {len(missing)} migration{'s' if len(missing) > 1 else ''}, first"
            f" {missing[0]}.",
            "Run `manage.py upgrade`, or `manage.py migrate`.",
        )
    newer = {found for found in executor.loader.applied_migrations if found[0] in ours} - known
    if newer:
        yield CauseFound(
            "a schema newer than this program",
            f"the database has {'.'.join(min(newer))}, which this program does not know.",
            "Install the version that made it, or restore the backup that was made before.",
        )


def _clock() -> Iterator[CauseFound]:
    now = clock.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            skew = timezone.now() - cursor.fetchone()[0]
        if abs(skew) > TOLERATED_SKEW:
            yield CauseFound(
                "this clock and the database's differ",
                f"this one is {skew.total_seconds():+.0f} s ahead. Play goes by the database's; logs do not.",
                "Synchronise both with chrony or systemd-timesyncd: `timedatectl set-ntp true`.",
                grave=False,
            )
            return
    newest: list[datetime] = [
        at
        for at in (
            Tournament.objects.aggregate(at=Max("started_at"))["at"],
            Snapshot.objects.aggregate(at=Max("at"))["at"],
        )
        if at is not None
    ]
    if newest and max(newest) > now + TOLERATED_SKEW:
        yield CauseFound(
            "a wrong clock",
            f"it is {now:%Y-%m-%d %H:%M} here, and the newest result is of {max(newest):%Y-%m-%d %H:%M}.",
            "Set the clock: `timedatectl set-ntp true`. Until then, nothing that is due at a time begins.",
        )


def _connections() -> Iterator[CauseFound]:
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_connections")
        allowed = int(cursor.fetchone()[0])
    processes = read_number("STICHKAMPF_SITE_PROCESSES", otherwise=1, most=64)
    of_nodes = max(1, living().count()) * OF_A_NODE
    wanted = processes * (settings.SITE_REQUEST_SLOTS + 3) + of_nodes + OF_AN_INSTALLATION
    if allowed < wanted:
        yield CauseFound(
            "too few connections",
            f"PostgreSQL allows {allowed}, and site and workers may need {wanted}.",
            "Raise max_connections, or lower STICHKAMPF_SITE_PROCESSES or STICHKAMPF_SITE_PLACES.",
        )


def _held_up() -> Iterator[CauseFound]:
    """Name who holds others up, such as a terminal in which a transaction was left open."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, [HELD_UP_SECONDS])
        holders = cursor.fetchall()
    for pid, state, query, others, seconds in holders:
        yield CauseFound(
            "a transaction that others wait for",
            f"process {pid} of PostgreSQL ({state}) has {others} wait, one of them for {seconds:.0f} s; its"
            f" newest statement: {query}",
            f"Find out whose it is. To end it: SELECT pg_terminate_backend({pid})",
        )


def _stored_files() -> Iterator[CauseFound]:
    records = MatchRecord.objects.filter(deleted_at=None)
    try:
        check_label()
        for stored in [*records.order_by("-pk")[:NEWEST_FILES], *records.order_by("pk")[:NEWEST_FILES]]:
            compressed_texts.read(storages["records"], stored.file_name, stored.digest)
        for version in Version.objects.exclude(archive="").order_by("-pk")[:NEWEST_FILES]:
            with storages["archives"].open(version.archive.name) as archive:
                archive.read(1)
    except WrongStore as error:
        yield CauseFound(
            "another store", str(error), "Correct STICHKAMPF_STORE; every machine needs the same one."
        )
    except OSError as error:
        yield CauseFound(
            "the store cannot be read",
            str(error),
            "See that the store named by STICHKAMPF_STORE is reachable with its key, or restore it from a"
            " backup.",
        )


def _still() -> Iterator[CauseFound]:
    """Name what stands still, whatever stops it; the causes that are known come before."""
    advice = {
        "archives": "Put the file back into the store, as from a backup: the tournament's page in the"
        " administration names the bot.",
        "files": "See that the store has room and its key may write. Nothing is lost meanwhile.",
        "mails": "See that the mail server takes mails; the notices stand on the site meanwhile.",
    }
    for kind in kinds_of_work():
        if kind.stands:
            why = f": {cache.get(TROUBLE)}" if kind.name == "files" and cache.get(TROUBLE) else ""
            yield CauseFound(
                "work stands still",
                f"{kind.name} wait, and for {kind.still_seconds:.0f} s none has ended{why}.",
                advice.get(kind.name, "")
                or f"Where nothing else is named here, restart the worker that takes the queue"
                f" `{QUEUES_OF[kind.name]}`, and read its log.",
            )


def _drained() -> Iterator[CauseFound]:
    since = DrainOrder.objects.values_list("since", flat=True).first()
    if since is not None:
        yield CauseFound(
            "the installation is drained",
            f"since {since:%Y-%m-%d %H:%M} UTC nothing begins.",
            "End it with `drain --off` when the work on it is done.",
            grave=False,
        )
