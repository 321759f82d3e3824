"""Rulings on a block: it is void, and perhaps played again with other cards.

Call these with its tournament locked.
"""

from __future__ import annotations

import logging

from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments import formats, kept_progress, troubles
from stichkampf_platform.tournaments.models import (
    Block,
    Entrant,
    Participation,
    Table,
    Tournament,
    ended_with,
)
from stichkampf_platform.tournaments.running import voiding
from stichkampf_platform.tournaments.scheduling import beats, rounds

logger = logging.getLogger(__name__)

STARTED = (Tournament.State.RUNNING, Tournament.State.PAUSED, Tournament.State.FINISHED)


def check_again(tournament: Tournament, block: Block) -> None:
    """Check that a block can be played again.

    :raises RequestRefused: that has been done already, or the next round has been drawn from its result.
    """
    _check(tournament, block)
    out = {entrant for entrant in _entrants(block) if entrant.out_at}
    if out:
        raise RequestRefused(
            _("{names} plays no more; {block} cannot be played again.").format(
                names=", ".join(map(str, out)), block=block
            )
        )


def play_again(tournament: Tournament, block: Block, reason: str) -> Block:
    """Make a block void and plan another in its place; return that."""
    seatings = [
        [seat.entrant for seat in table.seats.select_related("entrant__version")]
        for table in block.tables.order_by("lane")
    ]
    again = rounds.add_block(tournament, rounds.next_number(tournament), block.round, seatings)
    _void(tournament, block, replaced_by=again)
    logger.info("%s is void; %s is played in its place", block, again)
    return again


def check_void(tournament: Tournament, block: Block) -> None:
    """Check that a block can be void without another in its place.

    :raises RequestRefused: it is void, the next round has been drawn from it, or its group has no other.
    """
    _check(tournament, block)
    if not block.tables.exclude(state=Table.State.VOID).exists():
        raise RequestRefused(_("{block} is void already.").format(block=block))
    format = formats.FORMATS.get(tournament.format)
    if format is None or not format.shows_rounds:
        return
    group = {entrant.pk for entrant in _entrants(block)}
    others = tournament.blocks.filter(round=block.round, replaced_by=None).exclude(pk=block.pk)
    standing = others.exclude(tables__state=Table.State.VOID).values_list("pk", flat=True)
    seated = Participation.objects.filter(block__in=standing).values_list("block", "entrant")
    groups: dict[int, set[int]] = {}
    for other, entrant in seated:
        groups.setdefault(other, set()).add(entrant)
    if group not in groups.values():
        told = _(
            "{block} is the only one of its group in this round; play it again in place of making it void."
        )
        raise RequestRefused(told.format(block=block))


def make_void(tournament: Tournament, block: Block, reason: str) -> None:
    """Make a block void: its results stay in the database, and count no more."""
    _void(tournament, block)


def _check(tournament: Tournament, block: Block) -> None:
    if block.replaced_by_id is not None:
        raise RequestRefused(
            _("{block} is already played again as block {number}.").format(
                block=block, number=block.replaced_by.number + 1
            )
        )
    if tournament.state not in STARTED:
        raise RequestRefused(
            _("{tournament} is {state}: none of its blocks can be played again.").format(
                tournament=tournament, state=tournament.get_state_display()
            )
        )
    if tournament.blocks.filter(round__gt=block.round).exists():
        raise RequestRefused(
            _(
                "The next round has been drawn from the result of {block}; it can no longer be changed."
            ).format(block=block)
        )


def _void(tournament: Tournament, block: Block, **more: Block) -> None:
    voiding.void(Table.objects.filter(block=block))
    Block.objects.filter(pk=block.pk).update(over_at=block.over_at or clock.now(), **more)
    if tournament.state == Tournament.State.FINISHED:
        Tournament.objects.filter(pk=tournament.pk).update(
            state=Tournament.State.RUNNING,
            finished_at=None,
            highlights=None,
            result_told_at=None,
            **ended_with(""),
        )
        rounds.rank_again(tournament)
    beats.ask_again(tournament)
    kept_progress.count_again(tournament.pk)


def _entrants(block: Block) -> list[Entrant]:
    seated = Entrant.objects.filter(participations__block=block)
    return list(seated.select_related("version__bot__owner").order_by("number"))


def times_run_again(block: Block) -> int:
    """Count the blocks, one after the other, that were made void before this one replaced them.

    Those that an arbiter lost are left out.
    """
    times = 0
    while (before := Block.objects.filter(replaced_by=block).first()) is not None:
        block, times = before, times + int(not before.tables.filter(trouble=troubles.LOST).exists())
    return times
