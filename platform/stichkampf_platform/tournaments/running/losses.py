"""The loss by an action that cannot be undone, counted before somebody is asked to confirm it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.tournaments.models import STILL_TO_PLAY, Block, Entrant, Result, Table, Tournament


@dataclass(frozen=True)
class Loss:
    """Blocks that would be void, their tables, and the results at these tables that would count no more."""

    blocks: int
    tables: int
    results: int

    def __str__(self) -> str:
        if not self.blocks:
            return _("nothing that was played")
        return _("{blocks} with {tables} and {results}").format(
            blocks=ngettext("{count} block", "{count} blocks", self.blocks).format(count=plain(self.blocks)),
            tables=ngettext("{count} table", "{count} tables", self.tables).format(count=plain(self.tables)),
            results=ngettext("{count} result", "{count} results", self.results).format(
                count=plain(self.results)
            ),
        )


def by_cancelling(tournaments: Collection[Tournament]) -> Loss:
    """Count the unfinished blocks of these tournaments."""
    return _of(Block.objects.filter(STILL_TO_PLAY, tournament__in=tournaments))


def by_running_again(blocks: Iterable[Block]) -> Loss:
    """Count these blocks, those that are replaced already left out."""
    return _of(Block.objects.filter(pk__in=[block.pk for block in blocks], replaced_by=None))


def by_disqualifying(entrants: Collection[Entrant]) -> Loss:
    """Count the unfinished blocks in which one of these entrants sits."""
    return _of(Block.objects.filter(STILL_TO_PLAY, tables__seats__entrant__in=entrants))


def _of(blocks: QuerySet[Block]) -> Loss:
    tables = Table.objects.filter(block__in=blocks.values("pk")).exclude(state=Table.State.VOID)
    return Loss(
        blocks=blocks.order_by().values("pk").distinct().count(),
        tables=tables.count(),
        results=Result.objects.filter(seat__table__in=tables.order_by().values("pk")).count(),
    )
