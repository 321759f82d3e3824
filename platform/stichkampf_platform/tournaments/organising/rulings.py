"""Rulings of an organiser on a running or finished tournament: play again, disqualify, show, clone."""

from __future__ import annotations

import logging
from itertools import count

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments import formats, kept_progress
from stichkampf_platform.tournaments.entry.membership import new_code, secret_slug
from stichkampf_platform.tournaments.models import Block, Entrant, Membership, Table, Tournament, ended_with
from stichkampf_platform.tournaments.running import voiding
from stichkampf_platform.tournaments.scheduling import rounds
from stichkampf_platform.tournaments.tournament_locks import hold, saved_unless_taken

logger = logging.getLogger(__name__)

STARTED = (Tournament.State.RUNNING, Tournament.State.PAUSED, Tournament.State.FINISHED)


@transaction.atomic
def run_again(*, block: Block) -> Block:
    """Make a block void and plan another in its place: the same seatings, other cards.

    The cards of the old block have been seen, or may have been, so they are never dealt again. Its results
    stay in the database, and count no more.

    :raises Refused: that has been done already, or the next round has been drawn from its result.
    """
    tournament = Tournament.objects.select_for_update().get(pk=block.tournament_id)
    block = Block.objects.select_for_update().get(pk=block.pk)
    if block.replaced_by_id is not None:
        raise Refused(
            _("{block} is already played again as block {number}.").format(
                block=block, number=block.replaced_by.number + 1
            )
        )
    if tournament.state not in STARTED:
        raise Refused(
            _("{tournament} is {state}: none of its blocks can be played again.").format(
                tournament=tournament, state=tournament.get_state_display()
            )
        )
    if tournament.blocks.filter(round__gt=block.round).exists():
        raise Refused(
            _(
                "The next round has been drawn from the result of {block}; it can no longer be changed."
            ).format(block=block)
        )
    seatings = [
        [seat.entrant for seat in table.seats.select_related("entrant__version")]
        for table in block.tables.order_by("lane")
    ]
    out = {entrant for seating in seatings for entrant in seating if entrant.disqualified_at}
    if out:
        raise Refused(
            _("{names} is disqualified; {block} cannot be played again.").format(
                names=", ".join(map(str, out)), block=block
            )
        )
    again = rounds.add_block(tournament, rounds.next_number(tournament), block.round, seatings)
    voiding.void(Table.objects.filter(block=block))
    Block.objects.filter(pk=block.pk).update(replaced_by=again, over_at=block.over_at or clock.now())
    if tournament.state == Tournament.State.FINISHED:
        Tournament.objects.filter(pk=tournament.pk).update(
            state=Tournament.State.RUNNING, finished_at=None, highlights=None, **ended_with("")
        )
        rounds.rank_again(tournament)
    kept_progress.count_again(tournament.pk)
    logger.info("%s is void; %s is played in its place", block, again)
    return again


def times_run_again(block: Block) -> int:
    """Count the blocks, one after the other, that were made void before this one replaced them."""
    times = 0
    while (before := Block.objects.filter(replaced_by=block).first()) is not None:
        block, times = before, times + 1
    return times


@transaction.atomic
def disqualify(*, entrant: Entrant, reason: str) -> None:
    """Take an entrant out: its unfinished blocks are void, those that are over still count.

    :raises Refused: no reason is given, it is out already, or the tournament has not started or is over.
    """
    _take_out(entrant, reason)


@transaction.atomic
def set_aside(*, entrant: Entrant, reason: str) -> None:
    """Take an entrant out that has no fault, as by `disqualify`: this node cannot play it.

    :raises Refused: as `disqualify`.
    """
    _take_out(entrant, reason)
    Entrant.objects.filter(pk=entrant.pk).update(set_aside=True)


def _take_out(entrant: Entrant, reason: str) -> None:
    tournament = Tournament.objects.select_for_update().get(pk=entrant.tournament_id)
    if not reason.strip():
        raise Refused(_("Give the reason why {entrant} is disqualified.").format(entrant=entrant))
    if tournament.state not in (Tournament.State.RUNNING, Tournament.State.PAUSED):
        raise Refused(
            _("{tournament} is {state}: only entrants that are still playing can be disqualified.").format(
                tournament=tournament, state=tournament.get_state_display()
            )
        )
    now = clock.now()
    if not Entrant.objects.filter(pk=entrant.pk, disqualified_at=None).update(
        disqualified_at=now, disqualified_for=reason.strip()[:300]
    ):
        raise Refused(_("{entrant} is already disqualified.").format(entrant=entrant))
    mine = tournament.blocks.filter(over_at=None, tables__seats__entrant=entrant)
    # a worker that stores a result locks its block, so these tables do not change until this is done
    blocks = list(
        Block.objects.select_for_update().filter(pk__in=mine.values("pk")).values_list("pk", flat=True)
    )
    unfinished = Block.objects.filter(pk__in=blocks, over_at=None)
    voiding.void(Table.objects.filter(block__in=unfinished, state=Table.State.PENDING))
    unfinished.update(over_at=now)
    if not formats.is_endless(tournament.format):
        rounds.rank_again(tournament)
    kept_progress.count_again(tournament.pk)
    logger.info("%s is disqualified in %s", entrant, tournament.slug)


@transaction.atomic
def publish(*, tournament: Tournament) -> None:
    """Show a tournament on the site.

    :raises Refused: it is shown already.
    """
    _show(tournament, True)


@transaction.atomic
def hide(*, tournament: Tournament) -> None:
    """Take a tournament off the site. Its results still count in the ladders.

    :raises Refused: it is hidden already.
    """
    _show(tournament, False)


@transaction.atomic
def clone(*, tournament: Tournament, by: User) -> Tournament:
    """Make a draft with the same settings, entrants and invitations.

    :raises Refused: it was deleted meanwhile.
    """
    copy = hold(tournament)  # while it starts, entries become entrants
    entrants = list(copy.entrants.all())
    copy.pk = None
    copy._state.adding = True
    copy.created_by = by
    copy.ladder, copy.lot_seed, copy.released = None, None, False
    copy.state, copy.outcome, copy.outcome_parts = Tournament.State.DRAFT, "", None
    copy.rounds_over, copy.highlights = 0, None
    copy.starts_at = copy.started_at = copy.finished_at = copy.entry_until = copy.result_told_at = None
    copy.repeats, copy.series, copy.qualifier = "", None, None
    copy.code = new_code() if tournament.code else ""
    _save_numbered(copy, tournament.name)
    Membership.objects.bulk_create(
        Membership(tournament=copy, person_id=member.person_id)
        for member in tournament.members.filter(by_code=False)
    )
    Entrant.objects.bulk_create(
        Entrant(tournament=copy, version_id=entrant.version_id, number=entrant.number) for entrant in entrants
    )
    return copy


def _save_numbered(copy: Tournament, name: str) -> None:
    """Save a copy under this name with the first number behind it that no other has."""
    for number in count(2):
        tail = f" ({number})"
        copy.name = name[: 100 - len(tail)] + tail
        copy.slug = f"{slugify(name)[:50].strip('-')}-{number}"
        if copy.private:
            copy.slug = secret_slug(copy.slug)
        if saved_unless_taken(copy):
            return


def _show(tournament: Tournament, published: bool) -> None:
    changed = Tournament.objects.filter(pk=tournament.pk, published=not published)
    if not changed.update(published=published):
        shown, hidden = _("{tournament} is shown already."), _("{tournament} is hidden already.")
        raise Refused((shown if published else hidden).format(tournament=tournament))
