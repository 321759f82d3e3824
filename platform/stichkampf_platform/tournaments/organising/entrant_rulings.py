"""Rulings on an entrant, by which it is out. Call these with its tournament locked."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import parts_of
from stichkampf_platform.tournaments import formats, kept_progress
from stichkampf_platform.tournaments.models import PLAYING, STILL_TO_PLAY, Block, Entrant, Table, Tournament
from stichkampf_platform.tournaments.running import revealing, voiding
from stichkampf_platform.tournaments.scheduling import beats, rounds
from stichkampf_platform.tournaments.tournament_locks import hold_blocks


def check(tournament: Tournament, entrant: Entrant) -> None:
    """Check that an entrant still plays.

    :raises RequestRefused: it is out already, or the tournament has not started or is over.
    """
    if tournament.state not in PLAYING:
        raise RequestRefused(
            _("{tournament} is {state}: only an entrant that is still playing can be taken out.").format(
                tournament=tournament, state=tournament.get_state_display()
            )
        )
    if entrant.out_at is not None:
        raise RequestRefused(
            _("{entrant} is already {out}.").format(entrant=entrant, out=entrant.get_out_as_display())
        )


def disqualify(tournament: Tournament, entrant: Entrant, reason: str) -> None:
    """Take an entrant out; all its unfinished blocks are void."""
    _take_out(tournament, entrant, Entrant.OutAs.DISQUALIFIED, reason, unfinished_of(tournament, entrant))


def set_aside(tournament: Tournament, entrant: Entrant, reason: str) -> None:
    """Take an entrant out that has no fault; all its unfinished blocks are void."""
    _take_out(tournament, entrant, Entrant.OutAs.SET_ASIDE, reason, unfinished_of(tournament, entrant))


def withdraw(tournament: Tournament, entrant: Entrant, reason: str) -> None:
    """Take an entrant out at its author's wish.

    It plays what was drawn of its round, or elsewhere what has begun, to the end: a person who
    knows the hands must not be able to undo a block by leaving.
    """
    _take_out(tournament, entrant, Entrant.OutAs.WITHDRAWN, reason, _not_to_be_played(tournament, entrant))


def leave_out(tournament: Tournament, entrant: Entrant, reason: str) -> None:
    """Take an entrant out that is away; the substitute plays for it what it would have played to the end."""
    _take_out(tournament, entrant, Entrant.OutAs.AWAY, reason, _not_to_be_played(tournament, entrant))


def _not_to_be_played(tournament, entrant):  # type: ignore[no-untyped-def]
    """Return the blocks of one that leaves which are not played any more."""
    format = formats.FORMATS.get(tournament.format)
    if format is not None and format.shows_rounds:
        return tournament.blocks.none()
    begun = Table.objects.filter(block=OuterRef("pk"), attempts__gt=0)
    return unfinished_of(tournament, entrant).filter(~Exists(begun))


def unfinished_of(tournament, entrant):  # type: ignore[no-untyped-def]
    """Return the blocks of an entrant that are still to be played."""
    return tournament.blocks.filter(STILL_TO_PLAY, participations__entrant=entrant)


def _take_out(tournament, entrant, out_as, reason, blocks) -> None:  # type: ignore[no-untyped-def]
    now = clock.now()
    Entrant.objects.filter(pk=entrant.pk).update(
        out_at=now, out_as=out_as, out_for=str(reason), out_for_parts=parts_of(reason)
    )
    # a worker that stores a result locks its block, so these tables do not change until this is done
    keys = hold_blocks(blocks)
    unfinished = Block.objects.filter(STILL_TO_PLAY, pk__in=keys)
    ended = list(unfinished.values_list("pk", flat=True))
    voiding.void(Table.objects.filter(block__in=ended, state=Table.State.PENDING))
    revealing.end_blocks(tournament, ended)
    beats.ask_again(tournament)
    if not formats.is_endless(tournament.format):
        rounds.rank_again(tournament)
    kept_progress.count_again(tournament.pk)
