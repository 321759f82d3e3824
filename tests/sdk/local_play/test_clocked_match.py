"""Matches at home under the clock: what a bot is told of it."""

from __future__ import annotations

import json

from stichkampf.games import new_game
from stichkampf.local_play.clocked_match import BotProcesses, ClockedMatch
from stichkampf.local_play.programs import local_program
from stichkampf.match.records import moves
from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock

BOT = """
import json, time
from stichkampf import Bot

class Slow(Bot):
    def choose(self, table):
        begun = time.process_time()
        while time.process_time() - begun < 0.02:
            pass
        clock = table.clock
        return table.legal[0], json.dumps([clock.bank, clock.spent, table.seconds == clock.longest])
"""


def test_a_bot_at_home_is_told_what_its_decisions_have_taken_from_the_bank(tmp_path):
    (tmp_path / "slow.py").write_text(BOT)
    control = TimeControl(move_seconds=0.001, bank_seconds=5, cap_seconds=5)
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    seated = [local_program(str(tmp_path / "slow.py")), *[local_program("thumb")] * 2]
    with BotProcesses() as processes:
        played = ClockedMatch(game, seated, bytes(32), processes, control).play_to_end()
    assert played.failures == []
    clock = Clock(control)
    told = []
    for move in moves(played.record):
        if move.seat == 0:
            told.append(json.loads(move.note["text"]))
            bank, spent, is_longest = told[-1]
            assert abs(bank - clock.bank_seconds) < 0.001
            assert abs(bank + spent - control.bank_seconds) < 1e-6
            assert is_longest
            clock.charge(move.cost)
    assert told[-1][1] > told[0][1] == 0


LOOKS_AT_COLLECTOR = """
import gc
from stichkampf import Bot

class Looks(Bot):
    def choose(self, table):
        return table.legal[0], f"{gc.get_freeze_count()} {len(gc.get_objects())}"
"""


def test_the_collector_leaves_out_what_was_loaded_before_the_first_question(tmp_path):
    """A whole collection took 5 ms of a decision before: more than the rest of its clock allowed."""
    (tmp_path / "looks.py").write_text(LOOKS_AT_COLLECTOR)
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    seated = [local_program(str(tmp_path / "looks.py")), *[local_program("thumb")] * 2]
    with BotProcesses() as processes:
        played = ClockedMatch(game, seated, bytes(32), processes, TimeControl()).play_to_end()
    assert played.failures == []
    (first, *_) = [move for move in moves(played.record) if move.seat == 0]
    frozen, looked_at = map(int, first.note["text"].split())
    assert frozen > 10 * looked_at
