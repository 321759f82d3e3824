"""Tournaments that several people act on at once: locked while one acts, each address taken by one.

Two transactions that lock the same rows in opposite orders wait for each other, until the database ends one.
So a transaction locks or changes rows that others do, too, in `LOCK_ORDER`, and those of one table by their
primary key.

- Entrants, entries and memberships are changed by who holds their tournament.
- A worker that stores a result holds the block, then its tables, the versions that it suspends, the progress.
- A series is held by its first tournament, after the draft that starts.
- Versions and accounts are locked without their keys: who enters a version, or writes a notice, waits for
  nobody.
- Who takes several entrants out, or cancels, locks all their blocks first: no worker waits for that progress.
  What follows a cancelling in the same transaction, as at the end of a class, may lock versions.
"""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.models import Block, Tournament

LOCK_ORDER = (
    "classes.SchoolClass",
    "people.User",
    "tournaments.Tournament",
    "tournaments.Block",
    "tournaments.Table",
    "bots.Version",
    "bots.Submission",
    "bots.Bot",
    "tournaments.ProgressCounts",
)
"""The models whose rows are locked, the first first."""
TIME_TAKEN = gettext_lazy("Another tournament of this series starts at that time; choose another.")


def hold(tournament: Tournament) -> Tournament:
    """Lock a tournament until the transaction ends, and return it as it is now.

    :raises RequestRefused: it was deleted meanwhile.
    """
    now = Tournament.objects.select_for_update().filter(pk=tournament.pk).first()
    if now is None:
        raise RequestRefused(_("{name} does not exist any more.").format(name=tournament.name))
    return now


def hold_blocks(blocks: QuerySet[Block]) -> list[int]:
    """Lock blocks until the transaction ends, in the order of their keys, and return these.

    What they were chosen by may have changed while it waited for a lock.
    """
    # found in a subquery: rows that are joined would be locked, too
    found = Block.objects.select_for_update().filter(pk__in=blocks.order_by().values("pk"))
    return list(found.order_by("pk").values_list("pk", flat=True))


def saved_unless_taken(tournament: Tournament) -> bool:
    """Save a tournament unless another has its slug, perhaps since a moment ago; tell whether it is saved.

    :raises RequestRefused: another of its series starts at its time.
    """
    others = Tournament.objects.exclude(pk=tournament.pk).filter(slug=tournament.slug)
    if others.exists():
        return False
    if time_is_taken(tournament):
        raise RequestRefused(TIME_TAKEN)
    try:
        with transaction.atomic():
            tournament.save()
    except IntegrityError:
        if time_is_taken(tournament):
            raise RequestRefused(TIME_TAKEN) from None
        if not others.exists():
            raise
        return False
    return True


def time_is_taken(tournament: Tournament) -> bool:
    """Tell whether another tournament of its series starts at its time."""
    if tournament.series_id is None or tournament.starts_at is None:
        return False
    series = Tournament.objects.exclude(pk=tournament.pk).filter(series=tournament.series_id)
    return series.filter(starts_at=tournament.starts_at).exists()
