"""A submission has one trial, and notes are shown only after the blocks that they are about."""

import json
import re
from datetime import UTC, datetime

import pytest
from stichkampf.games import GAMES
from stichkampf.match.verify import verify
from support import archive, wait_until

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("end_to_end")]

TALKER = """
from stichkampf import Bot, Note

class Talker(Bot):
    def choose(self, table):
        print("I see", table.phase)
        return table.legal[0], Note("I hold " + " ".join(map(str, table.hand)))
"""
NO_BOT = "x = 1\n"
FIELD = ["talker", "thumb", "random", "timid"]


@pytest.fixture(scope="package")
def mallory(platform):
    return platform.member("mallory")


def test_an_archive_without_a_bot_is_tried_once_and_its_log_says_why(platform, mallory):
    submission = platform.validated(mallory, "nobot", archive(NO_BOT))
    lines = [line["text"] for line in submission["lines"]]
    assert submission["version"]["state"] == "rejected"
    assert sum(line.startswith("Validation ") for line in lines) == 1, lines
    assert len(lines) < 15, lines
    bad = next(line["text"] for line in submission["lines"] if line["level"] == "bad")
    assert bad == "It did not start: bot.py defines no subclass of stichkampf.Bot"


@pytest.fixture(scope="package")
def talker(platform, mallory):
    return platform.validated(mallory, "talker", archive(TALKER))


def test_a_trial_of_seven_short_matches_is_held_once_and_verified(mallory, talker):
    lines = [line["text"] for line in talker["lines"]]
    assert talker["version"]["state"] == "approved", lines
    assert sum(line.startswith("Validation ") for line in lines) == 1, lines
    assert sum(bool(re.search(r"it printed [\d,]+ line", line)) for line in lines) == len(GAMES)
    records = mallory.page(f"/api/v1/submissions/{talker['id']}/records/").splitlines()
    assert [json.loads(line)["game"] for line in records] == list(GAMES)
    for line in records:
        verify(json.loads(line))


def test_no_record_shows_notes_while_a_block_with_the_same_bot_is_played(platform, talker):
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Gossip", slug="gossip", game="sticheln", seats=4,
        options='{"edition": "short", "length": "deals:2"}', blocks_planned=8, bots=FIELD,
    )  # fmt: skip
    visitor, seen = platform.visitor(), {}

    def over():
        state = platform.progress("gossip")["state"]
        for table in visitor.api("/api/v1/tournaments/gossip/tables/?limit=1000")["results"]:
            if table["id"] not in seen:
                record = visitor.api(f"/api/v1/tables/{table['id']}/record/")
                if record.get("notes"):
                    seen[table["id"]] = datetime.now(UTC)
        return state == "finished"

    wait_until(over, 600, goal="the tournament is over")
    over()
    tables = visitor.api("/api/v1/tournaments/gossip/tables/?limit=1000")["results"]
    assert seen.keys() == {table["id"] for table in tables}
    end = {}
    for table in tables:
        finished = datetime.fromisoformat(table["finished_at"])
        end[table["block"]] = max(end.get(table["block"], finished), finished)
    for table in tables:
        begun = {other["block"] for other in tables if other["started_at"] < table["finished_at"]}
        assert all(end[block] <= seen[table["id"]] for block in begun), table["id"]
