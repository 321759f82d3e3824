"""Tournaments that repeat: when one starts, or cannot, the next is made and opens for entries at once."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from itertools import count

from django.db import transaction
from django.db.models import Q

from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.entry.local_times import in_zone, moved, times_after
from stichkampf_platform.tournaments.entry.membership import SLUG_LENGTH, secret_slug, slug_from
from stichkampf_platform.tournaments.entry_models import Repeats
from stichkampf_platform.tournaments.models import CoOrganiser, Entrant, Membership, Tournament
from stichkampf_platform.tournaments.tournament_locks import saved_unless_taken

logger = logging.getLogger(__name__)

PERIODS = {
    Repeats.DAILY: timedelta(days=1),
    Repeats.WEEKLY: timedelta(weeks=1),
    Repeats.FORTNIGHTLY: timedelta(weeks=2),
}


@transaction.atomic
def make_next(tournament: Tournament) -> Tournament | None:
    """Make the draft after a tournament that starts now; `None` where it does not repeat.

    It has the same settings, organisers, members and code, and the entrants that were chosen, so call it
    before entries become entrants, with the tournament locked.
    """
    period = PERIODS.get(Repeats(tournament.repeats))
    if period is None or tournament.starts_at is None:
        return None
    first = tournament.series or tournament
    starts_at = _free_time(first, tournament.starts_at, period)
    draft = Tournament.objects.get(pk=tournament.pk)
    draft.pk = None
    draft._state.adding = True
    draft.series = first
    draft.name = f"{first.name[:88]} {in_zone(starts_at, first.time_zone):%Y-%m-%d}"
    draft.starts_at = starts_at
    if draft.entry_until is not None:
        draft.entry_until = moved(draft.entry_until, tournament.starts_at, starts_at, first.time_zone)
    draft.ladder, draft.released, draft.rounds_over, draft.qualifier = None, False, 0, None
    draft.outcome, draft.outcome_parts = "", None
    _save_dated(draft, first, starts_at)
    Membership.objects.bulk_create(
        Membership(tournament=draft, person_id=member.person_id, by_code=member.by_code)
        for member in tournament.members.all()
    )
    CoOrganiser.objects.bulk_create(
        CoOrganiser(tournament=draft, person_id=each.person_id) for each in tournament.co_organisers.all()
    )
    Entrant.objects.bulk_create(
        Entrant(tournament=draft, version_id=entrant.version_id, number=entrant.number)
        for entrant in tournament.entrants.all()
    )
    logger.info("%s follows %s and starts %s", draft.slug, tournament.slug, starts_at)
    return draft


def _save_dated(draft: Tournament, first: Tournament, starts_at: datetime) -> None:
    """Save a draft under the slug of the first of its series with a date, and a number if that is taken."""
    date = f"{in_zone(starts_at, first.time_zone):%Y-%m-%d}"
    for number in count(1):
        tail = date if number == 1 else f"{date}-{number}"
        draft.slug = f"{first.slug[: SLUG_LENGTH - 1 - len(tail)].strip('-')}-{tail}"
        if draft.private:
            draft.slug = secret_slug(f"{slug_from(first.name, 38)}-{date}")
        if saved_unless_taken(draft):
            return


def _free_time(first: Tournament, before: datetime, period: timedelta) -> datetime:
    """Return the first time after now that is whole periods after another, and that the series has not taken.

    The first of the series is locked until the transaction ends: another that is made meanwhile waits. The
    others are not, since each that starts holds itself already.
    """
    list(Tournament.objects.select_for_update().filter(pk=first.pk).values_list("pk"))
    of_series = Tournament.objects.filter(Q(series=first) | Q(pk=first.pk))
    taken = set(of_series.values_list("starts_at", flat=True))
    times = times_after(before, period, first.time_zone, first.starts_at)
    return next(time for time in times if time > clock.now() and time not in taken)
