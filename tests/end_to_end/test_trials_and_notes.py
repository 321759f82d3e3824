"""Through the running platform: one trial a submission, and notes wait for the blocks that they tell of."""

import io
import json
import re
import zipfile
from datetime import UTC, datetime

import pytest
from stichkampf.games import GAMES
from stichkampf.match.verify import verify

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("road")]

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
def mallory(installation):
    """Somebody who signed up on the site and made a token there."""
    visitor = installation.visitor()
    visitor.send("/join/", username="mallory", password="trumpf-sticht-alles")
    page = visitor.send("/account/tokens/", name="laptop")
    visitor.token = re.search(r"sk_[A-Za-z0-9_-]{20,}", page)[0]
    return visitor


def told(installation, author, slug, source):
    """Submit a bot that names no games, and wait for the verdict; the submission."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("bot.py", source)
    status, answer = author.submit(slug, content.getvalue())
    assert status == 201, answer
    admin = installation.administrator()
    if "sandbox: hosted" not in installation.first_page(admin):
        installation.act(admin, "bots/version", "approve", slug)
    path = f"/api/submissions/{answer['id']}/"

    def over():
        submission = author.api(path)
        return submission if submission["finished_at"] else None

    return installation.wait_until(f"{slug} is validated", over, seconds=600)


def test_an_archive_without_a_bot_is_tried_once_and_told_why_on_top(installation, mallory):
    submission = told(installation, mallory, "nobot", NO_BOT)
    lines = [line["text"] for line in submission["lines"]]
    assert submission["version"]["state"] == "rejected"
    assert sum(line.startswith("Trial ") for line in lines) == 1, lines
    assert len(lines) < 15, lines
    bad = next(line["text"] for line in submission["lines"] if line["level"] == "bad")
    assert bad == "It did not start: bot.py defines no subclass of stichkampf.Bot"


@pytest.fixture(scope="package")
def talker(installation, mallory):
    return told(installation, mallory, "talker", TALKER)


def test_a_trial_of_seven_short_matches_is_held_once_and_can_be_refereed(mallory, talker):
    lines = [line["text"] for line in talker["lines"]]
    assert talker["version"]["state"] == "approved", lines
    assert sum(line.startswith("Trial ") for line in lines) == 1, lines
    assert sum(bool(re.search(r"it printed \d+ line", line)) for line in lines) == len(GAMES)
    records = mallory.page(f"/api/submissions/{talker['id']}/records/").splitlines()
    assert [json.loads(line)["game"] for line in records] == list(GAMES)
    for line in records:
        verify(json.loads(line))


def test_no_record_shows_a_note_while_a_block_is_played_that_its_bot_had_begun(installation, talker):
    admin = installation.administrator()
    installation.make_tournament(
        admin, name="Gossip", slug="gossip", game="sticheln", seats=4,
        options='{"edition": "short", "length": "deals:2"}', blocks_planned=8, bots=FIELD,
    )  # fmt: skip
    visitor, seen = installation.visitor(), {}

    def over():
        state = installation.progress("gossip")["state"]
        for table in visitor.api("/api/tournaments/gossip/tables/?limit=1000")["results"]:
            if table["id"] not in seen:
                record = visitor.api(f"/api/tables/{table['id']}/record/")
                if record.get("notes"):
                    seen[table["id"]] = datetime.now(UTC)
        return state == "finished"

    installation.wait_until("the tournament is over", over, seconds=600)
    over()
    tables = visitor.api("/api/tournaments/gossip/tables/?limit=1000")["results"]
    assert seen.keys() == {table["id"] for table in tables}
    end = {}
    for table in tables:
        finished = datetime.fromisoformat(table["finished_at"])
        end[table["block"]] = max(end.get(table["block"], finished), finished)
    for table in tables:
        begun = {other["block"] for other in tables if other["started_at"] < table["finished_at"]}
        assert all(end[block] <= seen[table["id"]] for block in begun), table["id"]
