"""A stranger's other road: a token over the API, a bot that stays at home, blocks on a ladder and an Elo."""

import json
import re

import pytest

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("road"),
    pytest.mark.parametrize("installation", ["postgresql"], indirect=True, scope="package"),
]

HOMER = """
import time
from pathlib import Path
from stichkampf import Bot

class Homer(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        time.sleep(0.3)
        while Path("hold").exists():
            Path("held").touch()
            time.sleep(0.02)
        return table.legal[-1]
"""
FIELD = ["thumb", "random", "timid", "bold", "glimpse", "worrier"]


@pytest.fixture(scope="module")
def ladder(installation):
    """A ladder of its own for three seats and one deal, the shortest there is; its slug."""
    admin = installation.administrator()
    installation.make_tournament(
        admin, name="Short ladder", slug="short-ladder", game="stiche-raten", seats=3, format="ladder",
        options='{"length": "deals:1"}', blocks_planned=4, bots=FIELD,
    )  # fmt: skip
    yield next(one["slug"] for one in admin.api("/api/ladders/")["results"] if one["seats"] == 3)
    installation.act(admin, "tournaments/tournament", "cancel", "short-ladder")


@pytest.fixture(scope="module")
def author(installation):
    """Somebody who signed up and made an API token."""
    visitor = installation.visitor()
    visitor.send("/join/", username="marge", password="trumpf-sticht-alles")
    visitor.token = re.search(r"sk_[A-Za-z0-9_-]{20,}", visitor.send("/account/tokens/", name="at home"))[0]
    return visitor


@pytest.fixture(scope="module")
def made(author):
    """What the API answers to whoever makes a remote version."""
    return author.connect("homer", games=["stiche-raten"])


@pytest.fixture(scope="module")
def at_home(play_from_home, made):
    """The bot at home: its process, and its folder."""
    with play_from_home(HOMER, made) as home:
        yield home


def presence(visitor):
    return {line["bot"]: line for line in visitor.api("/api/remote/")["results"]}.get("marge/homer")


@pytest.fixture(scope="module")
def accepted(installation, author, made, at_home):
    """The submission, once it has been validated."""
    path = f"/api/submissions/{made['submission']['id']}/"

    def over():
        submission = author.api(path)
        return submission if submission["finished_at"] else None

    return installation.wait_until("the bot is validated", over, seconds=300)


def blocks_of_homer(author, ladder):
    """In how many blocks it has been rated, with its line of the ladder."""
    status, text = author.open(f"/api/ladders/{ladder}/")
    ratings = json.loads(text)["ratings"] if status == 200 else []
    line = next((line for line in ratings if line["bot"] == "marge/homer"), {"blocks": 0})
    return line["blocks"], line


def test_it_is_validated_as_soon_as_it_is_connected(accepted):
    assert accepted["version"]["state"] == "approved", accepted["lines"]
    texts = [line["text"] for line in accepted["lines"]]
    assert texts[0].startswith("It waits until it is connected: stichkampf connect bot.py --server")
    assert any(text.startswith("stiche-raten: played to its end without a fault") for text in texts)


def test_everybody_sees_that_it_is_there_and_its_author_how_far_away(installation, author, accepted):
    installation.wait_until("it is seen", lambda: presence(installation.visitor())["connected"])
    assert presence(installation.visitor())["latency_seconds"] is None
    installation.wait_until("its way is measured", lambda: 0 < (presence(author)["latency_seconds"] or 0) < 1)
    assert "homer" in installation.visitor().page("/remote/")


def test_it_plays_blocks_on_the_ladder_and_gets_an_elo(installation, author, accepted, ladder):
    installation.wait_until("it is rated", lambda: blocks_of_homer(author, ladder)[0] >= 3, seconds=300)
    blocks, line = blocks_of_homer(author, ladder)
    assert line["comparisons"] == blocks, "one holder of the same hand a block"
    assert 500 < line["elo"] < 2500
    tables = author.api("/api/tournaments/short-ladder/tables/?limit=1000")["results"]
    mine = [t["seed"] for t in tables if any(seat["bot"] == "marge/homer" for seat in t["results"])]
    assert len(mine) == len(set(mine)), "the same cards twice"


def test_an_arbiter_that_dies_while_it_thinks_costs_it_no_fault_and_its_block_is_dealt_anew(
    installation, author, accepted, ladder, at_home
):
    before = blocks_of_homer(author, ladder)[0]
    held, hold = (at_home[1] / name for name in ("held", "hold"))
    hold.touch()
    installation.wait_until("it has been asked", held.exists)
    installation.kill("arbiter")
    hold.unlink()
    installation.start("arbiter")
    installation.wait_until(
        "it plays on", lambda: blocks_of_homer(author, ladder)[0] >= before + 3, seconds=300
    )
    installation.wait_until("it is there again", lambda: presence(author)["connected"])
    assert author.api("/api/bots/homer/faults/")["results"] == []
    void = installation.administrator().page("/admin/tournaments/table/?state__exact=void")
    assert "the arbiter had forgotten the match" in void


def test_a_new_token_sends_home_whoever_has_the_old_one(installation, author, accepted, at_home):
    process, folder = at_home
    status, text = author.open("/api/bots/homer/versions/1/token/", b"")
    assert status == 201, text
    installation.wait_until("it is sent away", lambda: process.poll() is not None)
    assert process.returncode == 1, (folder / "said").read_text()
    installation.wait_until("that is seen", lambda: not presence(author)["connected"])
