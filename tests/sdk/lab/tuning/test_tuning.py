"""Tuning finds a planted optimum, reports no gain where there is none, goes on, and refuses bad input."""

from __future__ import annotations

import random

import pytest
from documents import typed_lines
from stichkampf.bots.bot import load_program
from stichkampf.cli import main
from stichkampf.lab.tuning import Race, Spsa, verdict_of
from stichkampf.local_play.programs import local_program
from stichkampf.packaging.manifest import Manifest, read_manifest

OPTIMUM, START = (0.8, 0.25, 0.6), (0.3, 0.7, 0.2)
BOT = """
from stichkampf import Bot

class Careless(Bot):
    care = 0.1
    games = ("stiche-raten",)

    def choose(self, table):
        if table.rng.random() < self.care:
            return min(table.legal)
        return max(table.legal)
"""


def noisy(height, seed):
    """Return how pairs of points do whose strength falls with the square of the distance from the optimum."""
    rng = random.Random(seed)

    def strength(point):
        return -height * sum((a - b) ** 2 for a, b in zip(point, OPTIMUM, strict=True))

    def compare(one, other, pairs, name):
        return [strength(one) - strength(other) + rng.gauss(0, 1) for _ in range(pairs)]

    return compare


def distance(point):
    return max(abs(a - b) for a, b in zip(point, OPTIMUM, strict=True))


def test_spsa_finds_a_planted_optimum_of_three_parameters_in_its_budget():
    found = [Spsa(START, 150, 8, str(seed)).run(noisy(2.0, seed)) for seed in range(10)]
    assert sum(distance(point) < 0.12 for point in found) >= 8


def test_a_race_ends_nearer_to_the_optimum_than_it_began():
    found = [Race(START, 32, 16, str(seed)).run(noisy(2.0, seed)) for seed in range(10)]
    assert sum(distance(point) < 0.3 < distance(START) for point in found) >= 8


@pytest.mark.parametrize("method", [Spsa(START, 40, 4, "x"), Race(START, 16, 8, "x")])
def test_no_gain_is_reported_where_there_is_none(method):
    gains = 0
    for seed in range(20):
        compare = noisy(0.0, seed)
        point = method.run(compare)
        gains += verdict_of(compare(point, START, 200, "verdict")).is_gain
    assert gains <= 1


@pytest.mark.machine
def test_the_command_tunes_goes_on_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karl.py").write_text(BOT)
    (tmp_path / "karl.toml").write_text("[care]\nvalue = 0.1\nleast = 0\nmost = 1\n")
    (line,) = set(typed_lines("docs/how-to.md", "stichkampf tune"))
    words = [*line.split()[1:], *["--steps", "4", "--pairs", "2", "--verdict", "4", "--jobs", "1"]]
    assert main(words) in (0, 1)
    first = capsys.readouterr().out
    assert first.startswith("care = ")
    journal = (tmp_path / "tune-karl.jsonl").read_text()
    (tmp_path / "tune-karl.jsonl").write_text("".join(journal.splitlines(keepends=True)[:3]) + '{"cut')
    assert main(words) in (0, 1)
    assert capsys.readouterr().out == first
    assert (tmp_path / "tune-karl.jsonl").read_text() == journal
    assert (tmp_path / "tune-karl.jsonl.svg").read_text().startswith("<svg")
    assert main([*words, "--seed", "other"]) == 2
    assert "is the journal of another run: its seed" in capsys.readouterr().err


def test_numbers_of_a_manifest_are_set_wherever_the_bot_plays(tmp_path):
    (tmp_path / "bot.py").write_text(BOT.replace("care = 0.1", "care = 0.1\n    depth = 3"))
    declared = "parameters.{} = {{value = {}, least = 0, most = 10}}\n"
    (tmp_path / "stichkampf.toml").write_text(
        'name = "Karl"\n' + declared.format("care", 0.75) + declared.format("depth", 4.6)
    )
    told = Manifest.from_told(read_manifest((tmp_path / "stichkampf.toml").read_bytes()).told())
    for bot in (
        local_program(str(tmp_path)).load(),
        load_program(tmp_path / told.entry, told.class_name, told.values),
    ):
        assert (bot.care, bot.depth) == (0.75, 5)


def test_a_bot_that_fails_or_plays_another_game_is_not_tuned(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karl.py").write_text(BOT.replace("min(table.legal)", "1 / 0"))
    (tmp_path / "karl.toml").write_text("[care]\nvalue = 1\nleast = 0\nmost = 1\n")
    words = ["tune", "karl.py", "--parameters", "karl.toml", "--jobs", "1", "--game"]
    assert main([*words, "stiche-raten"]) == 2
    assert "karl.py fails, so that its numbers cannot be tuned: crashed" in capsys.readouterr().err
    assert main([*words, "mue"]) == 2
    assert "karl.py plays stiche-raten, not mue" in capsys.readouterr().err
    assert main([*words, "stiche-raten", "--steps", "999999"]) == 2
    assert "1 to 10000 steps, not 999999" in capsys.readouterr().err
    assert main([*words, "stiche-raten", "--journal", "."]) == 2
    assert "cannot read .: Is a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("", "declares 1 to 16 parameters"),
        ("[care]\nvalue = 2\nleast = 0\nmost = 1\n", "needs least <= value <= most"),
        ("[care]\nvalue = nan\nleast = 0\nmost = 1\n", "is a number from"),
        ("[care]\nvalue = 1\n", "has the keys value, least, most"),
        ("['9']\nvalue = 1\nleast = 0\nmost = 1\n", "is no name of an attribute"),
        ("[other]\nvalue = 0.5\nleast = 0\nmost = 1\n", "has no number other"),
        ("[", "is not TOML"),
    ],
)
def test_parameters_that_cannot_be_tuned_are_refused(tmp_path, monkeypatch, capsys, declared, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karl.py").write_text(BOT)
    (tmp_path / "p.toml").write_text(declared)
    assert main(["tune", "karl.py", "--game", "stiche-raten", "--parameters", "p.toml", "--jobs", "1"]) == 2
    assert message in capsys.readouterr().err
