"""Programs that speak JSON lines in the sandbox of this machine, at tables of a real arbiter process."""

import subprocess
from pathlib import Path

import pytest
from documents import lines_programs
from stichkampf.cli import main
from stichkampf.cli.project import program_files
from stichkampf.packaging.archive import pack
from support import archive

COMMANDS = {
    "karl.pl": '["./karl.pl"]',
    "karl.js": '["node", "--max-old-space-size=150", "karl.js"]',
    "karl.sh": '["./karl.sh"]',
    "karl.awk": '["awk", "-W", "interactive", "-f", "karl.awk"]',
    "karl_lines.py": '["python3", "karl_lines.py"]',
}
TALKS = "#!/bin/sh\nwhile read -r question; do echo I am thinking; done\n"
ENDS = "#!/bin/sh\nread -r question\necho out of ideas >&2\nexit 3\n"


def manifest(command):
    return f'name = "Karl"\nlanguage = "any"\nprotocol = "lines"\ncommand = {command}\n'


def played(arbiter, key, name, program, command):
    digest = arbiter.upload(archive({name: program, "stichkampf.toml": manifest(command)}))
    arbiter.start_hosted(key, digest)
    return arbiter.finished(key)


def own_moves(record):
    return [move for deal in record["deals"] for move in deal["moves"] if move[0] == 0]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_program_plays_its_own_moves(arbiter, name):
    record, reports = played(arbiter, f"lines-{name}", name, lines_programs()[name], COMMANDS[name])
    assert record["faults"] == [], reports[0]
    assert own_moves(record)[0][1] == "bid 0"
    assert record["time_control"]["charged"][0] == "cpu"


def test_the_owner_of_a_program_that_prints_is_told_what_it_printed(arbiter):
    record, reports = played(arbiter, "lines-talk", "karl", TALKS, '["./karl"]')
    assert {fault["kind"] for fault in record["faults"]} == {"malformed"}
    assert reports[0].complaints[0].startswith("its answer is not JSON: 'I am thinking'; it must write one")


def test_the_owner_of_a_program_that_ends_is_told_how_and_what_it_wrote(arbiter):
    record, reports = played(arbiter, "lines-end", "karl", ENDS, '["./karl"]')
    assert {fault["kind"] for fault in record["faults"]} == {"crashed"}
    assert "the program has ended with exit status 3 instead of answering" in reports[0].complaints[0]


def test_a_program_without_its_part_of_the_runtime_does_not_start_and_says_why(arbiter):
    record, reports = played(arbiter, "lines-part", "karl", "#!/usr/bin/ruby\n", '["./karl"]')
    assert {fault["kind"] for fault in record["faults"]} == {"crashed"}
    assert reports[0].absent
    assert (
        "'./karl' does not start: it, or the program that its first line names, is not" in reports[0].stderr
    )


def test_a_compiled_program_without_libraries_plays_its_own_moves(arbiter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "karl", "--language", "cpp"]) == 0
    build = program_files.LANGUAGES["cpp"].build
    subprocess.run([*build.split(), "-Wall", "-Wextra", "-Wpedantic", "-Werror"], cwd="karl", check=True)
    arbiter.start_hosted("lines-cpp", arbiter.upload(pack(Path("karl"))))
    record, reports = arbiter.finished("lines-cpp")
    assert record["faults"] == [], reports[0]
    assert own_moves(record)[0][1] == "bid 0"
