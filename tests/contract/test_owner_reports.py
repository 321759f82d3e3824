"""The reports of an arbiter to the owner of a submitted bot: its output, and the limit that it exceeded."""

import asyncio
import hashlib
import re
import time

import pytest
from stichkampf.faults import FaultKind
from stichkampf_arbiter.bots import hosted
from stichkampf_arbiter.bots.hosted import HostedBot
from stichkampf_arbiter.bots.turns import BlockRegistry
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from support import archive

MATCHES = 12
FIRST_TO_BID = 1

TALKS = """
import sys
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        if table.legal[0].startswith("play"):
            print("my last words" + "." * 30_000, file=sys.stderr)
            print("and the very last", file=sys.stderr)
        return table.legal[0]
"""
SLEEPS = """
import sys, time
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        {code}
        return table.legal[0]
"""
COUNTS = """
import sys
from stichkampf import Bot
made = []
print("imported", file=sys.stderr)

class Karl(Bot):
    def __init__(self):
        made.append(self)
        print(f"bot {len(made)} of this process", file=sys.stderr)

    def choose(self, table):
        return table.legal[0]
"""
TELLS = """
import sys
from stichkampf import Bot
print("imported", file=sys.stderr)

class Karl(Bot):
    def choose(self, table):
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked % 2:
            print("décision", self.asked, file=sys.stderr)
        if self.asked == 5:
            raise ValueError("five")
        return table.legal[0]
"""
PRINTS = """
from stichkampf import Bot
print("imported")

class Karl(Bot):
    def choose(self, table):
        print("I hold", len(table.hand))
        return table.legal[0]
"""
PICKY = """
from stichkampf import Bot

class Karl(Bot):
    games = ("mue", "njet")

    def choose(self, table):
        return table.legal[0]
"""
NEVER_READY = "import time\nprint('still importing', flush=True)\ntime.sleep(600)\n"


def played(arbiter, key, source, **fields):
    arbiter.start_hosted(key, arbiter.upload(archive(source)), lane=key, **fields)
    return arbiter.finished(key)


def test_output_before_the_last_answer_is_always_in_the_report(arbiter):
    digest = arbiter.upload(archive(TALKS))
    keys = [f"talks-{number}" for number in range(MATCHES)]
    for key in keys:
        arbiter.start_hosted(key, digest, lane=key)
    reports = [arbiter.finished(key)[1][0] for key in keys]
    assert [report.stderr.count("and the very last") for report in reports] == [1] * MATCHES


def test_output_is_told_with_the_decision_for_which_it_was_written(arbiter):
    digest = arbiter.upload(archive(TELLS))
    for number in (1, 2):  # the second match finds the process as the first has left it
        arbiter.start_hosted(f"tells-{number}", digest, lane="tells", length="deals:5")
        _, reports = arbiter.finished(f"tells-{number}")
        written = {part.decision: reports[0].stderr[part.begin : part.end] for part in reports[0].written}
        assert len(written) > 3
        assert "ValueError: five" in written.pop(5)
        assert written == {asked: f"décision {asked}\n" for asked in written}
        assert all(asked % 2 for asked in written)


def test_a_report_holds_nothing_of_earlier_matches_of_the_process(arbiter):
    digest = arbiter.upload(archive(COUNTS))
    for number in (1, 2, 3):
        arbiter.start_hosted(f"counts-{number}", digest, lane="counts")
        _, reports = arbiter.finished(f"counts-{number}")
        mine = f"bot {number} of this process\n"
        assert reports[0].stderr == (f"imported\n{mine}" if number == 1 else mine)


def test_standard_output_stands_unchanged_in_the_report(arbiter):
    _, reports = played(arbiter, "prints", PRINTS)
    lines = reports[0].stderr.splitlines()
    assert lines[0] == "imported"
    assert len(lines) > 2
    assert all(line.startswith("I hold ") for line in lines[1:])


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("from stichkampf import Bot\n\nclass Karl(Bot)\n    pass\n", "bot.py, line 3: expected ':'\n"),
        ("import torch\n", "bot.py, line 1: ModuleNotFoundError: No module named 'torch'\n"),
        ("import math\n", "bot.py defines no subclass of stichkampf.Bot\n"),
    ],
    ids=["no Python", "missing library", "no bot"],
)
def test_a_bot_that_cannot_be_loaded_is_absent_and_gives_the_reason(arbiter, source, told):
    _, reports = played(arbiter, f"absent-{told[:24]}".replace(" ", "-"), source)
    assert reports[0].absent
    assert reports[0].stderr.endswith(told)
    assert reports[0].stderr.count("\n") == 1


def test_a_bot_that_does_not_play_the_game_is_reported_with_its_games(arbiter):
    _, reports = played(arbiter, "picky", PICKY)
    assert not reports[0].absent
    assert list(reports[0].games) == ["mue", "njet"]


def test_a_timeout_names_the_time_used_the_limit_and_the_question(arbiter):
    busy = SLEEPS.format(code="while True: pass")
    _, reports = played(arbiter, "busy", busy, move_seconds=0.2, first=FIRST_TO_BID)
    told = (
        r"timeout: 0\.\d\d s of cpu time used, 0\.20 s allowed; waiting beyond 2 x CPU time \+ 1 s is charged"
        r" too; legal were bid 0, bid 1"
    )
    assert re.fullmatch(told, reports[FIRST_TO_BID].complaints[0]), reports[FIRST_TO_BID].complaints[0]
    assert reports[FIRST_TO_BID].complaint_decisions[0] == 1
    assert len(reports[FIRST_TO_BID].complaint_decisions) == len(reports[FIRST_TO_BID].complaints)


def test_a_late_answer_is_explained_like_a_missing_one(arbiter):
    slow = SLEEPS.format(
        code="before = time.process_time()\n        while time.process_time() - before < 0.3: pass"
    )
    _, reports = played(arbiter, "slow", slow, move_seconds=0.25)
    assert any(text.startswith("timeout: 0.") for text in reports[0].complaints), reports[0].complaints


def test_the_limit_that_ended_a_bot_is_named_with_its_value(arbiter):
    glutton = SLEEPS.format(code="self.much = bytearray(400 * 2**20)")
    _, reports = played(arbiter, "much", glutton)
    assert "it was ended at the limit of 256 MiB of memory for all its processes, /tmp included" in list(
        reports[0].complaints
    )


def test_the_owner_of_a_bot_that_ends_before_its_hello_is_told(arbiter):
    _, reports = played(arbiter, "absent-module", "import nothing_of_that_name\n")
    assert "it ended before it said hello" in list(reports[0].complaints)


@pytest.fixture
async def launcher():
    launcher = await Launcher.start(SandboxSettings(warm=0))
    yield launcher
    await launcher.close()


async def test_a_bot_that_imports_for_too_long_times_out(launcher, tmp_path, short_folder, monkeypatch):
    monkeypatch.setattr(hosted, "START_SECONDS", 2)
    content = archive(NEVER_READY)
    (tmp_path / "archive").write_bytes(content)
    bot = HostedBot(hashlib.sha256(content).hexdigest(), "0", short_folder / "late.sock", time.monotonic)
    bot.join(BlockRegistry().join("late", 1))
    await bot.start(launcher, tmp_path / "archive")
    assert bot.stream is None
    assert await bot.why_lost() is FaultKind.TIMEOUT
    assert bot.trouble == "it did not say hello within 2 seconds, in which it is unpacked and imported"
    async with asyncio.timeout(120):
        while bot.stderr != "still importing\n":
            await bot.flush_stderr()
    await bot.end()
