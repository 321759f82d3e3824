"""Every command, and what goes wrong around it: one clear line, its exit status, nothing half-written."""

from __future__ import annotations

import io
import json
import re
import resource
import subprocess
import sys
from contextlib import contextmanager

import pytest
from stichkampf import new_game
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.cli import _GROUPS, main
from stichkampf.errors import installing
from stichkampf.match.records import dump
from support import free_port

BOT = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[0]
"""
TABLE = ["stiche-raten", "karl.py", "thumb", "random", "-o", "length=deals:1", "--no-clock", "--seed", "a"]
ASK = {
    "login": ["login"],
    "whoami": ["whoami"],
    "submit": ["submit", "karl.py"],
    "status": ["status", "karl"],
    "challenge": ["challenge", "karl@1", "thumb"],
    "compare": ["compare", "karl@2", "karl@1"],
    "counterfactual": ["counterfactual", "karl@2", "karl@1"],
    "experiments": ["experiments"],
    "experiments ID": ["experiments", "12", "--wait"],
    "act": ["act", "rank", "karl", "3"],
    "enter": ["enter", "cup", "karl"],
    "withdraw": ["withdraw", "cup", "karl"],
    "logs": ["logs", "karl"],
    "faults": ["faults", "karl"],
    "matches": ["matches", "karl"],
    "records": ["records", "karl"],
    "connect": ["connect", "karl.py"],
    "organise create": ["organise", "create", "--set", "name=Cup"],
    "organise change": ["organise", "change", "cup", "--set", "name=Cup"],
    "organise open": ["organise", "open", "cup"],
    "organise start": ["organise", "start", "cup"],
    "organise cancel": ["organise", "cancel", "cup", "--yes"],
    "organise final": ["organise", "final", "cup"],
    "organise disqualify": ["organise", "disqualify", "cup", "ann/karl v1", "--reason", "slow"],
    "organise again": ["organise", "again", "cup", "1", "--reason", "It was"],
    "organise delete": ["organise", "delete", "cup"],
    "organise status": ["organise", "status"],
    "organise export": ["organise", "export", "cup", "results.csv", "-o", "results.csv"],
}
"""Requests of the commands to a site."""
FILES = ("organise delete", "organise export")
"""Requests whose answer has no fields."""
READ = {
    "debug": ["debug", "r.jsonl", "1", "karl.py"],
    "debug --test": ["debug", "r.jsonl", "1", "karl.py", "--test"],
    "view": ["view", "r.jsonl", "--no-browser", "--output", "match.html"],
    "watch": ["watch", "r.jsonl"],
    "marks": ["marks", "r.jsonl"],
    "marks --from": ["marks", "r.jsonl", "--from", "1"],
    "verify": ["verify", "r.jsonl"],
    "dataset": ["dataset", "r.jsonl", "--out", "data"],
}
"""Work of the commands on a record."""
WRITE = {
    "new": ["new", "otto"],
    "new --kind net": ["new", "otto", "--game", "stiche-raten", "--kind", "net"],
    "new --language cpp": ["new", "otto", "--language", "cpp"],
    "play": ["play", *TABLE, "--records", "new.jsonl"],
    "play into records": ["play", *TABLE, "--records", "r.jsonl"],
    "duel": ["duel", "stiche-raten", "karl.py", "thumb", "--blocks", "1", *TABLE[4:], "--records", "n.jsonl"],
    "check": ["check", "karl.py", "--no-sandbox"],
    "check --sandbox": ["check", "karl.py", "--sandbox"],
    "pack": ["pack", "karl.py", "karl.zip"],
    "debug": READ["debug --test"],
    "view": READ["view"],
    "dataset": READ["dataset"],
    "benchmark": ["benchmark", "karl.py", "--blocks", "1"],
    "login": ["login"],
    "records": ["records", "karl", "-o", "mine.jsonl"],
    "connect": ASK["connect"],
    "organise": ASK["organise export"],
}
"""Files that the commands write."""
SANDBOXED = {
    "play": ["play", *TABLE[:4], "--sandbox"],
    "duel": ["duel", *TABLE[:3], "--sandbox"],
    "check": ["check", "karl.py", "--sandbox"],
}
"""Work of the commands in a sandbox."""
ELSEWHERE = {"games", "bots", "rules", "facts", "completion"} | {"run", "rate", "tune"}
"""The commands that ask no site, read no file and write none; and those whose tests try all this."""


@pytest.fixture(scope="module")
def record():
    """A record in which karl.py takes the first decision."""
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    bots = [Entrant("karl.py", house_bot("thumb")), entrant("thumb"), entrant("random")]
    return dump(play_match(game, bots, bytes(32)).record)


@pytest.fixture
def folder(tmp_path, monkeypatch, record):
    """A folder with a bot and a record of it, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("STICHKAMPF_CONFIG", str(tmp_path / "settings" / "config.toml"))
    monkeypatch.delenv("STICHKAMPF_TOKEN", raising=False)
    (tmp_path / "karl.py").write_text(BOT)
    (tmp_path / "r.jsonl").write_text(f"{record}\n")
    return tmp_path


def contents(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def fails(folder, capsys, monkeypatch):
    """Run a command that must fail; return its line, once nothing else was said and no file has changed."""

    def run(words, *, status=2, out=""):
        before = contents(folder)
        monkeypatch.setattr("sys.stdin", io.StringIO("sk_right\n"))
        assert main(words) == status
        said, err = capsys.readouterr()
        assert out is None or said == out
        assert contents(folder) == before
        (line,) = err.splitlines()
        assert line.startswith("stichkampf: ")
        assert "sk_right" not in line
        return line

    return run


def test_every_command_stands_in_one_of_the_tables():
    commands = {name.rpartition(".")[2] for names in _GROUPS.values() for name in names}
    tried = {words[0] for table in (ASK, READ, WRITE, SANDBOXED) for words in table.values()}
    assert tried | ELSEWHERE == commands


@pytest.mark.parametrize("words", ASK.values(), ids=ASK)
def test_a_wrong_token_is_refused_with_the_place_of_a_new_one(serve, fails, words):
    serve((401, {}, '{"detail": "Invalid token."}'))
    assert "does not accept this token; make a new one on http://127.0.0.1:" in fails(words)


@pytest.mark.parametrize("words", ASK.values(), ids=ASK)
def test_a_site_that_is_down_is_named(serve, fails, monkeypatch, words):
    serve((200, {}, "{}"))
    monkeypatch.setenv("STICHKAMPF_SITE", f"http://127.0.0.1:{free_port()}")
    assert "cannot be reached (Connection refused); is the address right, and the site up?" in fails(words)


@pytest.mark.parametrize("words", ASK.values(), ids=ASK)
def test_an_older_site_without_the_page_is_named(serve, fails, words):
    serve((404, {}, "<html>Not Found</html>"))
    assert "or one that is older than this command" in fails(words)


@pytest.mark.parametrize("name", [name for name in ASK if name not in FILES])
def test_a_newer_site_that_answers_otherwise_is_named(serve, fails, name):
    server = serve((200, {}, ""))
    for answer in ("{}", "[]", '"hello"', '{"results": [{"x": 1}], "next": null}'):
        server.answers, server.asked = [(200, {}, answer)], []
        assert "one that speaks another version of the API than this command" in fails(ASK[name])


@pytest.mark.parametrize("words", SANDBOXED.values(), ids=SANDBOXED)
def test_a_machine_without_a_sandbox_is_told_what_to_install(fails, monkeypatch, words):
    monkeypatch.setattr("stichkampf.sandboxed.private_arbiter.PROGRAM", "no_arbiter_here")
    assert f"there is no sandbox here: {installing('sandbox')}" in fails(words, out=None)


def changed(**fields):
    return lambda text: json.dumps({**json.loads(text), **fields})


SPOILT = {
    "newer rules": (changed(rules_version=99), "; read it with a newer stichkampf"),
    "older rules": (changed(rules_version=0), "; read it with an older stichkampf"),
    "another format": (changed(format="stichkampf-record/2"), "; another stichkampf wrote it"),
    "another game": (changed(game="skat"), "no game is called 'skat'; there are "),
    "cut short": (lambda text: text[:200], "not JSON: the text is cut short"),
    "no record": (lambda text: "\0\0", "not JSON: Expecting value at column 1"),
}


@pytest.mark.parametrize("name", READ)
def test_a_record_that_cannot_be_used_here_is_one_line(folder, record, fails, capsys, name):
    for spoil, said in SPOILT.values():
        (folder / "r.jsonl").write_text(spoil(record))
        if name == "verify":
            assert main(READ[name]) == 1
            assert said in capsys.readouterr().out.splitlines()[0]
        else:
            line = fails(READ[name])
            assert said in line


NOT_THERE = {
    "debug r.jsonl 999 karl.py": "the match has decisions 1 to",
    "debug r.jsonl 2 karl.py": "decision 2 is house/thumb's, not karl.py's; its decisions are 1, ",
    "marks r.jsonl --from 999": "the match has decisions 1 to",
    "marks r.jsonl --seat 9": "the match has seats 1 to 3, not 9",
    "view r.jsonl --seat 9": "the match has seats 1 to 3, not 9",
    "watch r.jsonl --seat 9": "the match has seats 1 to 3, not 9",
}


@pytest.mark.parametrize(("command", "said"), NOT_THERE.items(), ids=NOT_THERE)
def test_what_a_match_has_not_or_is_not_the_bots_is_refused_with_what_is(fails, command, said):
    assert said in fails(command.split())


@contextmanager
def full_disk(free):
    """Let files grow to this many bytes only, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        # Python 3.11 keeps what it could write of a module's bytecode, and cannot read it afterwards
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (free, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("free", [0, 100])
@pytest.mark.parametrize("name", WRITE)
def test_a_full_disk_leaves_no_half_written_file(folder, serve, fails, name, free):
    serve((200, {}, json.dumps({"username": "ann", "results": [{"table": 7}], "next": None, "x": 200 * "x"})))
    with full_disk(free):
        line = fails(WRITE[name], out=None)
    assert re.search("cannot (write|make) .*: .*(File too large|the disk is full)", line)


@pytest.mark.machine
@pytest.mark.parametrize(
    "words", [["--version"], ["play", "--help"], ["games"], READ["watch"], READ["verify"]]
)
def test_output_to_a_full_disk_is_reported(folder, words):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "stichkampf", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "stichkampf: cannot write the output or a temporary file: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_fault_on_a_full_disk_is_told_without_the_record_of_the_match(folder, capsys):
    (folder / "otto.py").write_text(BOT.replace("return table", "raise table"))
    with full_disk(0):
        assert main(["play", TABLE[0], "otto.py", *TABLE[2:]]) == 1
    err = capsys.readouterr().err
    assert "TypeError: exceptions must derive from BaseException" in err
    assert "The match is not kept for `stichkampf debug`: cannot write " in err
    assert err.endswith(".json: File too large; nothing is written\n")
