"""A stranger's road: sign up, make a token, submit a bot, have it validated, see it on the ladder."""

import io
import json
import re
import zipfile

import pytest
from stichkampf.match.verify import verify

pytestmark = [pytest.mark.timeout(1200), pytest.mark.xdist_group("road")]

KARL = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""
CRASHES = KARL.replace("return table.legal[-1]", "raise RuntimeError('I have lost my cards')")
CHEATS = KARL.replace("return table.legal[-1]", "return 'play R99'")
FIELD = ["thumb", "glimpse", "worrier", "random"]


def archive(text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("bot.py", text)
        file.writestr("stichkampf.toml", 'name = "Karl"\ngames = ["stiche-raten"]\n')
    return content.getvalue()


@pytest.fixture(scope="package")
def stranger(installation):
    """Somebody who signed up on the site and made a token there."""
    visitor = installation.visitor()
    visitor.send("/join/", username="karla", password="trumpf-sticht-alles")
    page = visitor.send("/account/tokens/", name="laptop")
    visitor.token = re.search(r"sk_[A-Za-z0-9_-]{20,}", page)[0]
    return visitor


def validated(installation, stranger, slug, text):
    """Submit a bot, approve it where the sandbox wants that, and wait for the verdict."""
    status, told = stranger.submit(slug, archive(text))
    assert status == 201, told
    path = f"/api/submissions/{told['id']}/"
    admin = installation.administrator()
    if "sandbox: hosted" not in installation.first_page(admin):
        installation.act(admin, "bots/version", "approve", slug)

    def over():
        submission = stranger.api(path)
        return submission if submission["finished_at"] else None

    return installation.wait_until(f"{slug} is validated", over, seconds=300)


@pytest.fixture(scope="package")
def karl(installation, stranger):
    return validated(installation, stranger, "karl", KARL)


def test_an_honest_bot_is_accepted_with_a_log_of_what_was_tried(karl):
    assert karl["version"]["state"] == "approved", karl["lines"]
    text = "\n".join(line["text"] for line in karl["lines"])
    assert "stiche-raten: played to its end without a fault" in text


@pytest.mark.parametrize(
    ("slug", "text", "reason"),
    [("crasher", CRASHES, "I have lost my cards"), ("cheat", CHEATS, "illegal|malformed")],
)
def test_a_bot_that_faults_is_rejected_and_its_owner_reads_why(installation, stranger, slug, text, reason):
    submission = validated(installation, stranger, slug, text)
    assert submission["version"]["state"] == "rejected"
    assert re.search(reason, "\n".join(line["text"] for line in submission["lines"]))
    assert installation.visitor().open(f"/api/bots/{slug}/")[0] == 404


def test_a_submitted_bot_plays_a_tournament_and_stands_on_the_ladder(installation, karl):
    admin = installation.administrator()
    installation.make_tournament(
        admin, name="Karl's day", slug="karls-day", game="stiche-raten", seats=4,
        options='{"length": "deals:4"}', blocks_planned=10, bots=["karl", *FIELD],
    )  # fmt: skip
    installation.wait_until(
        "the tournament is over", lambda: installation.progress("karls-day")["state"] == "finished", 300
    )
    records = [json.loads(line) for line in admin.page("/api/tournaments/karls-day/records/").splitlines()]
    assert len(records) == 40
    for record in records:
        verify(record)
    assert any(seat == {"bot": "karla/karl", "version": 1} for record in records for seat in record["seats"])

    def final():
        status, text = admin.open("/api/ladders/stiche-raten/")
        return json.loads(text) if status == 200 and json.loads(text)["final"] else None

    ladder = installation.wait_until("the ladder is published", final)
    bots = {line["bot"]: line for line in ladder["ratings"]}
    assert set(bots) == {"karla/karl", *(f"house/{name}" for name in FIELD)}
    assert all(line["plus_minus"] > 0 for line in bots.values())
    assert "karl" in admin.page("/ladders/stiche-raten/")
