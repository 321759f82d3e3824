"""What may be asked of tournaments. `open_blocks` and `open_tables` are the doors to what a block holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from stichkampf_platform.hints import HINT_SECONDS
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Result, SeatReport, Table, Tournament


@dataclass(frozen=True)
class Progress:
    """How far a tournament is."""

    tables: int
    tables_done: int
    tables_running: int
    blocks: int
    blocks_over: int

    @property
    def percent(self) -> int:
        return 100 * self.tables_done // self.tables if self.tables else 0


def visible_tournaments() -> QuerySet[Tournament]:
    """The tournaments that everybody may see, newest first."""
    return Tournament.objects.exclude(state=Tournament.State.DRAFT).filter(published=True)


def open_blocks() -> QuerySet[Block]:
    """The blocks whose last table has ended: their seeds, hands, records, notes and results may be shown."""
    return Block.objects.exclude(over_at=None)


def open_tables() -> QuerySet[Table]:
    """The played tables of open blocks, of the tournaments that everybody may see."""
    return Table.objects.filter(
        state=Table.State.DONE, block__in=open_blocks(), block__tournament__published=True
    )


def open_results() -> QuerySet[Result]:
    """The results at open tables."""
    return Result.objects.filter(
        seat__table__state=Table.State.DONE,
        seat__table__block__over_at__isnull=False,
        seat__table__block__tournament__published=True,
    )


def reports_for(person) -> QuerySet[SeatReport]:  # type: ignore[no-untyped-def]
    """The reports that a person may read: of own bots, or all for staff; only of open blocks."""
    reports = SeatReport.objects.filter(seat__table__in=open_tables())
    if person.is_staff:
        return reports
    return reports.filter(seat__entrant__version__bot__owner_id=person.pk)


def progress(tournament: Tournament) -> Progress:
    """Counted from the tables, now."""
    live = Q(state=Table.State.OPEN, lease_until__gte=timezone.now())
    tables = Table.objects.filter(block__tournament=tournament).aggregate(
        all=Count("pk"), done=Count("pk", filter=Q(state=Table.State.DONE)), running=Count("pk", filter=live)
    )
    blocks = tournament.blocks.aggregate(all=Count("pk"), over=Count("pk", filter=~Q(over_at=None)))
    return Progress(tables["all"], tables["done"], tables["running"], blocks["all"], blocks["over"])


def due_blocks() -> QuerySet[Block]:
    """The blocks with free tables in running tournaments, not hinted at just now, in playing order."""
    quiet = Q(hinted_at=None) | Q(hinted_at__lt=timezone.now() - timedelta(seconds=HINT_SECONDS))
    return Block.objects.filter(
        quiet,
        Exists(Table.objects.filter(leases.free(), block=OuterRef("pk"))),
        over_at=None,
        tournament__state=Tournament.State.RUNNING,
    ).order_by("number", "tournament_id")


def troubled_tables(tournament: Tournament) -> QuerySet[Table]:
    """Tables that the platform failed to play so far, with the reason in `trouble`; for staff."""
    return Table.objects.filter(block__tournament=tournament, state=Table.State.OPEN).exclude(trouble="")
