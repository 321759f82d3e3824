"""Voiding tables: they do not count, and their matches at the arbiter end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress

from django.db import transaction
from django.db.models import QuerySet

from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.core.machines import nodes
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.tournaments.models import Table


def void(tables: QuerySet[Table]) -> None:
    """Void tables. A worker may have left their matches to the arbiter, so one is told to end them."""
    begun: defaultdict[str, list[int]] = defaultdict(list)
    playing = tables.filter(state=Table.State.PENDING, attempts__gt=0)
    for table, node in playing.values_list("pk", "block__node"):
        begun[node].append(table)
    tables.update(state=Table.State.VOID, lease_owner="", lease_until=None)
    if begun:
        transaction.on_commit(lambda: _tell(begun))


def _tell(begun: Mapping[str, Collection[int]]) -> None:
    """Tell each node to end the matches at its arbiter; those of remote bots are of no node."""
    elsewhere = set(nodes.others().values_list("name", flat=True))
    for node, tables in begun.items():
        queue = nodes.queue_of(node) if node in elsewhere else None
        enqueue("stichkampf_platform.tournaments.tasks.end_matches", *tables, queue=queue)


def end_matches(*, table_ids: Collection[int], arbiter: ArbiterClient) -> None:
    """End the matches of void tables that the arbiter still plays. One that it does not know has ended."""
    for table in Table.objects.filter(pk__in=table_ids, state=Table.State.VOID):
        with suppress(ArbiterGone, MatchFailed):
            arbiter.cancel(table.idempotency_key)
