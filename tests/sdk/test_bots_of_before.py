"""Bots that authors wrote for an earlier SDK play on, unchanged.

`tests/fixtures/bots_of_8c9bc60f.tar.xz` holds what `stichkampf new` of that commit made, a folder for each
kind and language, the bots of README and docs/how-to.md as they stood there, and `moves.jsonl`: the moves of
one deal of every game between each bot that repeats, on seat 0, and `Wanderer`, as that commit played them
from the seed 00 01 … 1f.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from stichkampf import new_game
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.games import GAMES
from stichkampf.local_play.programs import local_program
from stichkampf.testing import Wanderer, one_deal
from support import unpacked

SEED = bytes(range(32))
REPEATING = ("every-rules", "rules-bot", "net-bot", "lines-bot", "readme-bot", "weighs")
SEARCHING = ("search-bot", "search-every", "searcher")
COMPILED = {"cpp-bot": "g++ -std=c++17 -O2 -static -s -o bot bot.cpp", "javascript-bot": "true"}


@pytest.fixture(scope="module")
def earlier_bots(tmp_path_factory):
    return unpacked("bots_of_8c9bc60f.tar.xz", tmp_path_factory.mktemp("earlier"))


def played(folder, game, seats):
    program = local_program(str(folder))
    rules = new_game(game, seats, one_deal(game))
    seated = [Entrant(folder.name, program.load()), *[Entrant("wanderer", Wanderer)] * (seats - 1)]
    return play_match(rules, seated, SEED)


@pytest.mark.machine
@pytest.mark.parametrize("name", REPEATING)
def test_a_bot_of_before_plays_the_same_moves(earlier_bots, name):
    kept = [json.loads(line) for line in (earlier_bots / "moves.jsonl").read_text().splitlines()]
    own = [match for match in kept if match["bot"] == name]
    assert own
    for match in own:
        result = played(earlier_bots / name, match["game"], match["seats"])
        assert result.failures == []
        assert [move[:2] for deal in result.record["deals"] for move in deal["moves"]] == match["moves"]


@pytest.mark.machine
@pytest.mark.parametrize("name", SEARCHING)
def test_a_search_of_before_plays_without_a_fault(earlier_bots, name):
    games = ("stiche-raten",) if name == "search-bot" else ("stiche-raten", "was-sticht")
    for game in games:
        assert played(earlier_bots / name, game, min(GAMES[game].players)).failures == []


@pytest.mark.machine
@pytest.mark.parametrize("name", COMPILED)
def test_a_program_of_before_in_another_language_plays_without_a_fault(earlier_bots, name):
    subprocess.run(["sh", "-c", COMPILED[name]], cwd=earlier_bots / name, check=True, timeout=120)
    for game in GAMES:
        assert played(earlier_bots / name, game, min(GAMES[game].players)).failures == []
