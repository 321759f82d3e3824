"""A bot that passes its trial and then faults at every table: suspended, and its owner told in every way."""

import io
import zipfile

import pytest

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("road"),
    pytest.mark.parametrize("installation", ["postgresql"], indirect=True, scope="package"),
]

LAZY = """
import sys
from stichkampf import Bot

class Lazy(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        if table.game.options["length"] != "deals:1":
            print("I only know how to play one deal", file=sys.stderr)
            raise RuntimeError("too long a match")
        return table.legal[0]
"""


@pytest.fixture(scope="package")
def owner(installation):
    """Somebody with a mail address, a token, and a lazy bot that has been validated."""
    visitor = installation.visitor()
    visitor.send("/join/", username="gretel", password="trumpf-sticht-alles", email="gretel@cards.example")
    page = visitor.send("/account/tokens/", name="laptop")
    visitor.token = page.split('id="token" tabindex="0">')[1].split("<")[0]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("bot.py", LAZY)
    status, told = visitor.submit("lazy", content.getvalue())
    assert status == 201, told
    admin = installation.administrator()
    if "sandbox: hosted" not in installation.first_page(admin):
        installation.act(admin, "bots/version", "approve", "lazy")
    path = f"/api/submissions/{told['id']}/"
    installation.wait_until("it is validated", lambda: visitor.api(path)["finished_at"], seconds=300)
    assert visitor.api(path)["version"]["state"] == "approved", visitor.api(path)["lines"]
    return visitor


def test_a_bot_that_faults_at_every_table_is_suspended_and_its_owner_told_everywhere(installation, owner):
    admin = installation.administrator()
    installation.make_tournament(
        admin, name="A long day", slug="a-long-day", game="stiche-raten", seats=3,
        options='{"length": "deals:3"}', blocks_planned=3, bots=["lazy", "thumb", "random"],
    )  # fmt: skip
    (notice,) = installation.wait_until(
        "its owner is told over the API", lambda: owner.api("/api/me/notices/")["results"], seconds=300
    )
    assert notice["title"] == "lazy v1 is suspended"
    assert all(match["forfeited"] for match in notice["evidence"])
    assert owner.api("/api/bots/lazy/versions/1/")["state"] == "suspended"
    assert notice["title"] in owner.page("/account/")
    assert owner.page(notice["evidence"][0]["address"])
    letter = installation.wait_until("the mail is written", lambda: mails(installation, whole=True))
    assert "Subject: Stichkampf: lazy v1 is suspended" in letter
    assert "To: gretel@cards.example" in letter
    assert f"{installation.place.address.rstrip('/')}{notice['page']}" in letter
    installation.wait_until(
        "the tournament ends all the same",
        lambda: installation.progress("a-long-day")["state"] == "finished",
        seconds=300,
    )
    assert mails(installation).count("Subject:") == 1
    reports = installation.wait_until(
        "its owner may read what it wrote",
        lambda: owner.api("/api/bots/lazy/reports/")["results"],
        seconds=60,
    )
    assert "I only know how to play one deal" in reports[0]["stderr"]


def mails(installation, *, whole=False):
    """All that was mailed, as one text; nothing where only what is written to its end will do."""
    text = "".join(path.read_text() for path in (installation.place.state / "mail").glob("*"))
    return text if text.endswith("-" * 79 + "\n") or not whole else ""
