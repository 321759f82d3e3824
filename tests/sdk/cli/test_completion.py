"""`stichkampf completion`: a shell that has read the script completes commands, options, games and files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.cli import main
from stichkampf.games import GAMES

ASK = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_stichkampf
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(capsys, tmp_path):
    """Returns what bash offers for the last of some words."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "karl.py").touch()

    def ask(*words):
        command = ["bash", "-c", ASK, "bash", script, "stichkampf", *words]
        answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return sorted(answer.stdout.split())

    return ask


def test_bash_completes_commands_options_games_and_files(completed):
    assert completed("ver") == ["verify"]
    assert completed("play", "--no") == ["--no-clock"]
    assert completed("facts", "") == sorted(GAMES)
    assert completed("check", "kar") == ["karl.py"]


def test_bash_knows_house_bots_and_the_own_ones_of_the_site(completed, serve, monkeypatch):
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    assert completed("play", "mue", "th") == ["thumb"]
    assert completed("duel", "mue", "kar") == ["karl.py"]
    mine = [{"slug": name, "full_name": f"ann/{name}"} for name in ("kara", "otto")]
    serve((200, {}, json.dumps({"results": mine, "next": None})))
    assert completed("status", "ka") == ["kara"]
    assert completed("challenge", "kara", "o") == ["otto"]
    assert completed("challenge", "kara", "wor") == ["worrier"]
    serve((401, {}, '{"detail": "no"}'))
    assert completed("status", "ka") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_that_names_every_command(capsys, shell):
    main(["completion", shell])
    script = capsys.readouterr().out
    assert all(command in script for command in ("play", "duel", "submit", "connect", "completion"))


def test_an_unknown_shell_is_refused_with_those_that_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["completion", "cmd"])
    assert ended.value.code == 2
    assert "unknown value 'cmd'; possible: bash, zsh, fish" in capsys.readouterr().err
