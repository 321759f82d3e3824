"""The life of a tournament, as people lead it from draft to end. Each step is done wholly or not at all."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _
from stichkampf.engine.seeds import SEED_BYTES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.machines import failures
from stichkampf_platform.ladders.services import ladder_of
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments import formats, kept_progress
from stichkampf_platform.tournaments.entry import announcements, membership, series
from stichkampf_platform.tournaments.entry.absence import Absent, absences, leave_out_chosen, why_away
from stichkampf_platform.tournaments.entry.draft_checks import check_entrants, check_settings
from stichkampf_platform.tournaments.entry.entrants import add_entrants
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
from stichkampf_platform.tournaments.running import revealing, voiding
from stichkampf_platform.tournaments.scheduling import ladder_draws, plans
from stichkampf_platform.tournaments.tournament_locks import hold, hold_blocks
from stichkampf_platform.tournaments.troubles import WORKS

logger = logging.getLogger(__name__)


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
    become(
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


@transaction.atomic
def pause(*, tournament: Tournament) -> None:
    """Let no further block begin; tables under way are played to their end.

    :raises RequestRefused: it is not running.
    """
    become(_expect(tournament, Tournament.State.RUNNING, "pause"), Tournament.State.PAUSED)


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
    become(_expect(tournament, Tournament.State.PAUSED, "resume"), Tournament.State.RUNNING)


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
    become(tournament, Tournament.State.CANCELLED, finished_at=now)
    kept_progress.count_again(tournament.pk)


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


def become(tournament: Tournament, state: str, **more) -> None:
    Tournament.objects.filter(pk=tournament.pk).update(state=state, **more)
    logger.info("tournament %s is %s", tournament.slug, Tournament.State(state).label)
