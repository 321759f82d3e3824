"""Bots that crash or are away, in tournaments that are really played, on the pages that a spectator reads."""

from __future__ import annotations

import csv
import json
import re

import pytest
from chromium import Visit, running_browser
from support import wait_until

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

CRASHING = """
from stichkampf import Bot

class Bang(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        raise RuntimeError("bang")
"""
QUIET = """
from stichkampf import Bot

class Quiet(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[0]
"""
SLOW = """
import time
from pathlib import Path
from stichkampf import Bot

class Slow(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        Path("asked").touch()
        time.sleep(0.3)
        return table.legal[0]
"""
GAME = {"game": "stiche-raten", "seats": 3, "options": '{"length": "deals:1"}', "rated": ""}
STANDS = "What was played stands for everybody else"


@pytest.fixture(scope="module")
def tab(platform):
    with running_browser(60_000) as browser:
        yield Visit(browser, platform.installation.address, width=1280, theme="light")


@pytest.fixture(scope="module")
def bill(platform):
    return platform.member("bill")


def crashing_bot(platform, name):
    """Add a bot that crashes at its first question, and that nothing has suspended yet."""
    platform.approved(CRASHING, ["stiche-raten"], f"bill/{name}")
    return name


def played(platform, tab, slug):
    """Wait until a tournament is over and rated; return its answer of the API, and the text of its page."""
    wait_until(lambda: platform.is_finished(slug), 300, goal=f"{slug} is over")
    path = f"/api/v1/tournaments/{slug}/standings/"
    found = wait_until(lambda: _rated(platform, path), 120, goal=f"{slug} is rated")
    tab.go(f"/tournaments/{slug}/")
    return found["standings"], tab.page.inner_text("main")


def _rated(platform, path):
    status, text = platform.visitor().get(path)
    found = json.loads(text) if status == 200 else {}
    return found if found.get("final") else None


def test_in_a_swiss_only_the_bot_that_crashes_pays(platform, tab, bill):
    bang = crashing_bot(platform, "bang")
    platform.make_tournament(
        platform.administrator(), name="Crash cup", slug="crash-cup", format="swiss", rounds=2,
        blocks_planned=1, bots=[bang, "thumb", "random", "timid", "bold", "flat"], **GAME,
    )  # fmt: skip
    lines, page = played(platform, tab, "crash-cup")
    points = {line["bot"]: line["points"] for line in lines}
    assert points["bill/bang"] == 0
    others = [value for bot, value in points.items() if bot != "bill/bang"]
    assert min(others) > 0 or max(others) < 2, "none has all for nothing"
    assert 3 < sum(others) < 6, "the others share what their seats played for"
    assert lines[-1]["bot"] == "bill/bang"
    assert "forfeited 6 of 6 matches: its program ended with an error, or never began" in page
    assert STANDS in page
    assert "‰" not in page.split("bang")[-1].split("\n")[0]


def test_in_a_knock_out_the_better_half_goes_on_as_played(platform, tab, bill):
    boom = crashing_bot(platform, "boom")
    platform.make_tournament(
        platform.administrator(), name="Crash KO", slug="crash-ko", format="knock-out",
        blocks_planned=2, bots=[boom, "thumb", "random", "timid", "bold", "flat"], **GAME,
    )  # fmt: skip
    lines, page = played(platform, tab, "crash-ko")
    places = {line["bot"]: line["place"] for line in lines}
    assert all(places[f"house/{bot}"] for bot in ("thumb", "random", "timid", "bold", "flat"))
    assert "wins the knock-out" in page or "share the victory" in page
    assert places["bill/boom"] is None
    assert "left out after a forfeited block: bill/boom v1 is suspended" in page, "six forfeits"


@pytest.fixture(scope="module")
def fern(platform, play_from_home):
    """Make a remote bot and have it validated; return the answer of the API, with which it is run at home."""
    author = platform.member("ned")
    made = author.add_remote_version("fern", games=["stiche-raten"])
    with play_from_home(QUIET, made):
        submission = platform.finished_submission(author, made["submission"]["id"])
        assert submission["version"]["state"] == "approved", submission["lines"]
    wait_until(lambda: not connected(platform), 120, goal="it is not connected any more")
    return made


FIELD = ["thumb", "random", "timid", "bold", "flat"]
AT_HOME = {**GAME, "move_seconds": "5", "bots": ["fern", *FIELD]}


def test_a_start_leaves_out_a_remote_bot_that_is_away(platform, tab, fern):
    platform.make_tournament(
        platform.administrator(), name="Remote RR", slug="remote-rr", blocks_planned=8, **AT_HOME
    )
    lines, page = played(platform, tab, "remote-rr")
    assert {line["bot"] for line in lines} == {f"house/{bot}" for bot in FIELD}
    assert all(line["elo"] for line in lines)
    assert "Result" in page


def test_a_remote_bot_that_goes_away_costs_the_others_nothing(platform, tab, play_from_home, fern):
    with play_from_home(SLOW, fern) as (_, folder):
        wait_until(lambda: connected(platform), 120, goal="it is connected")
        platform.make_tournament(
            platform.administrator(), name="Gone RR", slug="gone-rr", blocks_planned=12, **AT_HOME
        )
        wait_until((folder / "asked").exists, 120, goal="it plays")
        wait_until(
            lambda: platform.progress("gone-rr")["progress"]["blocks_over"], 300, goal="a block is over"
        )
    lines, page = played(platform, tab, "gone-rr")
    told = "left out after a forfeited block: ned/fern v1 is not connected."
    assert told in page.split("No longer playing")[1]
    rulings = page.split("Rulings and protests")[1]
    assert "Left out after a forfeited block ned/fern v1" in " ".join(rulings.split())
    assert "the platform" in rulings
    assert re.search(r"forfeited \d+ of \d+ match(es)?: its connection was lost and did not come back", page)
    by_bot = {line["bot"]: line for line in lines}
    assert {line["bot"] for line in lines[:5]} == {f"house/{bot}" for bot in FIELD}
    assert [line["place"] for line in lines[:5]] == sorted(line["place"] for line in lines[:5])
    assert all(by_bot[f"house/{bot}"]["elo"] for bot in FIELD)
    rows = csv.DictReader(platform.visitor().page("/tournaments/gone-rr/export/results.csv").splitlines())
    assert len({row["block"] for row in rows}) == 12, "as many as planned"
    tab.go("/de/tournaments/gone-rr/")
    german = "nach einem verloren gegebenen Block weggelassen: ned/fern v1 ist nicht verbunden."
    assert german in tab.page.inner_text("main")


def connected(platform):
    lines = platform.visitor().api("/api/v1/remote/")["results"]
    return next((line["connected"] for line in lines if line["bot"] == "ned/fern"), False)
