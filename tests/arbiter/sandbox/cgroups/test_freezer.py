"""Sandboxes that are frozen: they stand still, go on, and end whatever happens to those who froze them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.cgroups.freezer import V1_FILE, V2_FILE, Freezer, thaw_below
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import ExitKind, SandboxLevel

SPINS = """
import threading
def spin():
    while True:
        pass
for thread in range(4):
    threading.Thread(target=spin, daemon=True).start()
print("ready", flush=True)
spin()
"""


@pytest.fixture
def freezes(arena):
    """Tell whether the sandbox of this machine can freeze; its level is `development` if not."""
    return arena.launcher.level is not SandboxLevel.DEVELOPMENT


@pytest.fixture
def still(until):
    """Tell whether a bot stands still: its processor time does not grow any more."""

    def stands_still(bot):
        used = []

        def look():
            used.append(bot.cpu_seconds())
            return len(used) > 20 and used[-1] == used[-20]

        return until(look)

    return stands_still


def test_a_frozen_bot_uses_no_processor_and_a_thawed_one_goes_on(arena, still, until, freezes):
    bot = arena.start(SPINS)
    assert until(lambda: "ready" in bot.stderr)
    bot.freeze()
    assert not freezes or still(bot)
    used = bot.cpu_seconds()
    bot.thaw()
    assert until(lambda: bot.cpu_seconds() > used)
    assert arena.kill(bot).kind is ExitKind.KILLED


def test_a_bot_that_is_started_frozen_runs_no_instruction_before_it_is_thawed(arena, loop, still, until):
    bot = loop.run(arena.launcher.launch(arena.spec("print('here')"), frozen=True))
    if arena.launcher.level is not SandboxLevel.DEVELOPMENT:
        assert still(bot)
        assert bot.stderr == ""
    bot.thaw()
    assert arena.wait(bot).stderr == "here\n"


def test_a_frozen_bot_can_be_ended(arena, until):
    bot = arena.start(SPINS)
    assert until(lambda: "ready" in bot.stderr)
    bot.freeze()
    assert arena.kill(bot).kind is ExitKind.KILLED


def test_an_ended_bot_cannot_be_frozen_and_that_is_no_error(arena):
    bot = arena.start("print('bye')")
    assert arena.wait(bot).kind is ExitKind.EXITED
    bot.freeze()
    bot.thaw()


@pytest.mark.parametrize("who", ["the launcher", "the process above it", "both"])
def test_frozen_bots_end_with_the_launcher(start, loop, arena, until, processes_of, number_of, who):
    launcher: Launcher = start()
    bots = [loop.run(launcher.launch(arena.spec(SPINS))) for _ in range(3)]
    assert until(lambda: all("ready" in bot.stderr for bot in bots))
    for bot in bots:
        bot.freeze()
    numbers = {"the launcher": [number_of(launcher)], "the process above it": [launcher._process.pid]}
    for number in numbers.get(who) or [*numbers["the process above it"], *numbers["the launcher"]]:
        os.kill(number, signal.SIGKILL)
    assert {arena.wait(bot).kind for bot in bots} == {ExitKind.LOST}
    assert until(lambda: not any(processes_of(bot.uid) for bot in bots))


@pytest.mark.parametrize(("name", "frozen", "thawed"), [(V1_FILE, "FROZEN", "THAWED"), (V2_FILE, "1", "0")])
def test_each_version_of_control_groups_gets_its_own_words(tmp_path, name, frozen, thawed):
    file = tmp_path / name
    file.touch()
    freezer = Freezer.open(file)
    freezer.freeze()
    assert file.read_text() == frozen
    file.write_text("")
    freezer.thaw()
    assert file.read_text() == thawed
    freezer.close()
    freezer.freeze()
    assert file.read_text() == thawed


def test_all_groups_that_were_left_frozen_are_thawed(tmp_path):
    files = [tmp_path / name / V1_FILE for name in ("bot-1", "bot-2")]
    for file in files:
        file.parent.mkdir()
        file.write_text("")
    (tmp_path / "no group").mkdir()
    thaw_below(tmp_path)
    assert [Path(file).read_text() for file in files] == ["THAWED", "THAWED"]
