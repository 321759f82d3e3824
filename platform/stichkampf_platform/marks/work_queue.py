"""Work that was asked for and waits for a worker: taken by one at a time, given up after some attempts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeVar

from django.db.models import F, Q, QuerySet

from stichkampf_platform.core import clock
from stichkampf_platform.core.queue import REQUEUE_SECONDS
from stichkampf_platform.marks.models import RequestedWork

Work = TypeVar("Work", bound=RequestedWork)
MOST_ATTEMPTS = 2
LEASE_SECONDS = 960
"""Longer than the limit of the task: nothing renews this lease."""


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
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    return list(waiting.filter(free).exclude(hinted_at__gte=lately)[:how_many])


def mark_hinted(work: Sequence[RequestedWork]) -> None:
    """Note that workers are told of these."""
    for each in work:
        type(each)._default_manager.filter(pk=each.pk).update(hinted_at=clock.now())


def take(model: type[Work], pk: int) -> Work | None:
    """Take work that waits; None if it does not wait, or a worker has it."""
    now = clock.now()
    free = model._default_manager.filter(Q(lease_until=None) | Q(lease_until__lt=now), pk=pk)
    taken = free.filter(state=model.State.WAITING, attempts__lt=MOST_ATTEMPTS).update(
        lease_until=now + timedelta(seconds=LEASE_SECONDS), attempts=F("attempts") + 1
    )
    return model._default_manager.get(pk=pk) if taken else None


def put_off(work: RequestedWork) -> None:
    """Have it done when its lease has ended, without counting this attempt."""
    type(work)._default_manager.filter(pk=work.pk).update(attempts=F("attempts") - 1)


def fail(work: RequestedWork) -> None:
    type(work)._default_manager.filter(pk=work.pk).update(state=work.State.FAILED, lease_until=None)


def give_up_lost(model: type[RequestedWork]) -> None:
    """Have the work fail that was begun `MOST_ATTEMPTS` times and never ended."""
    lost = model._default_manager.filter(state=model.State.WAITING, attempts__gte=MOST_ATTEMPTS)
    lost.filter(lease_until__lt=clock.now()).update(state=model.State.FAILED, lease_until=None)
