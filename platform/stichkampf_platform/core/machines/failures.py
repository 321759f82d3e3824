"""Work that is done item by item, so that one which fails holds up no other.

A failure belongs to the item that was being worked on, whatever its type: a row keeps its reason. The item
is tried again ever more seldom, and after `PARKED_AFTER` failures on end it is parked: the caller gives it
up, such as by pausing a tournament, and people read the reason. Workers that fail at an item side by side are
one failure, and a try in which there was nothing to do is neither a failure nor a success. An outage
(`outages`) is no item's failure: the item waits and tells what is away, and nothing is counted. Whatever
keeps even that from being noted, such as a database that is away, ends the work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from celery.exceptions import Ignore, SoftTimeLimitExceeded
from django.db import connection, models, transaction
from django.db.models import QuerySet
from stichkampf.errors import StichkampfError

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.outages import outage
from stichkampf_platform.core.models import ItemFailure

PARKED_AFTER = 5
LONGEST_PAUSE = timedelta(hours=1)
OUTAGE_PAUSE = timedelta(seconds=5)
REASON_CHARACTERS = 500

Keyed: TypeAlias = models.Model | FunctionType | str | int
"""Items with a name in the rows of failures: a model, a function, or a value that is its own key."""
Item = TypeVar("Item", bound=Keyed)
GiveUp = Callable[[Any, str], object]

logger = logging.getLogger(__name__)


@dataclass
class Try:
    """One try of an item.

    :ivar idle: whether there was nothing to do, so that it says nothing of the item.
    """

    idle: bool = False


def each_by_itself(
    work: str,
    items: Iterable[Item],
    do: Callable[[Item], object],
    *,
    give_up: GiveUp | None = None,
    at_most: int | None = None,
) -> int:
    """Do something for each item; return for how many it was done and returned something true.

    :param work: a name of what is done, one for all of these items.
    :param do: atomic; with a model, or the value that is its own key.
    :param give_up: called with item and reason once it is parked.
    :param at_most: items, not counting those that wait for their next try.
    """
    paused, done, left = waiting(work), 0, at_most
    for item in items:
        if key_of(item) in paused:
            continue
        if left is not None:
            if left <= 0:
                break
            left -= 1
        with by_itself(work, item, give_up=give_up):
            done += bool(do(item))
    return done


@contextmanager
def by_itself(work: str, item: Keyed, *, give_up: GiveUp | None = None) -> Iterator[Try]:
    """Note that an item failed, or does no longer, and go on; within a transaction by a savepoint."""
    began, this = clock.now(), Try()
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            yield this
    except Ignore:
        raise
    except SoftTimeLimitExceeded as error:  # it took all of the time: its failure, and the end of the work
        _failed(work, item, error, give_up, began)
        raise
    except Exception as error:
        if away := outage(error):
            logger.warning("%s: %s waits: %s (%r)", work, key_of(item), away, error)
        else:
            logger.exception("%s: %s failed", work, key_of(item))
        _failed(work, item, error, give_up, began)
    else:
        if not this.idle:
            forget(work, item)


def note(work: str, item: Keyed, error: BaseException, *, began: datetime | None = None) -> ItemFailure:
    """Note one more failure of an item, and when it is tried again; of an outage only what is away.

    :param began: when this try began; one that began before the newest failure was noted is part of it.
    """
    with transaction.atomic():
        known, _made = ItemFailure.objects.select_for_update().get_or_create(
            work=work, item=key_of(item), defaults={"next_try_at": clock.now()}
        )
        if away := outage(error):
            known.reason = f"{away} ({in_words(error)})"[:REASON_CHARACTERS]
            known.next_try_at = max(known.next_try_at, clock.now() + OUTAGE_PAUSE)
        elif known.times and began is not None and began < known.next_try_at - _pause(known.times):
            return known
        else:
            known.times += 1
            known.reason = in_words(error)
            known.next_try_at = clock.now() + _pause(known.times)
        known.save()
    return known


def forget(work: str, item: Keyed) -> None:
    """Forget that an item failed: it was done, or a person wants it tried at once."""
    failed = ItemFailure.objects.filter(work=work, item=key_of(item))
    if failed.exists():
        failed.delete()


def waiting(work: str) -> set[str]:
    """Return the keys of the items that failed and are not tried again yet."""
    later = ItemFailure.objects.filter(work=work, next_try_at__gt=clock.now())
    return set(later.values_list("item", flat=True))


def forget_old() -> None:
    """Forget failures of items that were not tried for a day: they are gone, or done by others."""
    ItemFailure.objects.filter(next_try_at__lt=clock.now() - timedelta(days=1)).delete()


def parked() -> QuerySet[ItemFailure]:
    """Return what failed again and again, the newest first."""
    return ItemFailure.objects.filter(times__gte=PARKED_AFTER).order_by("-pk")


def reasons(works: Iterable[str], item: Keyed) -> list[str]:
    """Return why an item fails in one of these kinds of work."""
    failed = ItemFailure.objects.filter(work__in=list(works), item=key_of(item))
    return list(failed.order_by("pk").values_list("reason", flat=True))


def key_of(item: Keyed) -> str:
    """Return the name of an item in the rows of failures."""
    if isinstance(item, models.Model):
        return str(item.pk)
    if isinstance(item, FunctionType):
        return f"{item.__module__}.{item.__qualname__}"[-100:]
    return str(item)[:100]


def in_words(error: BaseException) -> str:
    """Return an error in words; one that was not written for people with its type."""
    told = str(error) if isinstance(error, StichkampfError) else f"{type(error).__name__}: {error}"
    return " ".join(told.split())[:REASON_CHARACTERS]


def _pause(times: int) -> timedelta:
    return min(timedelta(seconds=1) * 2 ** min(times, 16), LONGEST_PAUSE)


def _failed(work: str, item: Keyed, error: BaseException, give_up: GiveUp | None, began: datetime) -> None:
    failure = note(work, item, error, began=began)
    if give_up is None or failure.times < PARKED_AFTER or outage(error):
        return
    try:
        give_up(item, failure.reason)
    except Exception:
        logger.exception("%s: %s cannot be given up", work, key_of(item))
