"""The thinking times of a bot, from its newest records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stichkampf.match.records import thinking_times_by_seat

from stichkampf_platform.tournaments.records.record_files import open_records
from stichkampf_platform.tournaments.seat_results import SeatResult
from stichkampf_platform.tournaments.shown import Viewer

RECORDS_READ = 5
"""Some hundred decisions; each record is a file to read."""


class ThinkingTimes(NamedTuple):
    """Seconds of every measured decision, and the number of records that could not be read."""

    seconds: list[float]
    unreadable: int


def thinking_times(results: Sequence[SeatResult], person: Viewer = None) -> ThinkingTimes:
    """Return the thinking times of the decisions in the first `RECORDS_READ` of these results.

    :param person: for whom; records that this person may not see are left out.
    """
    seats = [(result.table, result.seat) for result in results[:RECORDS_READ]]
    records = open_records({table for table, _ in seats}, person)
    costs = {table: thinking_times_by_seat(record) for table, record in records.items() if record is not None}
    seconds = [cost for table, number in seats if table in costs for cost in costs[table][number]]
    return ThinkingTimes(seconds, len(records) - len(costs))
