"""A validation reaches what the ladders reach: every seat and number of seats, late and large decisions."""

from __future__ import annotations

from itertools import islice

import pytest
from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.games import GAMES, new_game
from stichkampf.local_play import validation
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import LocalProgram
from stichkampf.local_play.validation import OPPONENTS, trials
from stichkampf.match.records import steps

from benchmarks.late_crashes import CRASHES, Kind, check, drawn

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


def kinds_asked(game, seed):
    """Return the kinds of decisions that a bot takes in a validation of a game, where it plays by chance."""
    found = set()
    for trial, match_seed in zip(trials(game), seeds_from(seed), strict=False):
        rules = new_game(game, trial.seats, trial.options)
        bots = trial.seated(entrant("random"), [entrant(name) for name in OPPONENTS])
        for step in steps(play_match(rules, bots, match_seed).record):
            if step.move.seat == trial.seat:
                deal = step.match.deal
                cards = len(deal.hand(trial.seat))
                found.add(Kind(deal.phase(), len(step.match.played) - 1, cards, len(step.legal)))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_the_matches_of_a_game_have_all_numbers_of_seats_and_the_rules_of_ladders(game):
    played = list(trials(game))
    ladder = GAMES[game].main_ladder
    assert {trial.seats for trial in played} == set(GAMES[game].players)
    assert {trial.seat for trial in played if trial.seats == ladder.seats} == set(range(ladder.seats))
    assert played[0].options == ladder.options
    rules = [new_game(game, trial.seats, trial.options).options for trial in played]
    assert new_game(game, ladder.seats, {}).options in rules


@pytest.mark.slow
def test_a_validation_reaches_the_late_and_large_decisions_of_ladders():
    missed = []
    for game in GAMES:
        asked = kinds_asked(game, "validation")
        for one in drawn(game, "test", DECISIONS):
            reached = any(
                kind.phase == one.phase and all(a >= b for a, b in zip(kind[1:], one[1:], strict=True))
                for kind in asked
            )
            if not reached:
                missed.append((game, one))
    assert len(missed) <= 0.05 * DECISIONS * len(GAMES), missed


@pytest.mark.slow
@pytest.mark.machine
@pytest.mark.parametrize("game", ["stiche-raten", "mue"])
def test_a_bot_that_crashes_only_in_the_last_deal_of_a_ladder_match_is_rejected(game):
    ladder = GAMES[game].main_ladder
    rules = new_game(game, ladder.seats, ladder.options)
    record = play_match(rules, [entrant("thumb")] * ladder.seats, next(islice(seeds_from("a"), 1))).record
    source = CRASHES.format(game=game, kind=len(record["deals"]) - 1)
    accepted, _ = check(source.replace("if kind ==", "if table.deal_number =="))
    assert not accepted


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
