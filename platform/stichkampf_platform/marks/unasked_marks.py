"""The matches whose marks are made unasked: the featured one, and the costliest of each author's day."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

from django.db.models import Avg

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.marks.services import make_unasked as add_to_backlog
from stichkampf_platform.tournaments.featured import featured_table
from stichkampf_platform.tournaments.models import Result
from stichkampf_platform.tournaments.queries import shown_results

COSTLY_A_DAY = 3
"""Matches of an author in a day."""
RESULTS_READ = 3000
"""The newest results of submitted bots of a day, of all authors, among which is chosen."""


def make_unasked() -> None:
    """Add both kinds to the backlog, each whatever became of the other."""
    each_by_itself("matches to mark", (_make_featured, _make_costliest), lambda part: part())


def _make_featured() -> None:
    featured = featured_table()
    if featured is not None:
        add_to_backlog(table_ids=[featured.pk], reason=Analysis.Reason.FEATURED)


def _make_costliest() -> None:
    add_to_backlog(table_ids=costliest_of_the_day(), reason=Analysis.Reason.COSTLY)


def costliest_of_the_day() -> list[int]:
    """Return the tables of the last day at which each author's bots lost most against the same hands.

    A result is measured against the mean of all that held that hand in the block. Those whose marks were made
    count among the `COSTLY_A_DAY` of their author.
    """
    since = clock.now() - timedelta(days=1)
    results = (
        shown_results()
        .filter(seat__table__block__over_at__gte=since, seat__entrant__version__house="")
        .select_related("seat__table", "seat__entrant__version__bot")
        .order_by("-pk")[:RESULTS_READ]
    )
    means = _means_of_hands(results)
    losses: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for result in results:
        seat = result.seat
        loss = means[seat.table.block_id, seat.number] - result.score
        tables = losses[seat.entrant.version.bot.owner_id]
        tables[seat.table_id] = max(loss, tables.get(seat.table_id, 0.0))
    chosen: list[int] = []
    for tables in losses.values():
        costly = [table for table, loss in tables.items() if loss > 0]
        chosen += sorted(costly, key=lambda table: (-tables[table], table))[:COSTLY_A_DAY]
    return list(dict.fromkeys(chosen))


def _means_of_hands(results: list[Result]) -> dict[tuple[int, int], float]:
    """Return the mean score with each hand of the blocks of these results, by block and seat."""
    blocks = {result.seat.table.block_id for result in results}
    rows = (
        shown_results()
        .filter(seat__table__block__in=blocks)
        .order_by()
        .values_list("seat__table__block", "seat__number")
        .annotate(mean=Avg("score"))
    )
    return {(block, number): mean for block, number, mean in rows}
