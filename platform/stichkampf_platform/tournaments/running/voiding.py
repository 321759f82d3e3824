"""Voiding tables: they do not count, and their matches at the arbiter end."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from django.db import transaction
from django.db.models import QuerySet

from stichkampf_platform.core.arbiter_client import Arbiter
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.tournaments.models import Table


def void(tables: QuerySet[Table]) -> None:
    """Void tables. A worker may have left their matches to the arbiter, so one is told to end them."""
    begun = list(tables.filter(state=Table.State.PENDING, attempts__gt=0).values_list("pk", flat=True))
    tables.update(state=Table.State.VOID, lease_owner="", lease_until=None)
    if begun:
        transaction.on_commit(lambda: enqueue("stichkampf_platform.tournaments.tasks.end_matches", *begun))


def end_matches(*, table_ids: Collection[int], arbiter: Arbiter) -> None:
    """End the matches of void tables that the arbiter still plays. One that it does not know has ended."""
    for table in Table.objects.filter(pk__in=table_ids, state=Table.State.VOID):
        with suppress(ArbiterGone, MatchFailed):
            arbiter.cancel(table.idempotency_key)
