"""The largest tournaments: what is worked out while one is locked takes no time that anybody notices."""

import time

import pytest
from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Past

ENTRANTS = 1000
SECONDS = 5.0
"""More than ten times what it takes on one core."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knock-out", "swiss"])
def test_the_next_round_of_a_thousand_is_drawn_and_ranked_in_seconds(name, competition):
    asked, format = competition(ENTRANTS, rounds=9), ROUND_FORMATS[name]
    plan = format.next_round(asked, Past())
    rows = [
        (block, hand, who, who * 7919 % 499, (block, lane), False)
        for block, tables in enumerate(plan)
        for lane, table in enumerate(tables)
        for hand, who in enumerate(table)
    ]
    groups = tuple(frozenset(tables[0]) for tables in plan)
    past = Past((groups,), compare(Results.from_rows(rows)))
    began = time.process_time()
    further = format.further_blocks(asked, past)
    assert format.standings(asked, past)
    assert further or format.next_round(asked, past)
    assert time.process_time() - began < SECONDS
