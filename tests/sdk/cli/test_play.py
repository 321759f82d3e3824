"""`stichkampf play` with bots of an author: processes, clock, archives, several matches at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import archive

pytestmark = pytest.mark.machine

GOOD = """
from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        print("a line of mine")
        return table.rng.choice(table.legal)
"""
HANGS = GOOD.replace('print("a line of mine")', "while True: pass")
SLEEPS = GOOD.replace("from", "import time\nfrom", 1).replace('print("a line of mine")', "time.sleep(3600)")
ENDS = GOOD.replace("from", "import os\nfrom", 1).replace('print("a line of mine")', "os._exit(7)")
TABLE = ["stiche-raten", "thumb", "random"]
QUICK = ["-o", "length=deals:1", "--seed", "a"]


def play(folder: Path, bot: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stichkampf", "play", *TABLE, bot, *QUICK, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_files_folders_and_archives_play_alike_and_print_to_standard_error(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "karl.py").write_text("import helper\n" + GOOD)
    (tmp_path / "mine" / "helper.py").write_text("")
    (tmp_path / "mine" / "stichkampf.toml").write_text('name = "Karl"\nentry = "karl.py"\n')
    (tmp_path / "mine.zip").write_bytes(archive(GOOD))
    played = [play(tmp_path, bot, "--json") for bot in ("mine.py", "mine", "mine.zip")]
    results = [json.loads(one.stdout) for one in played]
    assert [one.returncode for one in played] == [0, 0, 0]
    assert all("a line of mine" in one.stderr for one in played)
    assert [result["seats"][2]["bot"] for result in results] == ["mine.py", "mine", "mine.zip"]
    assert all(result["seats"][2]["decisions_timed"] for result in results)
    assert len({tuple(seat["mean_score"] for seat in result["seats"]) for result in results}) == 1


def test_matches_at_once_give_the_same_records_in_the_same_order(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD)
    for jobs in ("1", "3"):
        one = play(tmp_path, "mine.py", "--matches", "5", "--jobs", jobs, "--records", f"{jobs}.jsonl")
        assert one.returncode == 0, one.stderr
    by_jobs = [
        [
            [deal["moves"] for deal in json.loads(line)["deals"]]
            for line in (tmp_path / f"{jobs}.jsonl").read_text().splitlines()
        ]
        for jobs in "13"
    ]
    assert len(by_jobs[0]) == 5
    assert by_jobs[0] == by_jobs[1]


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (HANGS, " times timeout; first in match 1, deal 1, decision"),
        (SLEEPS, "0.10 s allowed; waiting beyond 2 x CPU time + 1 s is charged too"),
        (ENDS, "its process has ended with exit status 7"),
    ],
    ids=["hangs", "sleeps", "ends"],
)
def test_a_bot_that_hangs_or_ends_is_replaced_and_the_status_says_so(tmp_path, program, said):
    (tmp_path / "mine.py").write_text(program)
    played = play(tmp_path, "mine.py", "--clock", "0.1,0,0.1")
    assert played.returncode == 1
    assert said in played.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1 / 0", "mine.py does not load: mine.py, line 1: ZeroDivisionError: division by zero"),
        ("import os\nos._exit(3)", "mine.py does not start: its process has ended with exit status 3"),
    ],
)
def test_a_bot_that_does_not_start_is_one_clear_line(tmp_path, content, said):
    (tmp_path / "mine.py").write_text(content)
    played = play(tmp_path, "mine.py")
    assert (played.returncode, played.stdout) == (2, "")
    assert said in played.stderr.splitlines()[-1]


def test_without_a_clock_the_bot_plays_in_the_process_of_the_command(tmp_path):
    asks = f"import os\n        assert os.getppid() == {os.getpid()}\n        print("
    (tmp_path / "mine.py").write_text(GOOD.replace("print(", asks))
    assert play(tmp_path, "mine.py", "--no-clock").returncode == 0
    assert play(tmp_path, "mine.py", "--matches", "2").returncode == 1
