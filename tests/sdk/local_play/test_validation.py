"""A validation reaches what the ladders reach: every seat and number of seats, late and large decisions."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import pytest
from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.games import GAMES, new_game
from stichkampf.local_play import rare_decisions, validation
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import LocalProgram
from stichkampf.local_play.rare_decisions import RareDecisions, kinds_of
from stichkampf.local_play.validation import OPPONENTS, TrialResult, Validation, trials

from benchmarks.late_crashes import CRASHES, check, drawn

DECISIONS = 15
SLOW = """
import time
from stichkampf import Bot

class Slow(Bot):
    games = {games!r}

    def choose(self, table):
        time.sleep(0.15)
        return table.legal[0]
"""


class Report(NamedTuple):
    absent = False
    exit_kind = ""
    exit_code = 0
    games = complaints = ()


class InThisProcess(Validation):
    """A validation of a bot that chooses by chance, without processes and clocks.

    :param seconds: time that a match is said to take.
    """

    def __init__(self, game, seconds=0.0):
        super().__init__([game])
        self.seconds = seconds
        self.told, self.played, self.met = [], [], set()

    def say(self, text, level="info"):
        self.told.append(text)

    def play(self, trial):
        bots = trial.seated(entrant("random"), [entrant(name) for name in OPPONENTS])
        record = play_match(trial.game, bots, trial.seed).record
        self.played.append((trial, self.seconds_left))
        self.met |= kinds_of(record, trial.seat)
        return TrialResult(record, Report(), [], self.seconds)


@pytest.fixture
def drawn_seeds(monkeypatch):
    seeds = seeds_from("validation")
    monkeypatch.setattr(rare_decisions.secrets, "token_bytes", lambda _: next(seeds))


@pytest.mark.parametrize("game", GAMES)
def test_the_matches_of_a_game_have_all_numbers_of_seats_and_the_rules_of_ladders(game):
    needed = [trial for trial in trials(game) if not trial.at_will]
    ladder = GAMES[game].main_ladder
    assert {trial.seats for trial in needed} == set(GAMES[game].players)
    assert {trial.seat for trial in needed if trial.seats == ladder.seats} == set(range(ladder.seats))
    rules = [trial.game.options for trial in needed]
    assert rules[0] == new_game(game, ladder.seats, ladder.options).options
    assert new_game(game, ladder.seats, {}).options in rules


@pytest.mark.slow
def test_a_validation_reaches_the_late_and_large_decisions_of_ladders(drawn_seeds):
    missed = []
    for game in GAMES:
        run = InThisProcess(game)
        assert run.try_games().games == [game]
        missed += [(game, one) for one in drawn(game, "test", DECISIONS) if one not in run.met]
    assert len(missed) <= 0.05 * DECISIONS * len(GAMES), missed


def test_as_many_matches_are_played_as_bring_news(drawn_seeds):
    few, many = InThisProcess("stiche-raten"), InThisProcess("sixes-and-sevens")
    few.try_games()
    many.try_games()
    needed = sum(not trial.at_will for trial in trials("stiche-raten"))
    assert len(few.played) == needed < len(many.played) < validation.MOST_MATCHES
    assert not any("late decisions may be left untried" in line for line in few.told + many.told)


def test_only_the_time_of_matches_counts(monkeypatch, drawn_seeds):
    monkeypatch.setattr(validation, "SECONDS", 6.0)
    run = InThisProcess("stiche-raten", seconds=1.0)
    run.try_games()
    assert [seconds for _, seconds in run.played] == [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    assert any("late decisions may be left untried" in line for line in run.told)


def test_the_seed_is_that_with_the_most_new_decisions(drawn_seeds):
    game, decisions = new_game("sixes-and-sevens", 4, {"length": "deals:1"}), RareDecisions()
    first = decisions.seed(game, ["random"] * 4, 0)
    assert decisions.news == 1.0
    met = play_match(game, [entrant("random")] * 4, first).record
    decisions.add(met, 0)
    for seed in (decisions.seed(game, ["random"] * 4, 0) for _ in range(5)):
        record = play_match(game, [entrant("random")] * 4, seed).record
        assert kinds_of(record, 0) - kinds_of(met, 0)
        assert 0 < decisions.news < 1


@pytest.mark.slow
@pytest.mark.machine
@pytest.mark.parametrize("game", ["stiche-raten", "mue"])
def test_a_bot_that_crashes_only_in_the_last_deal_of_a_ladder_match_is_rejected(game):
    ladder = GAMES[game].main_ladder
    rules = new_game(game, ladder.seats, ladder.options)
    record = play_match(rules, [entrant("thumb")] * ladder.seats, next(islice(seeds_from("a"), 1))).record
    source = CRASHES.format(game=game, kind=len(record["deals"]) - 1)
    source = source.replace("if kind ==", "if table.deal_number ==")
    assert not check(source, "--no-sandbox").accepted


def outcome_of(tmp_path, monkeypatch, *games):
    monkeypatch.setattr(validation, "SECONDS", 2.0)
    (tmp_path / "bot.py").write_text(SLOW.format(games=games))
    told = []
    program = LocalProgram("slow", entry="bot.py", folder=str(tmp_path), games=games)
    return HomeValidation(program, lambda text, _: told.append(text)).try_games(), told


@pytest.mark.machine
def test_a_bot_that_thinks_long_is_accepted_and_told_what_was_left_untried(tmp_path, monkeypatch):
    verdict, told = outcome_of(tmp_path, monkeypatch, "meinz", "njet")
    assert verdict == (["meinz", "njet"], "", "")
    assert sum("late decisions may be left untried" in line for line in told) == 2
    assert "meinz: played without a fault as long as it had time." in told


def test_no_further_match_begins_once_a_bot_has_thought_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(validation, "THINKING_SECONDS", 0.0)
    (tmp_path / "bot.py").write_text(SLOW.replace("time.sleep(0.15)", "sum(range(100_000))").format(games=()))
    told = []
    program = LocalProgram("slow", entry="bot.py", folder=str(tmp_path), games=("stiche-raten",))
    assert HomeValidation(program, lambda text, _: told.append(text)).try_games().games == ["stiche-raten"]
    assert any("stiche-raten: it thinks so long" in line for line in told)
    assert any("1 matches with 4 seats; 1" in line for line in told)
