"""Programs in other languages on the command line: those that the documentation shows, and broken ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from documents import code_blocks, lines_programs
from jsonschema import Draft202012Validator
from stichkampf.bots.program_bot import SCHEMA
from stichkampf.cli import main
from stichkampf.local_play.programs import local_program

pytestmark = pytest.mark.machine

MANIFEST = f'{code_blocks("docs/json-lines.md", "toml")[0]}games = ["stiche-raten"]\n'


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in a folder with the programs of the documentation; returns status and both outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, text in lines_programs().items():
        Path(name).write_text(text)
        Path(name).chmod(0o755)

    def command(*arguments):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return command


def test_the_documentation_shows_a_program_for_each_language():
    assert sorted(lines_programs()) == ["karl.awk", "karl.js", "karl.pl", "karl.sh", "karl_lines.py"]


def test_the_questions_and_answers_that_the_documentation_shows_hold_to_the_schema():
    shown = [json.loads(block) for block in code_blocks("docs/json-lines.md", "json")]
    assert ["version" in message for message in shown] == [True, False]
    for message in shown:
        Draft202012Validator(json.loads(SCHEMA.read_text())).validate(message)


def test_run_shows_every_line_in_both_directions(run):
    status, out, _ = run("run", "--game", "stiche-raten", "--seed", "a", "--", "./karl.sh")
    lines = out.splitlines()
    assert status == 0
    assert [line[:2] for line in lines[:-2]] == ["> ", "< "] * 2
    question, answer = json.loads(lines[0][2:]), json.loads(lines[1][2:])
    assert answer["action"] == question["legal"][0]
    assert lines[-1] == "To play the same again: --seed a"
    assert json.loads(run("run", "--schema")[1]) == json.loads(SCHEMA.read_text())


def test_a_program_with_a_fault_is_told_why_and_ends_with_status_one(run):
    script = "while read -r question; do echo thinking; done"
    status, _, err = run("run", "--game", "stiche-raten", "--quiet", "--", "sh", "-c", script)
    assert status == 1
    assert err.splitlines()[0].startswith(
        "its answer is not JSON: 'thinking'; it must write one line such as"
    )


def test_a_project_of_a_program_is_checked_packed_and_its_decisions_are_put_to_it_again(run, tmp_path):
    Path("karl").mkdir()
    Path("karl.pl").rename("karl/karl.pl")
    Path("karl/stichkampf.toml").write_text(MANIFEST)
    status, out, _ = run("check", "karl")
    assert (status, "Accepted for stiche-raten." in out) == (0, True), out
    assert run("pack", "karl", "karl.zip")[0] == 0
    assert (
        run("play", "stiche-raten", "karl.zip", "thumb", "random", "--seed", "3", "--records", "r.jsonl")[0]
        == 0
    )
    status, out, _ = run("debug", "r.jsonl", "2", "karl.zip")
    assert (status, "answer: ('bid 0', Note(text='', weights={}))" in out) == (0, True)


@pytest.mark.parametrize(
    ("bot", "complaint"),
    [
        ("sh broken 'quotes", 'no bot "sh broken \'quotes": it is neither a house bot'),
        ("no-such-program -x", "no bot 'no-such-program -x'"),
        ("silent.sh", "'./silent.sh' does not start: Exec format error"),
    ],
)
def test_what_is_no_program_is_one_clear_line(run, bot, complaint):
    Path("silent.sh").write_text("not a script")
    Path("silent.sh").chmod(0o755)
    status, out, err = run("play", "stiche-raten", bot, "thumb", "random")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err


def test_the_time_of_a_program_is_that_of_its_own_process(run):
    burn = "{ for (i = 0; i < 3000000; i++) x += i }\n"
    Path("burns.awk").write_text(burn + lines_programs()["karl.awk"])
    bot = "awk -W interactive -f burns.awk"
    assert local_program(bot).command[0] == "awk"
    run("play", "stiche-raten", bot, "thumb", "random", "-o", "length=deals:1", "--records", "r.jsonl")
    record = json.loads(Path("r.jsonl").read_text())
    moves = zip(record["deals"][0]["moves"], record["costs"][0], strict=True)
    assert all(cost > 0.02 for (seat, _), cost in moves if seat == 0)
