"""A bot that passes its trial and then faults at every table is suspended, and its owner is told."""

import pytest
from support import archive, wait_until

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

LAZY = """
import sys
from stichkampf import Bot

class Lazy(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        if table.game.options["length"] == "deals:3":
            print("I do not know how to play three deals", file=sys.stderr)
            raise RuntimeError("three deals")
        return table.legal[0]
"""


@pytest.fixture(scope="package")
def owner(platform):
    """Sign up an author with a mail address, whose lazy bot is validated."""
    author = platform.visitor()
    author.sign_up("gretel", email="gretel@cards.example")
    submission = platform.validated(author, "lazy", archive(LAZY))
    assert submission["version"]["state"] == "approved", submission["lines"]
    return author


def test_a_bot_that_always_faults_is_suspended_and_its_owner_told(platform, owner):
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="A long day", slug="a-long-day", game="stiche-raten", seats=3,
        options='{"length": "deals:3"}', blocks_planned=3, bots=["lazy", "thumb", "random"],
    )  # fmt: skip
    (notice,) = wait_until(
        lambda: [told for told in owner.api("/api/v1/me/notices/")["results"] if told["kind"] == "conduct"],
        300,
        goal="its owner is told over the API",
    )
    assert notice["title"] == "gretel/lazy v1 is suspended"
    assert all(match["forfeited"] for match in notice["evidence"])
    assert owner.api(f"{owner.own_bot('lazy')}versions/1/")["state"] == "suspended"
    assert notice["title"] in owner.page("/account/")
    assert owner.page(notice["evidence"][0]["address"])
    subject = "Subject: Stichkampf: gretel/lazy v1 is suspended"
    letter = wait_until(
        lambda: (text := mails(platform, whole=True)) and subject in text and text, goal="the mail is written"
    )
    assert "To: gretel@cards.example" in letter
    assert f"{platform.installation.address.rstrip('/')}{notice['page']}" in letter
    wait_until(
        lambda: platform.is_finished("a-long-day"),
        300,
        goal="the tournament is over",
    )
    assert mails(platform).count(f"Subject: Stichkampf: {notice['title']}") == 1
    reports = wait_until(
        lambda: owner.api(f"{owner.own_bot('lazy')}reports/")["results"],
        60,
        goal="its owner may read its output",
    )
    assert "I do not know how to play three deals" in reports[0]["stderr"]


def mails(platform, *, whole=False):
    """Return all mails as one text; with `whole`, none while the last is still being written."""
    text = "".join(path.read_text() for path in (platform.installation.state / "mail").glob("*"))
    return text if text.endswith("-" * 79 + "\n") or not whole else ""
