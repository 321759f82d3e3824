"""The steps of a new author: sign up, make a token, submit a bot, see it validated and on the ladder."""

import json
import re

import pytest
from stichkampf.match.verify import verify
from support import wait_until

from .karl import KARL, archive_of

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("end_to_end")]

CRASHES = KARL.replace("return table.legal[-1]", "raise RuntimeError('I have lost my cards')")
CHEATS = KARL.replace("return table.legal[-1]", "return 'play R99'")
FIELD = ["thumb", "glimpse", "worrier", "random"]


def test_an_honest_bot_is_accepted_with_a_log_of_its_trial(karl):
    assert karl["version"]["state"] == "approved", karl["lines"]
    text = "\n".join(line["text"] for line in karl["lines"])
    assert "stiche-raten: played to the end without a fault" in text


@pytest.mark.parametrize(
    ("slug", "text", "reason"),
    [("crasher", CRASHES, "I have lost my cards"), ("cheat", CHEATS, "illegal|malformed")],
)
def test_a_bot_that_faults_is_rejected_and_its_owner_reads_why(platform, stranger, slug, text, reason):
    submission = platform.validated(stranger, slug, archive_of(text))
    assert submission["version"]["state"] == "rejected"
    assert re.search(reason, "\n".join(line["text"] for line in submission["lines"]))
    assert platform.visitor().get(stranger.own_bot(slug))[0] == 404


def test_a_submitted_bot_plays_a_tournament_and_is_rated_on_the_ladder(platform, karl):
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Karl's day", slug="karls-day", game="stiche-raten", seats=4,
        options='{"length": "deals:4"}', blocks_planned=10, bots=["karl", *FIELD],
    )  # fmt: skip
    wait_until(lambda: platform.is_finished("karls-day"), 300, goal="the tournament is over")
    records = [json.loads(line) for line in admin.page("/api/v1/tournaments/karls-day/records/").splitlines()]
    assert len(records) == 40
    for record in records:
        verify(record)
    assert any(seat == {"bot": "karla/karl", "version": 1} for record in records for seat in record["seats"])

    def final():
        status, text = admin.get("/api/v1/ladders/stiche-raten/")
        return json.loads(text) if status == 200 and json.loads(text)["final"] else None

    ladder = wait_until(final, goal="the ladder is published")
    bots = {line["bot"]: line for line in ladder["ratings"]}
    assert set(bots) == {"karla/karl", *(f"house/{name}" for name in FIELD)}
    assert all(line["plus_minus"] > 0 for line in bots.values())
    assert "karl" in admin.page("/ladders/stiche-raten/")
