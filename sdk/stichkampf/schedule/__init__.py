"""Schedules: the groups that meet and the hands that they hold. Pure and seeded: the same arguments plan the
same tables.

    seatings        the tables of one block: every entrant holds every hand once
    designs         groups in which every pair meets equally often
    meeting_counts  the greedy fallback: first the entrant that played least, then those met least
    blocks          whole plans: round robin, gauntlet, regression test, blocks with remote entrants

>>> from stichkampf.schedule import round_robin_blocks
>>> for block in round_robin_blocks(["ann", "bob"], seats=2, blocks=1):
...     print(sorted(block.tables))
[('ann', 'bob'), ('bob', 'ann')]
"""

from stichkampf.schedule.blocks import (
    Block,
    block_of,
    gauntlet_blocks,
    regression_blocks,
    remote_blocks,
    round_robin_blocks,
)
from stichkampf.schedule.designs import balanced_groups
from stichkampf.schedule.errors import ScheduleError
from stichkampf.schedule.meeting_counts import MeetingCounts
from stichkampf.schedule.seatings import cosets, entrants_a_block, mirrored, seatings

__all__ = [
    "Block",
    "MeetingCounts",
    "ScheduleError",
    "balanced_groups",
    "block_of",
    "cosets",
    "entrants_a_block",
    "gauntlet_blocks",
    "mirrored",
    "regression_blocks",
    "remote_blocks",
    "round_robin_blocks",
    "seatings",
]
