"""The figures of an installation now: what waits, what plays, how long it takes, what fails.

Every query is bounded by an index or by a number of rows, so they cost the same at a million tables.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from time import monotonic

from django.conf import settings
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.queries import waiting_submissions
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import arbiter, close_idle, gate
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.models import DrainOrder, ItemFailure, Node
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.operations import beat_signs
from stichkampf_platform.operations.moving import WorkKind, kinds_of_work
from stichkampf_platform.operations.redis_access import RedisAway, evicts, redis_client
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.tournaments.models import Block, Fault, MatchRecord, Table, Tournament
from stichkampf_platform.tournaments.queries import free_blocks, leased_tables
from stichkampf_platform.tournaments.shown import shown_to

QUICK_SECONDS = 0.5
MOST_COUNTED = 1000
"""The most blocks and submissions that are counted; a number at this bound means that many or more."""
NEWEST_TABLES = 200
NEWEST_TOURNAMENTS = 20
MOST_LADDERS = 100
MOST_NODES = 200
MOST_PARKED = 50


@dataclass(frozen=True)
class ArbiterFigures:
    """The arbiter as it answered just now.

    :ivar answer_seconds: its lag: from the question about its status to the answer.
    :ivar refused_calls: by the name of the status, since its start.
    """

    tables: int
    tables_limit: int
    draining: bool
    sandbox_level: str
    answer_seconds: float
    refused_calls: Mapping[str, int]


@dataclass(frozen=True)
class Figures:
    """The state of an installation at one moment.

    :ivar queued: messages by queue; empty where Redis does not answer.
    :ivar blocks_waiting: free blocks of running tournaments, up to `MOST_COUNTED`.
    :ivar submissions_waiting: those without a verdict, up to `MOST_COUNTED`.
    :ivar public_blocks_waiting: those of them that everybody may see.
    :ivar tables_leased: tables that a worker holds.
    :ivar hidden_tables_leased: those of them of which only members and organisers know.
    :ivar tables_landed: the number of the newest record, which grows by one a table.
    :ivar first_table_seconds: from the start of each of the newest tournaments to its first table, or until
        now; newest first.
    :ivar table_seconds: of the newest tables, sorted.
    :ivar faults: at the newest tables, by kind.
    :ivar rating_age_seconds: by ladder, how long the oldest result has waited that is not yet rated; 0 for
        none.
    :ivar parked: what failed again and again, the newest first, up to `MOST_PARKED`.
    :ivar redis_evicts: whether Redis drops queued work once its memory is full.
    :ivar redis_installations: how many installations have a beat on this Redis; more than one is a mistake.
    :ivar beat_seconds: since the last beat; `None` where none is known.
    :ivar nodes: as they last reported themselves.
    :ivar beats: how many beats of this installation there are; more than one is a mistake.
    :ivar people_connected: whether the hub plays for persons; `None` where the arbiter that would know is
        away.
    :ivar work: each kind of work, and how it moves.
    :ivar drained_since: from when nothing may begin any more; None where it may.
    """

    at: datetime
    arbiter: ArbiterFigures | None
    queued: Mapping[str, int]
    blocks_waiting: int
    public_blocks_waiting: int
    submissions_waiting: int
    tables_leased: int
    hidden_tables_leased: int
    tables_landed: int
    first_table_seconds: Sequence[float]
    table_seconds: Sequence[float]
    faults: Mapping[str, int]
    rating_age_seconds: Mapping[str, float]
    beat_seconds: float | None
    disk_free_bytes: int
    disk_bytes: int
    database_bytes: int
    nodes: Sequence[Node] = ()
    parked: Sequence[ItemFailure] = ()
    redis_evicts: bool = False
    redis_installations: int = 0
    beats: int = 0
    people_connected: bool | None = None
    work: Sequence[WorkKind] = ()
    drained_since: datetime | None = None

    @property
    def table_seconds_median(self) -> float | None:
        return median(self.table_seconds) if self.table_seconds else None


def measure() -> Figures:
    now = clock.now()
    waiting = free_blocks().order_by()
    leased = leased_tables()
    disk = shutil.disk_usage(settings.STATE_DIR)
    queued, redis_evicts = _redis()
    beats = beat_signs.beats()
    newest = list(
        MatchRecord.objects.order_by("-pk").values_list(
            "pk", "table_id", "table__started_at", "table__finished_at"
        )[:NEWEST_TABLES]
    )
    return Figures(
        at=now,
        arbiter=_arbiter(),
        queued=queued,
        blocks_waiting=waiting[:MOST_COUNTED].count(),
        public_blocks_waiting=waiting.filter(shown_to(None, "tournament__"))[:MOST_COUNTED].count(),
        submissions_waiting=waiting_submissions()[:MOST_COUNTED].count(),
        tables_leased=leased.count(),
        hidden_tables_leased=leased.exclude(shown_to(None, "block__tournament__")).count(),
        tables_landed=newest[0][0] if newest else 0,
        first_table_seconds=_first_tables(now),
        table_seconds=sorted((end - start).total_seconds() for *_, start, end in newest if start and end),
        faults=_faults([table for _, table, *_ in newest]),
        rating_age_seconds=_rating_ages(now),
        beat_seconds=beat_signs.seconds_since_beat(beats),
        disk_free_bytes=disk.free,
        disk_bytes=disk.total,
        database_bytes=_database_bytes(),
        nodes=list(Node.objects.all()[:MOST_NODES]),
        parked=list(failures.parked()[:MOST_PARKED]),
        redis_evicts=redis_evicts,
        redis_installations=len(beat_signs.installations(beats)),
        beats=len(beat_signs.fresh_senders(beats)),
        people_connected=_people_connected(),
        work=kinds_of_work(),
        drained_since=DrainOrder.objects.values_list("since", flat=True).first(),
    )


def _arbiter() -> ArbiterFigures | None:
    begun = monotonic()
    try:
        status = arbiter().status(seconds=QUICK_SECONDS)
    except (ArbiterGone, MatchFailed):
        return None
    finally:
        close_idle()
    level = pb.SandboxLevel.Name(status.sandbox_level).removeprefix("SANDBOX_LEVEL_").lower()
    return ArbiterFigures(
        tables=status.tables,
        tables_limit=status.tables_limit,
        draining=status.draining,
        sandbox_level=level,
        answer_seconds=monotonic() - begun,
        refused_calls=dict(status.refused_calls),
    )


def _people_connected() -> bool | None:
    try:
        return gate().has_people(seconds=QUICK_SECONDS)
    except (ArbiterGone, MatchFailed):
        return None
    finally:
        close_idle()


def _redis() -> tuple[dict[str, int], bool]:
    """Return the messages by queue, and whether Redis evicts; no queue where it does not answer."""
    try:
        with redis_client() as redis:
            return {queue: redis.llen(queue) for queue in settings.QUEUES}, evicts(redis.info("memory"))
    except RedisAway:
        return {}, False


def _first_tables(now: datetime) -> list[float]:
    first = Table.objects.filter(
        block__tournament=OuterRef("pk"), block__number=0, started_at__isnull=False
    ).order_by("started_at")
    begun = Tournament.objects.filter(started_at__isnull=False).order_by("-started_at")
    waits = begun.annotate(first=Subquery(first.values("started_at")[:1]))[:NEWEST_TOURNAMENTS]
    return [
        ((tournament.first or now) - tournament.started_at).total_seconds()
        for tournament in waits
        if tournament.first or tournament.state == Tournament.State.RUNNING
    ]


def _faults(tables: list[int]) -> dict[str, int]:
    shown = Fault.objects.filter(
        result__seat__table__in=tables, result__seat__table__block__over_at__isnull=False
    )
    rows = shown.order_by().values_list("kind")
    return dict(rows.annotate(times=Count("pk")).order_by("kind"))


def _rating_ages(now: datetime) -> dict[str, float]:
    newest = Snapshot.objects.filter(ladder=OuterRef("pk"), tournament=None, published=True)
    ladders = Ladder.objects.filter(private=False).annotate(
        rated_at=Subquery(newest.order_by("-at").values("at")[:1])
    )
    over = Block.objects.filter(
        Q(over_at__gt=OuterRef("rated_at")) | Q(tournament__ladder__in=_unrated()),
        tournament__ladder=OuterRef("pk"),
        tournament__rated=True,
        over_at__isnull=False,
    )
    oldest = Subquery(over.order_by("over_at").values("over_at")[:1])
    ages = ladders.annotate(oldest=oldest).values_list("slug", "oldest")[:MOST_LADDERS]
    return {slug: (now - at).total_seconds() if at else 0.0 for slug, at in ages}


def _unrated() -> QuerySet[Ladder]:
    published = Snapshot.objects.filter(ladder=OuterRef("pk"), tournament=None, published=True)
    return Ladder.objects.filter(~Exists(published)).values("pk")


def _database_bytes() -> int:
    sql = {
        "postgresql": "SELECT pg_database_size(current_database())",
        "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])
