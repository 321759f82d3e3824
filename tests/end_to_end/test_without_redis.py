"""Redis taken away for a minute in the middle of everything: pages stay, somebody is told, and what was
planned lands once.
"""

import asyncio
import os
import signal
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from stichkampf.match.verify import verify
from support import wait_until

from benchmarks.play.people import Person, Seen

from .karl import archive_of
from .test_play_kills import stored
from .watched import watched_site

AWAY_SECONDS, TOLD_SECONDS = 60, 180
BLOCKS, PAIRS = 60, 4
SOURCE = """
from stichkampf import Bot

class First(Bot):
    def choose(self, table):
        return table.legal[0]
"""
ASK_FOR_MARKS = """
INSERT INTO marks_analysis (table_id, reason, state, requested_at, attempts, engine)
SELECT id, 'request', 'waiting', now(), 0, '' FROM tournaments_table WHERE state = 'done' ORDER BY id LIMIT 2
"""
COUNTED = """
SELECT tournament.slug = 'away', count(DISTINCT block.id), count(DISTINCT board.id),
    count(DISTINCT board.id) FILTER (WHERE board.state = 'done'), count(DISTINCT record.id),
    count(DISTINCT seat.id), count(DISTINCT result.id), count(DISTINCT result.seat_id)
FROM tournaments_tournament tournament JOIN tournaments_block block ON block.tournament_id = tournament.id
    JOIN tournaments_table board ON board.block_id = block.id
    JOIN tournaments_seat seat ON seat.table_id = board.id
    LEFT JOIN tournaments_result result ON result.seat_id = seat.id
    LEFT JOIN tournaments_matchrecord record ON record.table_id = board.id
GROUP BY tournament.id ORDER BY tournament.id
"""
STATES = {
    "tournaments": "SELECT state, count(*) FROM tournaments_tournament GROUP BY state",
    "versions": "SELECT state, count(*) FROM bots_version WHERE archive <> '' GROUP BY state",
    "verdicts": "SELECT finished_at IS NOT NULL, count(*) FROM bots_submission GROUP BY 1",
    "marks": "SELECT state, count(*) FROM marks_analysis GROUP BY state",
    "files": "SELECT copied_at IS NOT NULL, count(*) FROM storage_storedfile GROUP BY 1",
}
RATED = "SELECT max(tables) FROM ratings_snapshot WHERE final AND published"
PAGES = (
    "/",
    "/de/",
    "/ladders/",
    "/tournaments/",
    "/tournaments/away/",
    "/bots/house/thumb/",
    "/r/1/",
    "/play/",
)
PAGES += ("/status/", "/games/sticheln/", "/api/v1/tournaments/away/", "/api/v1/status/")
pytestmark = [pytest.mark.timeout(1800), pytest.mark.xdist_group("supervised")]


@pytest.fixture(scope="module")
def site(postgresql, start_platform):
    with tempfile.TemporaryDirectory(prefix="sk-away-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with watched_site(folder, start_platform, postgresql, "away") as site:
            yield site


@contextmanager
def without_redis(site):
    """Kill Redis, and have a folder lie where its socket should be, so that none starts."""
    socket = site.platform.installation.redis_socket
    socket.rename(socket.with_name("gone"))
    socket.mkdir()
    os.kill(site.program("redis")[0], signal.SIGKILL)
    try:
        yield
    finally:
        socket.rmdir()


def planned(site, author):
    """Plan work of every kind, part of it under way when this returns."""
    platform = site.platform
    platform.make_tournament(
        site.admin, name="Away", slug="away", game="sticheln", seats=4, options='{"length": "deals:6"}',
        blocks_planned=BLOCKS, bots=["random", "timid", "bold", "thumb"],
    )  # fmt: skip
    wait_until(lambda: site.landed() >= 2, 300, goal="two tables have landed")
    challenge(author)
    assert author.submit("before", archive_of())[0] == 201
    platform.approve_where_asked("before")
    site.sql(ASK_FOR_MARKS)


def challenge(author):
    asked = {"game": "sticheln", "opponents": ["thumb"], "blocks": PAIRS}
    path = "/api/v1/bots/karla/first/versions/1/challenges/"
    status, text = author.request("POST", path, json=asked)
    assert status == 201, text


def answers(site):
    """Ask for pages as a visitor does; return what was not answered with 200."""
    visitor = site.platform.visitor()
    found = {path: visitor.get(path)[0] for path in PAGES}
    return {path: status for path, status in found.items() if status != 200}


def alarmed(site):
    """Return who has told: the alert, the status page and the doctor."""
    told = {"alert"} if "StichkampfRedisDown" in site.told() else set()
    if {"Matches", "Playing oneself"} <= site.disrupted():
        told.add("status page")
    if "Redis cannot be reached" in site.doctor():
        told.add("doctor")
    return told


def test_a_minute_without_redis_costs_nothing_and_is_told(site):
    author = site.platform.member("karla")
    site.platform.approved(SOURCE, ["sticheln"], "karla/first")
    known = wait_until(lambda: site.doctor(), goal="the doctor has looked")
    planned(site, author)
    seen, port = Seen(), site.platform.installation.port
    person = Person(port, 80_001, ["stiche-raten"], level="even", pause=0)

    async def begun():
        shown = await person.sit_down(seen)
        return await person.press(shown, seen)

    async def played_on():
        shown = await person.looked()
        while shown.turn != "over":
            shown = await person.press(shown, seen)

    asyncio.run(begun())
    wrong, after = [], {}
    with without_redis(site):
        began = time.monotonic()
        assert author.submit("during", archive_of())[0] == 201
        challenge(author)
        while time.monotonic() < began + TOLD_SECONDS:
            wrong += answers(site).items()
            for each in alarmed(site):
                after.setdefault(each, round(time.monotonic() - began))
            if len(after) == 3 and time.monotonic() > began + AWAY_SECONDS:
                break
        landed_without = site.landed()
        own = asyncio.run(person.browser.ask(person.path))
    print(f"told after {after} s; away for {time.monotonic() - began:.0f} s, {landed_without} tables by then")
    assert not wrong, Counter(wrong)
    assert own.status == 503
    assert "Try again" in own.text
    assert after.keys() == {"alert", "status page", "doctor"}
    assert landed_without < 4 * BLOCKS, "nothing was left to play"
    site.platform.approve_where_asked("during")
    asyncio.run(played_on())
    state, record, _ = stored(site.platform, person.path.strip("/").rpartition("/")[2])
    assert state == "over"
    verify(record)
    wait_until(lambda: resting(site), 900, goal="everything has ended")
    for is_ours, *blocks_and_tables, played, records, seats, results, with_a_result in counted(site):
        assert played == records == blocks_and_tables[1]
        assert results == with_a_result == seats
        assert not is_ours or blocks_and_tables == [BLOCKS, 4 * BLOCKS]
    wait_until(lambda: site.database.execute(RATED).fetchone()[0] == 4 * BLOCKS, 300, goal="it is rated")
    wait_until(lambda: not site.told() and not site.disrupted(), 300, goal="no alert fires any more")
    assert site.doctor() == known


def counted(site):
    return site.database.execute(COUNTED).fetchall()


def resting(site):
    states = {name: dict(site.database.execute(query).fetchall()) for name, query in STATES.items()}
    over = {"tournaments": {"finished"}, "versions": {"approved"}, "verdicts": {True}, "marks": {"made"}}
    return all(states[name].keys() == end for name, end in (over | {"files": {True}}).items())
