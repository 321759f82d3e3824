"""Steps of tournaments that fall due by themselves: starts, results, rounds, ends and what is queued."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.machines.database_turns import may_be_lost
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people.sentences import Sentence, in_every_language
from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.entry import announcements, series
from stichkampf_platform.tournaments.entry.absence import Absent, gone
from stichkampf_platform.tournaments.entry.entrants import waits_for
from stichkampf_platform.tournaments.models import (
    PLAYING,
    Block,
    Entrant,
    PlanToDraw,
    Tournament,
    ended_with,
)
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.queries import next_blocks, not_queued_lately
from stichkampf_platform.tournaments.running import revealing
from stichkampf_platform.tournaments.scheduling import beats, ladder_draws, plans, rounds
from stichkampf_platform.tournaments.troubles import ROUNDS, STARTS

logger = logging.getLogger(__name__)

ABSENCE_WAIT = timedelta(minutes=5)
"""The longest time that a start is put off for bots that are away."""

MANY = 100
"""Entrants beyond which a round is worked out before its tournament is locked."""


def start_due() -> int:
    """Start the drafts whose start has come; return how many. One that cannot start notes the reason.

    A start waits for validations of entered bots, and for bots that are away, for a while; then it leaves
    these out.
    """
    due = Tournament.objects.filter(state=Tournament.State.DRAFT, starts_at__lte=clock.now())
    return each_by_itself(STARTS, due, _start_if_ready, give_up=_park_draft)


def _start_if_ready(tournament: Tournament) -> bool:
    if waits_for(tournament):
        return False
    patient = tournament.starts_at is not None and clock.now() < tournament.starts_at + ABSENCE_WAIT
    try:
        lifecycle.start(tournament=tournament, without_absent=not patient)
    except Absent as error:
        logger.info("%s waits: %s", tournament.slug, error)
        return False
    except RequestRefused:  # somebody was quicker
        return False
    except ValidationError:
        problems = in_every_language(partial(_told_why_not, tournament, not patient))
        _give_up(tournament, Sentence("Not started: {problems}", problems=problems))
        return False
    return True


@transaction.atomic
def _park_draft(tournament: Tournament, reason: str) -> None:
    """Leave a draft to its organiser whose start fails for an unforeseen reason."""
    told = Sentence("Not started: {problems}", problems=reason)
    mine = Tournament.objects.filter(pk=tournament.pk, state=Tournament.State.DRAFT)
    if mine.update(starts_at=None, **ended_with(told)):
        announcements.tell_no_start(tournament, told)


def _told_why_not(tournament: Tournament, without_absent: bool) -> str:
    """Tell in the present language why a tournament cannot start, by trying it once more."""
    try:
        lifecycle.start(tournament=tournament, without_absent=without_absent)
    except ValidationError as error:
        return " ".join(error.messages)
    except RequestRefused as error:
        return str(error)
    return ""


@transaction.atomic
def _give_up(tournament: Tournament, reason: str) -> None:
    """Note why a start has failed. It waits for its organiser; of a series the next one follows."""
    draft = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if draft.state != Tournament.State.DRAFT or draft.starts_at is None:
        return
    logger.warning("tournament %s: %s", draft.slug, reason)
    if series.make_next(draft) is None:
        Tournament.objects.filter(pk=draft.pk).update(starts_at=None, **ended_with(reason))
    else:
        now = clock.now()
        lifecycle.become(
            draft, Tournament.State.CANCELLED, finished_at=now, result_told_at=now, **ended_with(reason)
        )
    announcements.tell_no_start(draft, reason)


def reveal_due() -> None:
    """Reveal the results whose time has come."""
    steps = dict(revealing.due())
    each_by_itself(ROUNDS, list(steps), lambda key: _reveal(key, steps[key]), give_up=park_playing)


def _reveal(tournament_id: int, step: str) -> bool:
    try:
        revealing.reveal(tournament=Tournament.objects.get(pk=tournament_id), step=step)
    except RequestRefused:  # somebody was quicker
        return False
    return True


def draw_plan(tournament_id: int) -> None:
    """Draw the blocks of a plan, portion by portion, unless another worker does."""
    if not plans.hold(tournament_id):
        return
    more = True
    while more:
        more = bool(each_by_itself(ROUNDS, [tournament_id], plans.draw_on, give_up=park_playing))


def advance_tournaments() -> int:
    """Plan the next round or end the tournament where all blocks are over; return how many ended."""
    playing = Tournament.objects.filter(~beats.waiting(), state__in=PLAYING)
    unfinished = Block.objects.filter(tournament=OuterRef("pk"), over_at=None)
    undrawn = PlanToDraw.objects.filter(pk=OuterRef("pk"))
    endless = Q(format__in=formats.ENDLESS_FORMATS, state=Tournament.State.RUNNING)
    waiting = playing.filter(endless | ~(Exists(unfinished) | Exists(undrawn))).values_list("pk", flat=True)
    return each_by_itself(ROUNDS, list(waiting), _advance, give_up=park_playing)


def _advance(tournament_id: int) -> bool:
    """Plan the next round, or end the tournament: true. Nothing if another worker has done so meanwhile.

    With many entrants that takes a while, so it is worked out before anything is locked.
    """
    tournament = Tournament.objects.get(pk=tournament_id)
    expected = None
    if not formats.is_endless(tournament.format) and tournament.entrants.count() > MANY:
        expected = rounds.work_out(tournament)
    return _advance_as(tournament_id, expected)


@transaction.atomic
def _advance_as(tournament_id: int, expected: rounds.NextRound | None) -> bool:
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    if (
        tournament.state not in PLAYING
        or Tournament.objects.filter(beats.waiting(), pk=tournament_id).exists()
    ):
        return False
    if formats.is_endless(tournament.format):
        ladder_draws.top_up(tournament)
        return False
    if plans.being_drawn(tournament) or tournament.blocks.filter(over_at=None).exists():
        return False
    away = list(gone(tournament))
    if away and rounds.goes_on(tournament):
        _leave_out(away)
    if plans.draw_next(tournament, expected):
        return False
    proved = ended_with(rounds.outcome(tournament))
    lifecycle.become(tournament, Tournament.State.FINISHED, finished_at=clock.now(), **proved)
    return True


def park_playing(tournament_id: int, _reason: str) -> None:
    """Pause a tournament that fails again and again, for its organiser to look."""
    lifecycle.pause_for_trouble(tournament=Tournament.objects.get(pk=tournament_id))


@transaction.atomic
def leave_out_absent(*, block_id: int) -> None:
    """Leave out who forfeited every table of a block and could not answer now; in rounds before the next."""
    over = Block.objects.filter(pk=block_id, over_at__isnull=False, tournament__state__in=PLAYING)
    block = over.filter(tournament__experiment=False).select_related("tournament").first()
    format = formats.FORMATS.get(block.tournament.format) if block else None
    if block and format and not (format.shows_rounds or format.endless):
        _leave_out(list(gone(block.tournament, block)))


def _leave_out(away: Iterable[tuple[Entrant, str]]) -> None:
    for entrant, reason in away:
        try:
            rulings.leave_out(entrant=entrant, reason=reason)
        except RequestRefused as error:
            logger.info("%s", error)  # an organiser was quicker


def mark_enqueued(*, how_many: int, experiments: bool = False) -> list[Block]:
    """Mark the next blocks as queued, so that no other worker queues them for a while; return them."""
    turn = next_blocks(how_many, experiments=experiments)
    if not turn:
        return []
    with may_be_lost():
        due = Block.objects.filter(not_queued_lately(), pk__in=[block.pk for block in turn])
        # what another transaction holds is left to the next call: to wait for it could be a deadlock
        marked = set(due.select_for_update(skip_locked=True).values_list("pk", flat=True))
        Block.objects.filter(pk__in=marked).update(hinted_at=clock.now())
    return [block for block in turn if block.pk in marked]
