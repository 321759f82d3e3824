"""The life of a tournament, from draft to end. Each service is done wholly or not at all."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from stichkampf.engine.seeds import SEED_BYTES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.database_turns import may_be_lost
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.ladders.services import ladder_of
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import Sentence, in_every_language
from stichkampf_platform.tournaments import formats, kept_progress
from stichkampf_platform.tournaments.entry import announcements, membership, series
from stichkampf_platform.tournaments.entry.absence import Absent, absences, gone, leave_out_chosen, why_away
from stichkampf_platform.tournaments.entry.draft_checks import check_entrants, check_settings
from stichkampf_platform.tournaments.entry.entrants import add_entrants, waits_for
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.models import (
    PLAYING,
    Block,
    Entrant,
    PlanToDraw,
    Table,
    Tournament,
    ended_with,
)
from stichkampf_platform.tournaments.organising import rulings
from stichkampf_platform.tournaments.queries import next_blocks, not_queued_lately
from stichkampf_platform.tournaments.running import revealing, voiding
from stichkampf_platform.tournaments.scheduling import beats, ladder_draws, plans, rounds
from stichkampf_platform.tournaments.tournament_locks import hold, hold_blocks
from stichkampf_platform.tournaments.troubles import ROUNDS, STARTS, WORKS

logger = logging.getLogger(__name__)

ABSENCE_WAIT = timedelta(minutes=5)
"""The longest time that a start is put off for bots that are away."""

MANY = 100
"""Entrants beyond which a round is worked out before its tournament is locked."""


@transaction.atomic
def create_tournament(
    *, name: str, game: str, seats: int, versions: Sequence[Version], blocks: int,
    options: dict | None = None, created_by: User | None = None, slug: str = "", **settings,
) -> Tournament:  # fmt: skip
    """Make a tournament that has not started.

    :param settings: further fields of `Tournament`, such as `move_seconds`.
    :raises ValidationError: with a message for every field that is wrong; nothing is made then.
    """
    tournament = Tournament(
        name=name, slug=slug or membership.slug_from(name), game=game, seats=seats, options=options or {},
        blocks_planned=blocks, created_by=created_by, **settings,
    )  # fmt: skip
    check_settings(tournament)
    check_entrants(tournament, versions, more_to_come=tournament.entry != WhoEnters.ORGANISER)
    tournament.full_clean()
    tournament.save()
    set_entrants(tournament=tournament, versions=versions)
    return tournament


@transaction.atomic
def set_entrants(*, tournament: Tournament, versions: Sequence[Version]) -> None:
    """Set the entrants, in the order given.

    :raises RequestRefused: the tournament has been started.
    """
    hold_draft(tournament)
    tournament.entrants.all().delete()
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions)
    )
    announcements.tell_chosen(tournament)


@transaction.atomic
def start(*, tournament: Tournament, without_absent: bool = False) -> None:
    """Draw up the schedule, or its first round, with a secret seed for every block, and let it run.

    Bots that were entered by their authors become entrants; who entered is told. If it repeats, the next one
    is made.

    :param without_absent: leave out who could not answer now.
    :raises RequestRefused: it has been started already.
    :raises Absent: bots are away, which is not to be started without.
    :raises ValidationError: its entrants cannot play it (any more).
    """
    draft = _expect(tournament, Tournament.State.DRAFT, "start")
    if draft.qualifier is not None and draft.qualifier.state in PLAYING:
        raise RequestRefused(
            _("{name} is being played again: who enters is known when its result stands.").format(
                name=draft.qualifier.name
            )
        )
    if without_absent:
        leave_out_chosen(draft)
    elif away := absences(draft):
        raise Absent(away)
    series.make_next(draft)
    add_entrants(draft, *[why_away] * without_absent)
    entrants = list(draft.entrants.select_related("version__bot__owner"))
    check_entrants(draft, [entrant.version for entrant in entrants])
    ladder = ladder_of(
        game=draft.game,
        seats=draft.seats,
        options=draft.options,
        private_to=draft.slug if draft.private else "",
        move_seconds=draft.move_seconds,
    )
    draft.ladder = tournament.ladder = ladder
    draft.released = tournament.released = draft.of_installation
    draft.lot_seed = secrets.token_bytes(SEED_BYTES)
    _plan(draft, entrants)
    _become(
        draft,
        Tournament.State.RUNNING,
        ladder=ladder,
        lot_seed=draft.lot_seed,
        released=draft.released,
        started_at=clock.now(),
        **ended_with(""),
    )
    announcements.tell_start(draft, entrants)


def _plan(tournament: Tournament, entrants: Sequence[Entrant]) -> None:
    if formats.is_endless(tournament.format):
        ladder_draws.top_up(tournament)
    else:
        plans.begin(tournament, entrants)


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
        start(tournament=tournament, without_absent=not patient)
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
        start(tournament=tournament, without_absent=without_absent)
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
        _become(draft, Tournament.State.CANCELLED, finished_at=now, result_told_at=now, **ended_with(reason))
    announcements.tell_no_start(draft, reason)


@transaction.atomic
def pause(*, tournament: Tournament) -> None:
    """Let no further block begin; tables under way are played to their end.

    :raises RequestRefused: it is not running.
    """
    _become(_expect(tournament, Tournament.State.RUNNING, "pause"), Tournament.State.PAUSED)


@transaction.atomic
def pause_for_trouble(*, tournament: Tournament) -> None:
    """Pause a tournament whose tables fail again and again; the reasons stand at its tables."""
    if Tournament.objects.filter(pk=tournament.pk, state=Tournament.State.RUNNING).exists():
        pause(tournament=tournament)


@transaction.atomic
def resume(*, tournament: Tournament) -> None:
    """Let a paused tournament go on; what failed in it is tried again at once.

    :raises RequestRefused: it is not paused.
    """
    for work in WORKS:
        failures.forget(work, tournament)
    _become(_expect(tournament, Tournament.State.PAUSED, "resume"), Tournament.State.RUNNING)


@transaction.atomic
def cancel(*, tournament: Tournament) -> None:
    """End a tournament for good; tables that are not over are void, whole blocks still count and are shown.

    :raises RequestRefused: it is over already.
    """
    alive = [Tournament.State.DRAFT, Tournament.State.RUNNING, Tournament.State.PAUSED]
    tournament = _expect(tournament, alive, "cancel")
    now = clock.now()
    # a worker that stores a result locks its block, so these tables do not change until this is done
    unfinished = tournament.blocks.filter(over_at=None)
    hold_blocks(unfinished)
    blocks = list(unfinished.values_list("pk", flat=True))  # without those that ended in the meantime
    revealing.show(tournament, revealing.held_tables(tournament))
    voiding.void(Table.objects.filter(block__in=blocks, state=Table.State.PENDING))
    Block.objects.filter(pk__in=blocks).update(over_at=now)
    PlanToDraw.objects.filter(pk=tournament.pk).delete()
    _become(tournament, Tournament.State.CANCELLED, finished_at=now)
    kept_progress.count_again(tournament.pk)


def advance_tournaments() -> int:
    """Plan the next round or end the tournament where all blocks are over; return how many ended."""
    playing = Tournament.objects.filter(~beats.waiting(), state__in=PLAYING)
    unfinished = Block.objects.filter(tournament=OuterRef("pk"), over_at=None)
    undrawn = PlanToDraw.objects.filter(pk=OuterRef("pk"))
    endless = Q(format__in=formats.ENDLESS_FORMATS, state=Tournament.State.RUNNING)
    waiting = playing.filter(endless | ~(Exists(unfinished) | Exists(undrawn))).values_list("pk", flat=True)
    return each_by_itself(ROUNDS, list(waiting), _advance, give_up=park_playing)


@transaction.atomic
def next_round(*, tournament: Tournament) -> None:
    """Start the round that waits, now.

    :raises RequestRefused: none waits.
    """
    now = hold(tournament)
    if now.state not in PLAYING or now.waiting_round is None:
        told = _("No round of {name} waits: one does when that before it is over and its results are shown.")
        raise RequestRefused(told.format(name=now.name))
    Tournament.objects.filter(pk=now.pk).update(next_round_at=clock.now())


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


def park_playing(tournament_id: int, _reason: str) -> None:
    """Pause a tournament that fails again and again, for its organiser to look."""
    pause_for_trouble(tournament=Tournament.objects.get(pk=tournament_id))


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
    _become(tournament, Tournament.State.FINISHED, finished_at=clock.now(), **proved)
    return True


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


def hold_draft(tournament: Tournament) -> Tournament:
    """Lock a draft, so that it does not start until the transaction ends; return it as it is now.

    :raises RequestRefused: it has been started.
    """
    return _expect(tournament, Tournament.State.DRAFT, "change")


def _expect(tournament: Tournament, states: str | list[str], action: str) -> Tournament:
    """Lock the tournament and return it as it is now; refuse it in other states than these, or deleted."""
    now = hold(tournament)
    if now.state not in ([states] if isinstance(states, str) else states):
        raise RequestRefused(
            _("{name} is {state}: it is not possible to {action} it.").format(
                name=now.name, state=now.get_state_display(), action=action
            )
        )
    return now


def _become(tournament: Tournament, state: str, **more) -> None:
    Tournament.objects.filter(pk=tournament.pk).update(state=state, **more)
    logger.info("tournament %s is %s", tournament.slug, Tournament.State(state).label)
