"""A remote bot from its token over the API to its blocks and rating on a ladder."""

import json

import pytest
from support import wait_until

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
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
def ladder(platform):
    """Start a ladder for three seats and one deal, the shortest possible; yields its slug."""
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Short ladder", slug="short-ladder", game="stiche-raten", seats=3, format="ladder",
        options='{"length": "deals:1"}', blocks_planned=4, bots=FIELD,
    )  # fmt: skip
    ladders = admin.api("/api/v1/ladders/")["results"]
    yield next(one["slug"] for one in ladders if (one["game"], one["seats"]) == ("stiche-raten", 3))
    platform.act(admin, "tournaments/tournament", "cancel", "short-ladder")


@pytest.fixture(scope="module")
def author(platform):
    return platform.member("marge")


@pytest.fixture(scope="module")
def made(author):
    """Make a remote version; returns the answer of the API."""
    return author.add_remote_version("homer", games=["stiche-raten"])


@pytest.fixture(scope="module")
def at_home(play_from_home, made):
    """Run the bot at home; yields its program and its folder."""
    with play_from_home(HOMER, made) as home:
        yield home


def presence(visitor):
    return {line["bot"]: line for line in visitor.api("/api/v1/remote/")["results"]}.get("marge/homer")


@pytest.fixture(scope="module")
def accepted(platform, author, made, at_home):
    """The submission of the remote version, validated."""
    return platform.finished_submission(author, made["submission"]["id"])


def blocks_of_homer(author, ladder):
    """Return the number of its rated blocks, and its row of the ladder."""
    status, text = author.get(f"/api/v1/ladders/{ladder}/")
    ratings = json.loads(text)["ratings"] if status == 200 else []
    line = next((line for line in ratings if line["bot"] == "marge/homer"), {"blocks": 0})
    return line["blocks"], line


def test_it_is_validated_as_soon_as_it_is_connected(accepted):
    assert accepted["version"]["state"] == "approved", accepted["lines"]
    texts = [line["text"] for line in accepted["lines"]]
    assert texts[0].startswith("It waits until it is connected: stichkampf connect bot.py --server")
    assert any(text.startswith("stiche-raten: played to the end without a fault") for text in texts)


def test_all_see_that_it_is_connected_and_its_author_the_latency(platform, author, accepted):
    wait_until(lambda: presence(platform.visitor())["connected"], goal="its connection is shown")
    assert presence(platform.visitor())["latency_seconds"] is None
    wait_until(lambda: 0 < (presence(author)["latency_seconds"] or 0) < 1, goal="its latency is measured")
    assert "homer" in platform.visitor().page("/remote/")


def test_it_plays_blocks_on_the_ladder_and_gets_an_elo(platform, author, accepted, ladder):
    wait_until(lambda: blocks_of_homer(author, ladder)[0] >= 3, 300, goal="it is rated")
    blocks, line = blocks_of_homer(author, ladder)
    assert line["comparisons"] == blocks, "one holder of the same hand a block"
    assert 500 < line["elo"] < 2500
    tables = author.api("/api/v1/tournaments/short-ladder/tables/?limit=1000")["results"]
    mine = [t["seed"] for t in tables if any(seat["bot"] == "marge/homer" for seat in t["results"])]
    assert len(mine) == len(set(mine)), "the same cards twice"


def test_an_arbiter_killed_while_it_thinks_costs_no_fault_and_its_block_is_replaced(
    platform, author, accepted, ladder, at_home
):
    before = blocks_of_homer(author, ladder)[0]
    held, hold = (at_home[1] / name for name in ("held", "hold"))
    hold.touch()
    wait_until(held.exists, goal="it has been asked")
    platform.kill("arbiter")
    hold.unlink()
    platform.start("arbiter")
    wait_until(lambda: blocks_of_homer(author, ladder)[0] >= before + 3, 300, goal="it plays on")
    wait_until(lambda: presence(author)["connected"], goal="it is connected again")
    assert author.api(f"{author.own_bot('homer')}faults/")["results"] == []
    admin = platform.administrator()
    wait_until(
        lambda: "the arbiter lost the match" in admin.page("/admin/tournaments/table/?state__exact=void"),
        goal="the block that it was asked in is void",
    )


def test_a_new_token_disconnects_a_bot_with_the_old_one(platform, author, accepted, at_home):
    program, _ = at_home
    status, text = author.request("POST", f"{author.own_bot('homer')}versions/1/token/")
    assert status == 201, text
    wait_until(lambda: program.process.poll() is not None, goal="it is disconnected")
    assert program.process.returncode == 1, program.output
    wait_until(lambda: not presence(author)["connected"], goal="that is shown")
