"""Plans of rounds: a worker draws what is large, in portions, and goes on wherever another has stopped.

A plan that does not fit into one portion is kept in a row, with the number of its blocks that are there. Each
portion and that number are one transaction, so every block is drawn once, whatever ends in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q

from stichkampf_platform.core import clock
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.formats import round_format
from stichkampf_platform.tournaments.formats.competition import Past, Seating
from stichkampf_platform.tournaments.models import Block, Entrant, PlanToDraw, Table, Tournament
from stichkampf_platform.tournaments.running import voiding
from stichkampf_platform.tournaments.running.revealing import end_blocks
from stichkampf_platform.tournaments.scheduling import beats, rounds

TABLES_AT_ONCE = 1000
"""Tables of a portion. As many are drawn at once at a start; what is larger is left to a worker."""
HOLD = timedelta(minutes=3)
"""The time in which a worker has drawn a portion, and before that the plan itself; else another goes on."""


def begin(tournament: Tournament, entrants: Sequence[Entrant]) -> None:
    """Draw the first round of a tournament that starts, or leave it to a worker if it is large.

    :param entrants: all, by number.
    """
    asked = rounds.asked_of(tournament, entrants)
    if round_format(tournament.format).tables_at_most(asked) > TABLES_AT_ONCE:
        PlanToDraw.objects.create(tournament=tournament)
        kept_progress.count_again(tournament.pk)
    else:
        draw_next(tournament)


def draw_next(tournament: Tournament, expected: rounds.NextRound | None = None) -> bool:
    """Draw the next round, or its first portion, unless it waits; return false if there is none.

    Call it with the tournament locked, after all blocks so far.

    :param expected: as `rounds.next_plan` takes it.
    """
    round, plan = rounds.next_plan(tournament, expected)
    if plan and beats.waits(tournament, round):
        return True
    if plan:
        _draw_portion(PlanToDraw(tournament=tournament, round=round, plan=plan))
    return bool(plan)


def being_drawn(tournament: Tournament) -> bool:
    """Tell whether blocks of the present round are still to be drawn."""
    return PlanToDraw.objects.filter(pk=tournament.pk).exists()


def due() -> list[int]:
    """Return the tournaments whose plans wait for a worker; none while one is at work, as there are few."""
    held = PlanToDraw.objects.filter(held_until__gte=clock.now())
    return [] if held.exists() else list(PlanToDraw.objects.order_by("pk").values_list("pk", flat=True))


def hold(tournament_id: int) -> bool:
    """Take a plan for this worker, for a while; return false if another has it, or it is drawn."""
    free = PlanToDraw.objects.filter(Q(held_until=None) | Q(held_until__lt=clock.now()), pk=tournament_id)
    return bool(free.update(held_until=clock.now() + HOLD))


def draw_on(tournament_id: int) -> bool:
    """Draw one more portion; return whether there is another.

    The first plan is made before anything is locked: that of many entrants takes a while.
    """
    kept = PlanToDraw.objects.select_related("tournament").filter(pk=tournament_id).first()
    if kept is None:
        return False
    if kept.plan is None:
        asked = _asked(kept.tournament)
        plan = round_format(kept.tournament.format).next_round(asked, Past())
    with transaction.atomic():
        tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
        kept = PlanToDraw.objects.filter(pk=tournament_id).first()
        if kept is None:  # cancelled, or drawn by another worker
            return False
        kept.tournament = tournament
        if kept.plan is None:
            if asked != _asked(tournament):  # somebody has left since
                return True
            kept.plan = plan
        return _draw_portion(kept)


def _asked(tournament: Tournament):  # type: ignore[no-untyped-def]
    return rounds.asked_of(tournament, list(tournament.entrants.select_related("version__bot__owner")))


def _draw_portion(kept: PlanToDraw) -> bool:
    """Add the next blocks of a plan, and keep the rest of it if there is one."""
    tournament, tables = kept.tournament, 0
    portion: list[list[Seating]] = []
    for seatings in kept.plan[kept.drawn :]:
        tables += len(seatings)
        if portion and tables > TABLES_AT_ONCE:
            break
        portion.append(seatings)
    _add(tournament, kept.round, portion)
    kept.drawn += len(portion)
    if kept.drawn < len(kept.plan):
        kept.held_until = clock.now() + HOLD if kept.held_until else None
        kept.save()
        return True
    if not kept._state.adding:
        kept.delete()
    return False


def _add(tournament: Tournament, round: int, portion: Sequence[list[Seating]]) -> None:
    entrants = {
        entrant.number: entrant for entrant in tournament.entrants.select_related("version__bot__owner")
    }
    planned = (
        rounds.PlannedBlock(number, round, [[entrants[who] for who in seating] for seating in seatings])
        for number, seatings in enumerate(portion, start=rounds.next_number(tournament))
    )
    added = rounds.add_blocks(tournament, planned)
    if gone := [entrant for entrant in entrants.values() if entrant.out_at]:
        _void_of(tournament, added, gone)


def _void_of(tournament: Tournament, added: Sequence[Block], gone: Sequence[Entrant]) -> None:
    """Make blocks void whose entrants left after the plan was made, as those are that had been drawn."""
    if round_format(tournament.format).shows_rounds:  # who withdraws plays what was drawn to the end
        gone = [entrant for entrant in gone if entrant.out_as != Entrant.OutAs.WITHDRAWN]
    blocks = Block.objects.filter(pk__in=[block.pk for block in added], participations__entrant__in=gone)
    keys = set(blocks.values_list("pk", flat=True))
    if keys:
        voiding.void(Table.objects.filter(block__in=keys))
        end_blocks(tournament, keys)
        kept_progress.count_again(tournament.pk)
