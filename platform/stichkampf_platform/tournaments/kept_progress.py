"""The progress of tournaments, kept in a row of each, so that no page counts tables.

What happens all the time, such as a match that ends, adds to the row. What is rare, such as a ruling, has
it counted again. Either holds the row until its transaction ends, so it comes last in one: a worker that
waits for it holds its block.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, F, Q

from stichkampf_platform.tournaments.models import Block, ProgressCounts, Table


def add(
    tournament_id: int, *, tables: int = 0, tables_done: int = 0, blocks: int = 0, blocks_over: int = 0
) -> None:
    """Add what this transaction has drawn or ended to what is kept of a tournament."""
    added = {"tables": tables, "tables_done": tables_done, "blocks": blocks, "blocks_over": blocks_over}
    more = {name: F(name) + number for name, number in added.items() if number}
    if more and not ProgressCounts.objects.filter(pk=tournament_id).update(**more):
        count_again(tournament_id)


@transaction.atomic
def count_again(tournament_id: int) -> None:
    """Count a tournament's tables and blocks, this transaction's among them, and keep the numbers."""
    ProgressCounts.objects.get_or_create(pk=tournament_id)
    # who ends a match meanwhile waits for this row, and adds that match afterwards
    kept = ProgressCounts.objects.select_for_update().get(pk=tournament_id)
    tables = Table.objects.filter(block__tournament=tournament_id).order_by()
    states = dict(tables.values_list("state").annotate(Count("pk")))
    kept.tables = sum(states.values())
    kept.tables_done = states.get(Table.State.DONE, 0)
    kept.tables_void = states.get(Table.State.VOID, 0)
    standing = Block.objects.filter(tournament=tournament_id, replaced_by=None)
    counted = standing.aggregate(all=Count("pk"), over=Count("pk", filter=~Q(over_at=None)))
    kept.blocks, kept.blocks_over = counted["all"], counted["over"]
    kept.save()
