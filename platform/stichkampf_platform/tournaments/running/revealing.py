"""Results that are held back: a block that was played is over only when its last table is revealed.

All that shows results, or follows from them, asks whether a block is over. So nothing of them stands anywhere
before: ratings, records, notices, suspensions and the draw of the next round come with `over_at`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, QuerySet
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.entry_models import Reveal
from stichkampf_platform.tournaments.models import PLAYING, STILL_TO_PLAY, Block, Table, Tournament
from stichkampf_platform.tournaments.queries import scored_seats
from stichkampf_platform.tournaments.running import conduct
from stichkampf_platform.tournaments.scheduling import beats
from stichkampf_platform.tournaments.tournament_locks import hold, hold_blocks

logger = logging.getLogger(__name__)

MOST_HELD = timedelta(days=7)
"""The time after which results show by themselves: what the bots wrote meanwhile waits as long."""


class RevealStep(StrEnum):
    TABLE = "table"
    BLOCK = "block"
    ALL = "all"


def held_blocks() -> QuerySet[Block]:
    """Return the blocks that have been played and are not over: their results are held back."""
    return Block.objects.filter(over_at=None, played_at__isnull=False)


def held_tables(tournament: Tournament) -> QuerySet[Table]:
    """Return the tables still to be revealed, in that order: the first group of a round comes last."""
    held = held_blocks().filter(tournament=tournament).values("pk")
    tables = Table.objects.filter(block__in=held, state=Table.State.DONE, revealed_at=None)
    return tables.order_by("-block__number", "lane")


def revealed_tables(tournament: Tournament) -> QuerySet[Table]:
    """Return the tables, last first, whose scores were revealed and whose block is still held back."""
    held = held_blocks().filter(tournament=tournament).values("pk")
    return Table.objects.filter(block__in=held, revealed_at__isnull=False).order_by("-revealed_at", "-lane")


def is_played(tournament: Tournament) -> bool:
    """Tell whether results are held back, and all that was drawn is played: they may be shown."""
    unplayed = tournament.blocks.filter(STILL_TO_PLAY)
    return held_blocks().filter(tournament=tournament).exists() and not unplayed.exists()


@dataclass(frozen=True)
class HeldBack:
    """The results that are held back in a tournament, as pages tell of them.

    :ivar left: tables still to be revealed.
    :ivar is_played: they may be revealed now.
    :ivar tables: those that were revealed, last first, of blocks that are not over.
    """

    left: int
    is_played: bool
    tables: list[Table]


def held_back_part(tournament: Tournament) -> HeldBack | None:
    """Return what a tournament holds back now; none where it shows all that was played."""
    if not tournament.holds_back or tournament.state not in PLAYING:
        return None
    tables = revealed_tables(tournament).select_related("block").prefetch_related(scored_seats())
    left = held_tables(tournament).count()
    return HeldBack(left, is_played(tournament), list(tables))


def end_blocks(tournament: Tournament, blocks: Collection[int]) -> None:
    """End blocks that are played no further: they are over, or where results are held back only played."""
    if not tournament.holds_back:
        Block.objects.filter(pk__in=blocks).update(over_at=clock.now())
        return
    done = Table.objects.filter(block=OuterRef("pk"), state=Table.State.DONE)
    Block.objects.filter(Exists(done), pk__in=blocks).update(played_at=clock.now())
    Block.objects.filter(pk__in=blocks, played_at=None).update(over_at=clock.now())


@transaction.atomic
def reveal(*, tournament: Tournament, step: str = RevealStep.TABLE) -> list[Table]:
    """Reveal the next results that are held back; return their tables.

    :raises RequestRefused: there are none, or the round is still being played.
    """
    tournament = hold(tournament)
    if tournament.state not in PLAYING or not held_blocks().filter(tournament=tournament).exists():
        raise RequestRefused(_("No results of {name} are held back now.").format(name=tournament.name))
    if not is_played(tournament):
        told = _(
            "{name}: its round is still being played; its results are revealed when all tables have ended."
        )
        raise RequestRefused(told.format(name=tournament.name))
    tables = list(held_tables(tournament).select_related("block"))
    if step == RevealStep.TABLE:
        tables = tables[:1]
    elif step == RevealStep.BLOCK:
        tables = [table for table in tables if table.block_id == tables[0].block_id]
    show(tournament, tables)
    return tables


def show(tournament: Tournament, tables: Collection[Table]) -> None:
    """Show these tables, and let those of their blocks be over of which nothing is held back any more.

    Call it with the tournament locked.
    """
    now = clock.now()
    hold_blocks(Block.objects.filter(pk__in={table.block_id for table in tables}))
    Table.objects.filter(pk__in=[table.pk for table in tables]).update(revealed_at=now)
    left = held_tables(tournament).filter(block=OuterRef("pk")).order_by()
    blocks = list(held_blocks().filter(~Exists(left), tournament=tournament).order_by("number"))
    Block.objects.filter(pk__in=[block.pk for block in blocks]).update(over_at=now)
    conduct.review(blocks=blocks)
    kept_progress.add(tournament.pk, blocks_over=len(blocks))
    logger.info(
        "tournament %s: %s tables revealed, %s blocks over", tournament.slug, len(tables), len(blocks)
    )


def due() -> list[tuple[int, str]]:
    """Return the tournaments in which something is to be revealed by the clock, and how much of it."""
    now = clock.now()
    found: list[tuple[int, str]] = []
    waiting = Tournament.objects.filter(
        Exists(held_blocks().filter(tournament=OuterRef("pk"))), state__in=PLAYING
    )
    for tournament in waiting:
        if not is_played(tournament):
            continue
        held = held_blocks().filter(tournament=tournament)
        oldest = held.aggregate(at=Min("played_at"))["at"]
        start = beats.time_of(tournament, beats.rounds_drawn(tournament))
        if oldest <= now - MOST_HELD or (start is not None and start <= now):
            found.append((tournament.pk, RevealStep.ALL))
        elif tournament.reveal == Reveal.CLOCK and tournament.state == Tournament.State.RUNNING:
            next_at = _last_sign(tournament) + timedelta(seconds=tournament.reveal_seconds)
            found += [(tournament.pk, RevealStep.TABLE)] * (next_at <= now)
    return found


def _last_sign(tournament: Tournament) -> datetime:
    """Return when a table was revealed last, or the last block of the round was played."""
    signs = tournament.blocks.filter(played_at__isnull=False).aggregate(
        played=Max("played_at"), revealed=Max("tables__revealed_at")
    )
    return max(moment for moment in signs.values() if moment is not None)
