"""`stichkampf check` at home says of a bot what the server says, in the same words."""

import re

import pytest
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import LocalProgram

pytestmark = pytest.mark.xdist_group("validation")

BOT = """
import os, sys
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        {}
"""
BOTS = {
    "honest": BOT.format("return table.legal[-1]"),
    "crashes and talks": BOT.format("print('\\n'.join('abcdefgh'))\n        return table.facts['trumpp']"),
    "illegal": BOT.format("return 'bid 64'"),
    "returns nothing": BOT.format("return None"),
    "ends": BOT.format("os._exit(3)"),
    "does not load": BOT.format("return None") + "\n1 / 0\n",
}


def words(lines):
    """Leave out what differs from match to match and machine to machine: cards, numbers, times, the hello.

    And the start: a bot that ends in its first decision may be gone before the server has seen it start.
    """
    seen = [line for line in lines if ": started in " not in line]
    texts = [re.split(r"choose from:|legal were|played to the end", line)[0] for line in seen]
    texts = [text.split(" Hello from")[0] for text in texts]
    return [re.sub(r"\d+(?:\.\d+)?", "N", text).strip() for text in texts]


@pytest.mark.parametrize("source", BOTS.values(), ids=BOTS)
def test_the_check_at_home_says_what_the_server_says(validated, tmp_path, source):
    version, lines = validated(source, games=())
    (tmp_path / "bot.py").write_text(source)
    told = []
    at_home = HomeValidation(
        LocalProgram("karl", entry="bot.py", folder=str(tmp_path)), lambda text, _: told.append(text)
    )
    at_home.announce(1)
    passed, wrong = at_home.try_games()
    begin = next(number for number, line in enumerate(lines) if line.startswith("Validation "))
    assert words(told) == words(lines[begin:])[: len(words(told))]
    assert (bool(passed) and not wrong) == (version.state == "approved")
    assert not wrong or words([wrong]) == words([version.reason])
