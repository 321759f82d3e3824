"""Work that was asked for and waits for a worker: taken by one at a time, given up after some attempts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import F, QuerySet
from stichkampf.errors import StichkampfError

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RecordAway
from stichkampf_platform.core.machines import lease_times
from stichkampf_platform.core.machines.outages import once_back, outage
from stichkampf_platform.core.queue import REQUEUE_SECONDS
from stichkampf_platform.marks.models import RequestedWork
from stichkampf_platform.tournaments.records import record_files

Work = TypeVar("Work", bound=RequestedWork)
Found = TypeVar("Found")
MOST_ATTEMPTS = 2
LEASE_SECONDS = 960
"""Longer than the limit of the task: nothing renews this lease."""

logger = logging.getLogger(__name__)


def waits_from_now(by: object = None) -> dict[str, object]:
    """Return the fields of work that waits from now on.

    :param by: the person who asked for it.
    """
    return {
        "state": RequestedWork.State.WAITING,
        "requested_by": by,
        "requested_at": clock.now(),
        "attempts": 0,
        "lease_until": None,
        "hinted_at": None,
    }


def due(waiting: QuerySet[Work], how_many: int) -> list[Work]:
    """Return the next work that no worker does and none was told of just now."""
    now = clock.now()
    lately = now - timedelta(seconds=REQUEUE_SECONDS)
    return list(waiting.filter(lease_times.free()).exclude(hinted_at__gte=lately)[:how_many])


def mark_hinted(work: Sequence[RequestedWork]) -> None:
    """Note that workers are told of these."""
    for each in work:
        type(each)._default_manager.filter(pk=each.pk).update(hinted_at=clock.now())


def take(model: type[Work], pk: int) -> Work | None:
    """Take work that waits; None if it does not wait, or a worker has it."""
    now = clock.now()
    free = model._default_manager.filter(lease_times.free(), pk=pk)
    taken = free.filter(state=model.State.WAITING, attempts__lt=MOST_ATTEMPTS).update(
        lease_until=now + timedelta(seconds=LEASE_SECONDS), attempts=F("attempts") + 1
    )
    return model._default_manager.get(pk=pk) if taken else None


def worked_out(work: RequestedWork, from_record: Callable[[dict[str, Any]], Found]) -> Found | None:
    """Return what the record of the match gives; None where the work is put off, or has failed."""
    try:
        return from_record(record_files.record(work.table_id, work.requested_by))
    except RecordAway:  # no attempt that counts; it is done when the lease has ended
        put_off(work)
    except StichkampfError as error:  # hidden or lost, or a record of other rules than today's
        logger.warning("%s of table %s failed: %s", work._meta.verbose_name, work.table_id, error)
        give_up(type(work), work.pk)
    return None


def put_off(work: RequestedWork) -> None:
    """Have it done when its lease has ended, without counting this attempt."""
    type(work)._default_manager.filter(pk=work.pk).update(attempts=F("attempts") - 1)


@contextmanager
def unless_away(work: RequestedWork) -> Iterator[None]:
    """Put work off that an outage ends, as soon as the database can be told; give back what an error ends.

    What takes too long stays under its lease, and is an attempt that counts.
    """
    try:
        yield
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if outage(error):
            once_back(lambda: put_off(work))
        else:
            give_back(work)
        raise


def give_back(work: RequestedWork) -> None:
    """Leave it to whoever is next, as if this attempt had not been."""
    type(work)._default_manager.filter(pk=work.pk).update(attempts=F("attempts") - 1, lease_until=None)


def give_up(model: type[RequestedWork], pk: int) -> None:
    model._default_manager.filter(pk=pk).update(state=model.State.FAILED, lease_until=None)


def give_up_lost(model: type[RequestedWork]) -> None:
    """Have the work fail that was begun `MOST_ATTEMPTS` times and never ended."""
    lost = model._default_manager.filter(state=model.State.WAITING, attempts__gte=MOST_ATTEMPTS)
    lost.filter(lease_until__lt=clock.now()).update(state=model.State.FAILED, lease_until=None)
