"""`stichkampf check`: verdict, exit status and what was not tried; the platform's tests try its words."""

from __future__ import annotations

import json
import sys

import pytest
from stichkampf.cli import main
from stichkampf.errors import installing
from support import archive

pytestmark = pytest.mark.machine

BOT = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return open("data.txt").read() and table.legal[0]
"""


@pytest.fixture
def check(capsys, monkeypatch, tmp_path):
    """Runs `stichkampf check` in an empty folder; returns status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def command(*arguments):
        return main(["check", *arguments]), *capsys.readouterr()

    return command


def test_a_sound_bot_is_accepted_with_its_files_beside_it(check, tmp_path):
    (tmp_path / "karl.zip").write_bytes(archive({"bot.py": BOT, "data.txt": "x"}))
    status, out, err = check("karl.zip", "--no-sandbox")
    assert (status, err) == (0, "")
    *log, verdict, not_tried = out.splitlines()
    assert log[0].startswith("Received ")
    assert "stiche-raten: played to the end without a fault" in log[-1]
    assert verdict == "Accepted for stiche-raten."
    assert not_tried.startswith("Not tried here: the server's sandbox")


def test_a_fault_is_a_rejection_with_its_reason_also_as_json(check, tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    status, out, _ = check("bot.py", "--no-sandbox", "--json")
    verdict = json.loads(out)
    assert (status, verdict["accepted"], verdict["games"]) == (1, False, [])
    assert verdict["reason"].startswith("stiche-raten: crashed at decision ")
    assert any("FileNotFoundError" in line["text"] for line in verdict["log"] if line["level"] == "bad")


def test_an_archive_that_the_server_refuses_is_rejected_before_anything_runs(check, tmp_path):
    (tmp_path / "karl.zip").write_bytes(archive({"karl/bot.py": BOT}))
    status, out, _ = check("karl.zip")
    assert status == 1
    assert out.startswith("Rejected: there is no bot: the archive needs bot.py")
    assert check("none.zip") == (2, "", "stichkampf: there is no file or folder none.zip\n")


def test_in_the_sandbox_nothing_is_left_untried(check, tmp_path):
    (tmp_path / "karl.zip").write_bytes(archive({"bot.py": BOT, "data.txt": "x"}))
    status, out, err = check("karl.zip", "--sandbox", "--json")
    verdict = json.loads(out)
    assert (status, err, verdict["not_tried"]) == (0, "", "")
    assert any("Hello from stichkampf/" in line["text"] for line in verdict["log"])


def test_without_a_sandbox_it_says_so_and_goes_on(check, tmp_path, monkeypatch):
    monkeypatch.setattr("stichkampf.sandboxed.private_arbiter.PROGRAM", "no_arbiter_here")
    (tmp_path / "karl.zip").write_bytes(archive({"bot.py": BOT, "data.txt": "x"}))
    status, out, _ = check("karl.zip")
    assert status == 0
    assert f"Without the sandbox: there is no sandbox here: {installing('sandbox')}." in out
    assert check("karl.zip", "--sandbox")[0] == 2
