"""The benchmark: its figures against its records, its journal, its intervals."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from stichkampf.bots.practice import entrant as seated
from stichkampf.bots.practice import play_match, seeds_from
from stichkampf.bots.registry import house_bots
from stichkampf.cli import main
from stichkampf.errors import RecordError, StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.lab.benchmark import PROTOCOL
from stichkampf.lab.benchmark.figures import GameFigures
from stichkampf.lab.benchmark.protocol import Protocol, ProtocolGame
from stichkampf.lab.benchmark.report import citation
from stichkampf.lab.benchmark.run import BenchmarkBlock, blocks_of, comparisons_a_block, play_blocks
from stichkampf.local_play.journal import Journal
from stichkampf.local_play.programs import local_program

REPEATS = 1000
# What 1,024 blocks of `thumb` brought in one game, as a report counts them.
STEADY = {6: 20, 8: 85, 9: 130, 10: 170, 11: 160, 12: 150, 13: 120, 14: 90, 16: 70, 20: 29}
LOPSIDED = {0: 310, 1: 260, 2: 190, 4: 120, 8: 80, 12: 40, 24: 24}


def test_the_protocol_is_frozen():
    assert (PROTOCOL.name, PROTOCOL.hash) == ("stichkampf-1", "c59c47d8a266"), (
        "a changed protocol is a new one"
    )
    assert [game.name for game in PROTOCOL.games] == list(GAMES)[:7]
    assert (PROTOCOL.blocks, PROTOCOL.seed) == (1024, "stichkampf-1")
    for game in PROTOCOL.games:
        assert game.rules().seats == 4
    assert all(name.partition(" v")[0] in house_bots() for name in PROTOCOL.pool)


def test_an_option_that_a_game_gets_later_changes_no_protocol():
    for game in PROTOCOL.games:
        defaults = new_game(game.name, game.seats).options
        chosen = {name: value for name, value in game.options.items() if defaults[name] != value}
        assert replace(game, options=chosen).rules().options == game.rules().options
    with pytest.raises(StichkampfError, match="the protocol has version 0 of the rules"):
        replace(game, rules_version=0).rules()


def test_a_block_compares_the_bot_with_the_pool_hand_by_hand():
    about = next(game for game in PROTOCOL.games if game.name == "sixes-and-sevens")
    bot = local_program("thumb")
    (block,) = play_blocks(PROTOCOL, about, bot, seed="one", blocks=1)
    game, seed = about.rules(), next(seeds_from("one sixes-and-sevens"))
    other = seated("thumb v2"), seated("thumb v2")
    own = play_match(game, [other[0], seated("thumb"), other[1], seated("thumb")], seed).record["scores"]
    assert block == BenchmarkBlock("sixes-and-sevens", 0, wins=4, points=0, faults=0), own
    assert comparisons_a_block(game) == 4
    assert comparisons_a_block(PROTOCOL.games[0].rules()) == 12


def test_every_bot_of_the_pool_meets_the_bot_equally_often_and_holds_every_hand():
    bot = local_program("random")
    game = PROTOCOL.games[0].rules()
    met = dict.fromkeys(PROTOCOL.pool, 0)
    for tables in blocks_of(game, bot, PROTOCOL.pool, "any", 8):
        assert len({table.seed for table in tables}) == 1
        for table in tables:
            assert sum(program is bot for program in table.programs) == 1
            for program in table.programs:
                if program is not bot:
                    met[program.house] += 1
        for seat in range(4):
            assert len({id(table.programs[seat]) for table in tables}) == 4
    assert set(met.values()) == {24}


@pytest.mark.slow
@pytest.mark.parametrize("blocks_by_wins", [STEADY, LOPSIDED])
def test_the_interval_of_the_difference_of_two_runs_holds_0_as_often_as_it_says(blocks_by_wins):
    random = Random(5)
    wins, weights = list(blocks_by_wins), list(blocks_by_wins.values())

    def again():
        drawn = random.choices(wins, weights, k=PROTOCOL.blocks)
        return GameFigures.of("any", most=24, blocks=[(one, 0, 0) for one in drawn]).elo

    held = 0
    for _ in range(REPEATS):
        first, second = again(), again()
        half = (first.plus_minus**2 + second.plus_minus**2) ** 0.5
        held += abs(first.value - second.value) <= half
    assert 0.93 <= held / REPEATS <= 0.97


@pytest.mark.slow
def test_an_ended_run_goes_on_with_its_journal_and_gives_the_same_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    games = ["--game", "njet", "--game", "stiche-raten", "--blocks", "3"]
    assert main(["benchmark", "random", *games, "--journal", "whole.jsonl"]) == 0
    whole = capsys.readouterr().out
    assert main(["benchmark", "random", *games]) == 0
    path = tmp_path / "benchmark-random-v1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:9])
    assert main(["benchmark", "random", *games, "--jobs", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))
    assert [game["blocks"] for game in told["games"]] == [3, 3]
    assert not told["is_protocol"]
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert main(["benchmark", "random", *games]) == 0
    assert capsys.readouterr().out == whole
    assert "not the protocol: 3 blocks a game instead of 1024" in whole
    assert "not the protocol: 2 of 7 games" in whole
    assert whole.splitlines()[-1].startswith("house/random v1: -")
    assert main(["benchmark", "random", *games, "--seed", "other"]) == 2
    assert 'its seed is "stichkampf-1", not "other"' in capsys.readouterr().err


@pytest.mark.slow
def test_a_bot_that_fails_is_told_and_one_that_cannot_play_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.py").write_text(
        "import stichkampf\n"
        "class Policy(stichkampf.Bot):\n"
        "    games = ('njet',)\n"
        "    held = lambda self: 0  # cannot be pickled\n"
        "    def choose(self, table):\n"
        "        return 'nonsense' if table.seat == 0 else table.legal[0]\n"
    )
    assert main(["benchmark", "policy.py", "--blocks", "1"]) == 1
    out = capsys.readouterr().out
    assert " faults; not stichkampf-1" in out
    assert main(["benchmark", "policy.py", "--game", "mue"]) == 2
    assert "policy.py plays njet; wanted were mue" in capsys.readouterr().err
    (tmp_path / "policy.py").write_text("import stichkampf\n")
    assert main(["benchmark", "policy.py"]) == 2
    assert "policy.py defines no subclass of stichkampf.Bot" in capsys.readouterr().err
    (tmp_path / "benchmark-thumb-v2.jsonl").write_text("no journal\n")
    with pytest.raises(RecordError, match="is no journal of such a run"):
        Journal(tmp_path / "benchmark-thumb-v2.jsonl", {}, BenchmarkBlock)


def test_other_rules_than_the_protocols_are_refused():
    changed = ProtocolGame("mue", 4, 99, PROTOCOL.games[3].options)
    with pytest.raises(StichkampfError, match="version 99 of the rules of mue"):
        changed.rules()


def test_a_citation_names_the_protocol_and_nothing_else_where_all_was_played():
    small = Protocol("p", "s", 2, (), (PROTOCOL.games[0],), "abc")
    figures = [GameFigures.of("sticheln", most=24, blocks=[(12, 1, 0), (14, 3, 0)])]
    assert citation(small, "mine", "s", figures, version="1") == (
        "mine: +19.3 ± 56.9 Elo above the pool; p (abc); stichkampf 1"
    )
