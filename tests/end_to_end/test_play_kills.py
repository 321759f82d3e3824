"""Any program may end in the middle of a deal: the person plays on, and the match counts once."""

import asyncio
import json

import pytest
from stichkampf.match.verify import verify
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.output import last_line
from support import wait_until

from benchmarks.play.people import Person, Seen

GAME = "stiche-raten"
KILLED = ("site", "hub", "arbiter", "redis", "workers")
PRESSES_BETWEEN = 2
MOST_PRESSES = 400
STORED = """
import json
from stichkampf_platform.play.models import PlayedTable
table = PlayedTable.objects.get(public_id={table!r})
entry = getattr(table, "daily_entry", None)
print(json.dumps([table.state, table.record, entry and [entry.state, entry.points]]))
"""


async def played(platform, start):
    """Play a match during which each program is killed once; return the name of its table."""
    seen = Seen()
    number = 70_000 + len(start)
    person = Person(platform.installation.port, number, [GAME], level="even", pause=0)
    shown = await person.sit_down(seen, start)
    left = list(KILLED)
    for press in range(MOST_PRESSES):
        if shown.turn == "over":
            break
        if left and press % PRESSES_BETWEEN == 1:
            platform.restart(left.pop(0))
        try:
            shown = await person.press(shown, seen)
        except OSError:
            shown = await person.looked()
    assert shown.turn == "over"
    assert left == []
    return person.path.strip("/").rpartition("/")[2]


def stored(platform, table):
    """Return state, record and entry of the day of a table, once it is not open any more."""
    code = STORED.format(table=table)

    def row():
        found = json.loads(
            last_line(preparation.manage(platform.installation, ("shell", "--no-imports", "-c", code)))
        )
        return found if found[0] != "open" else None

    return wait_until(row, goal="the match is stored")


@pytest.mark.parametrize("start", ["/play/", f"/play/daily/{GAME}/"])
def test_a_match_is_played_on_whatever_is_killed_and_counts_once(platform, start):
    table = asyncio.run(played(platform, start))
    state, record, entry = stored(platform, table)
    assert state == "over"
    verify(record)
    assert record["faults"] == []
    assert record["seats"][0]["bot"] == "guest"
    if "daily" in start:
        assert entry == ["counted", record["scores"][0]]
    else:
        assert entry is None
