"""A game of a package that an operator installed, at a table behind which real programs run."""

from __future__ import annotations

import subprocess
import sys
import sysconfig

import pytest
from installed_game import install_whist
from stichkampf.games import GAMES
from stichkampf.games.installed import installed_games, load
from stichkampf.match.verify import verify
from stichkampf_platform.play import services, tasks
from stichkampf_platform.play.models import PlayedState, PlayedTable
from support import wait_until


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with all packages of this one, and with that of docs/new-game.md."""
    folder = tmp_path_factory.mktemp("environment")
    folder.chmod(0o755)  # house bots run as another user
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    this_one = sysconfig.get_path("purelib")
    (packages / "this-one.pth").write_text(f"import site; site.addsitedir({this_one!r})\n")
    install_whist(packages)
    return folder


@pytest.fixture(scope="module")
def python_of_parts(environment):
    return environment / "bin" / "python"


@pytest.fixture
def whist(environment, monkeypatch):
    """The game, as this process finds it among its own packages."""
    assert "whist" not in GAMES
    (packages,) = environment.glob("lib/python*/site-packages")
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setitem(GAMES, "whist", load(installed_games()["whist"]))
    yield GAMES["whist"]
    for name in ("card_club", "card_club.whist"):
        del sys.modules[name]


def test_a_person_plays_it_against_house_bots_of_the_arbiter(parts, whist):
    one_deal = {"length": "deals:1"}
    key = services.start_table(game="whist", seats=4, seat=0, opponents="gentle", options=one_deal)
    pressed = 0
    while not (feed := asked(key)).over:
        services.answer(key, feed.question.decision, feed.question.legal[0], feed)
        pressed += 1
    assert pressed == 13

    def stored():
        table = PlayedTable.objects.get(public_id=key.table)
        tasks.land(table.pk)
        table.refresh_from_db()
        return table if table.state == PlayedState.OVER else None

    record = wait_until(stored, goal="the match is stored").record
    verify(record)
    assert (record["game"], record["faults"]) == ("whist", [])


def asked(key):
    """Wait until the person is asked, or the match is over; return the feed."""

    def news():
        feed = services.feed(key)
        return feed if feed.question or feed.over else None

    return wait_until(news, goal="a question")
