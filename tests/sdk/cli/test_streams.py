"""Every command writes to whatever output there is, and nothing of a stranger gets through to a terminal."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf import new_game
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.cli import _GROUPS, main
from stichkampf.cli.streams import ERRORS, OWN, GuardedStream
from stichkampf.cli.terminal import coloured
from stichkampf.plain_text import json_text
from support import examples

EVIL = "ev\x1b[2J\x9b31m\x07\u202eil\r\u2028\u0085é漢\U0001f0a1"
"""A name that clears the screen, rings, turns the writing round and fits into few encodings."""
HARMLESS = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]*")
ENCODINGS = ("ascii", "cp1252", "cp437", "latin-1", "utf-8", "utf-16", "cp932")
BOT = """from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[0]
"""
TABLE = ["karl.py", "thumb", "random", "--seed", "a", "--no-clock", "-o", "length=deals:1"]
AT_HOME = {
    "new": ["new", "otto"],
    "play": ["play", "stiche-raten", *TABLE],
    "play --json": ["play", "stiche-raten", *TABLE, "--json"],
    "play with a fault": ["play", "stiche-raten", "bad.py", *TABLE[1:]],
    "duel": ["duel", "stiche-raten", *TABLE, "--blocks", "1"],
    "duel --json": ["duel", "stiche-raten", *TABLE, "--blocks", "1", "--json"],
    "run": ["run", "--schema"],
    "check": ["check", "bad.py", "--no-sandbox"],
    "check --json": ["check", "bad.py", "--no-sandbox", "--json"],
    "debug": ["debug", "r.jsonl", "1", "karl.py"],
    "debug a wrong one": ["debug", "r.jsonl", "1", "thumb.zip"],
    "pack": ["pack", "karl.py", "karl.zip"],
    "rate": ["rate", "results.csv"],
    "rate --format json": ["rate", "results.csv", "--format", "json"],
    "rate --format csv": ["rate", "results.csv", "--format", "csv"],
    "rate --anchor": ["rate", "results.csv", "--anchor", "a\nb"],
    "verify": ["verify", "r.jsonl"],
    "verify a wrong one": ["verify", "wrong.jsonl"],
    "verify --json": ["verify", "wrong.jsonl", "--json"],
    "verify --schema": ["verify", "--schema"],
    "view": ["view", "none.jsonl"],
    "watch": ["watch", "r.jsonl"],
    "watch --seat": ["watch", "r.jsonl", "--seat", "2"],
    "marks": ["marks", "r.jsonl"],
    "marks --json": ["marks", "r.jsonl", "--json"],
    "marks --from": ["marks", "r.jsonl", "--from", "1"],
    "benchmark": ["benchmark", "none.py"],
    "tune": ["tune", "none.py", "--game", "mue", "--parameters", "none.toml"],
    "dataset": ["dataset", "r.jsonl", "--out", "data"],
    "games": ["games"],
    "games --json": ["games", "--json"],
    "rules": ["rules", "sticheln", "--lang", "de"],
    "facts": ["facts", "mue"],
    "facts --format json": ["facts", "mue", "--format", "json"],
    "bots": ["bots"],
    "bots --json": ["bots", "--json"],
    "completion": ["completion", "bash"],
    "no such command": [EVIL],
    "--help": ["--help"],
    "--version": ["--version"],
}
ROW = {
    "version": 1, "bot": EVIL, "number": 1, "state": EVIL, "reason": EVIL, "username": "ann",
    "full_name": "ann/karl", "name": EVIL, "slug": EVIL, "game": EVIL, "kind": EVIL, "why": EVIL,
    "page": "/r/1/", "table": 1, "seat": 0, "deal": 1, "move": 1, "decision": 1, "deals": 4, "moves": 1,
    "faults": 1, "forfeited": True, "score": 1, "rank": 1, "players": [{"bot": EVIL, "seat": 1}],
    "stderr": EVIL, "complaints": [EVIL], "exit_kind": EVIL, "id": 1, "submission": 1,
    "lines": [{"at": "2026-11-23T20:00:00Z", "text": EVIL}], "finished_at": "x", "ladders": [],
    "detail": EVIL, "results": [], "next": None, "token": "skr_x", "address": EVIL, "entries": [],
    "notes": [],
}  # fmt: skip
"""Fields of answers of a site, all of them in each."""
OF_A_SITE = {
    "login": ["login", "SITE"],
    "whoami": ["whoami"],
    "submit": ["submit", "karl.py", "--wait"],
    "status": ["status", "karl"],
    "status --json": ["status", "karl", "--json"],
    "challenge": ["challenge", "karl@1", "thumb"],
    "compare": ["compare", "karl@2", "karl@1"],
    "counterfactual": ["counterfactual", "karl@2", "karl@1"],
    "experiments": ["experiments"],
    "experiments ID": ["experiments", "12"],
    "act": ["act", "password", "5", "7"],
    "enter": ["enter", "cup", "karl"],
    "withdraw": ["withdraw", "cup", "karl"],
    "logs": ["logs", "karl"],
    "logs --matches": ["logs", "karl", "--matches"],
    "faults": ["faults", "karl"],
    "faults --json": ["faults", "karl", "--json"],
    "matches": ["matches", "karl"],
    "matches --json": ["matches", "karl", "--json"],
    "records": ["records", "karl"],
    "connect": ["connect", "karl.py", "--site", "SITE"],
    "organise": ["organise", "status"],
    "organise --json": ["organise", "status", "--json"],
}


STARTS_PROCESSES = ("check", "check --json", "benchmark")
LADDER = {
    "game": EVIL, "tournament": EVIL, "rating": None, "playing": False, "place": 0, "seconds": 0,
    "blocks_to_go": 3, "waits": EVIL,
}  # fmt: skip
OBJECT = json.dumps({**ROW, "results": [ROW]})
VERSION = json.dumps({**ROW, "version": {**ROW, "state": "rejected"}})
ANSWERS = {
    "status": (OBJECT, OBJECT, OBJECT, json.dumps([LADDER])),
    "status --json": (OBJECT, OBJECT, OBJECT, json.dumps([LADDER])),
    "submit": (VERSION,),
    "faults": (OBJECT, OBJECT, json.dumps([{**ROW, "reasons": [EVIL]}])),
    "faults --json": (OBJECT, OBJECT, json.dumps([{**ROW, "reasons": [EVIL]}])),
    "connect": (VERSION,),
}
"""Answers of a site, one after the other, the last for ever; for other commands the object."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with bots, and records and results full of what a terminal would obey."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("STICHKAMPF_CONFIG", str(tmp_path / "config.toml"))
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    bots = [Entrant(EVIL, house_bot("thumb")), entrant("thumb"), entrant("random")]
    record = play_match(game, bots, bytes(32)).record
    note = {"deal": 0, "move": 0, "seat": 0, "note": {"text": EVIL, "weights": {EVIL: 1.0}}}
    record = {**record, "notes": [note]}
    (tmp_path / "r.jsonl").write_text(json.dumps(record) + "\n")
    record["deals"][0]["moves"][0][1] = EVIL
    (tmp_path / "wrong.jsonl").write_text(json.dumps(record) + "\n")
    name = EVIL.replace("\r", "").replace("\u2028", "").replace("\u0085", "")
    results = f"block,player,score\n1,{name},1\n1,b,2\n2,{name},2\n2,b,1\n"
    (tmp_path / "results.csv").write_text(results, "utf-8")
    (tmp_path / "karl.py").write_text(BOT)
    (tmp_path / "bad.py").write_text(
        BOT.replace("return table.legal[0]", f"raise ValueError({EVIL!a})"), "utf-8"
    )
    return tmp_path


def output_of(words, encoding, monkeypatch):
    """Run a command with an output of this encoding; return its status and what it wrote."""
    stream = io.BytesIO()
    out = io.TextIOWrapper(stream, encoding=encoding)
    err = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO("sk_right\n"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code or 0
        out.flush()
        err.flush()
    return status, stream.getvalue().decode(encoding), err.buffer.getvalue().decode(encoding)


def check_output(name, words, monkeypatch, encoding):
    status, out, err = output_of(words, encoding, monkeypatch)
    assert status in (0, 1, 2), (out, err)
    for text in (out, err):
        assert HARMLESS.fullmatch(text.replace("\r\n", "\n").replace("\t", " ")), (name, text)
    if status == 0 and "json" in name:
        assert json.loads(out) is not None
    return out + err


def test_every_command_stands_in_one_of_the_tables():
    commands = {name.rpartition(".")[2] for names in _GROUPS.values() for name in names}
    tried = {words[0] for table in (AT_HOME, OF_A_SITE) for words in table.values()}
    assert commands - tried == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", AT_HOME)
def test_a_command_writes_in_any_encoding_and_lets_no_control_through(folder, monkeypatch, name):
    for encoding in ENCODINGS[: 1 if name in STARTS_PROCESSES else None]:
        for made in ("otto", "data", "karl.zip"):
            subprocess.run(["rm", "-rf", made], check=True)
        assert check_output(name, AT_HOME[name], monkeypatch, encoding)


@pytest.mark.parametrize("name", OF_A_SITE)
def test_what_a_site_tells_is_written_in_any_encoding_without_controls(folder, monkeypatch, serve, name):
    for encoding in ENCODINGS:
        server = serve(*((200, {}, text) for text in ANSWERS.get(name, (OBJECT,))))
        words = [word.replace("SITE", f"http://127.0.0.1:{server.server_port}") for word in OF_A_SITE[name]]
        assert check_output(name, words, monkeypatch, encoding)


OTHERWISE = ("closed", "broken", "no error output", "no input")
CONDITIONS = ("full", *(pytest.param(word, marks=pytest.mark.nightly) for word in OTHERWISE))
FORKS = """
import json, os, sys
import stichkampf.analysis, stichkampf.lab.dataset, stichkampf.rating.table
from stichkampf.cli import command_parser, main

command_parser()
for words, condition in json.load(open("cases.json")):
    said = os.memfd_create("said")
    child = os.fork()
    if child == 0:
        os.dup2(said, 2)
        os.dup2(os.open("out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        sys.stdin = open("/dev/null")
        if condition == "closed":
            os.close(1)
        elif condition == "full":
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        elif condition == "broken":
            reading, writing = os.pipe()
            os.dup2(writing, 1)
            os.close(reading)
        elif condition == "no error output":
            os.close(2)
        else:
            os.close(0)
            sys.stdin = None
        sys.stdout = None if condition == "closed" else open(1, "w", closefd=False)
        sys.stderr = None if condition == "no error output" else open(2, "w", closefd=False, buffering=1)
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code or 0
        except BaseException as error:
            os.write(said, f"Traceback of {error!r}".encode())
            status = 99
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.lseek(said, 0, 0)
    print(json.dumps([words, condition, status, os.read(said, 100000).decode(errors="replace")]), flush=True)
"""


@pytest.mark.slow
@pytest.mark.machine
@pytest.mark.parametrize("condition", CONDITIONS)
def test_an_output_that_is_closed_full_or_broken_ends_every_command_in_order(folder, condition):
    cases = [(words, condition) for name, words in AT_HOME.items() if name not in STARTS_PROCESSES]
    (folder / "cases.json").write_text(json.dumps(cases))
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(cases)
    for words, condition, status, said in told:
        assert "Traceback of" not in said, (words, condition, said)
        assert status in (0, 1, 2), (words, condition, status, said)
        if condition in ("closed", "full"):
            assert status == 2, (words, condition, said)
            assert "stichkampf" in said, (words, condition, said)


@pytest.mark.machine
@pytest.mark.parametrize(
    ("shell", "status", "said"),
    [
        (">&-", 2, "stichkampf: the standard output is closed; > /dev/null throws it away\n"),
        ("2>&-", 0, ""),
        ("</dev/null", 0, ""),
        ("<&-", 0, ""),
        (">/dev/null 2>/dev/full", 0, ""),
    ],
)
def test_a_shell_may_close_any_stream(folder, shell, status, said):
    command = f"{sys.executable} -m stichkampf verify r.jsonl {shell}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, said)


@pytest.mark.machine
def test_an_error_that_cannot_be_written_keeps_its_status(folder):
    command = f"{sys.executable} -m stichkampf verify none.jsonl 2>/dev/full"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 2


@pytest.mark.machine
def test_a_user_without_a_home_folder_can_use_the_command(folder):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HOME", "XDG_", "STICH"))
    }
    stranger = ["unshare", "--user", "--map-user=54321", "--map-group=54321"]
    for words, status in ((["--help"], 0), (["verify", "/dev/null"], 2), (["whoami"], 2)):
        command = [*stranger, sys.executable, "-m", "stichkampf", *words]
        done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert "this user has no home folder; name a file for the settings with STICHKAMPF_CONFIG" in done.stderr


@given(st.text())
@settings(max_examples=examples(300))
def test_any_text_comes_through_any_encoding_and_json_keeps_it_whole(text):
    for encoding in ENCODINGS[:-1]:  # the last takes some signs for one
        stream = io.BytesIO()
        out = io.TextIOWrapper(stream, encoding=encoding, errors=ERRORS)
        GuardedStream(out).write(json_text({"text": text}))
        out.flush()
        written = stream.getvalue().decode(encoding)
        assert json.loads(written) == {"text": text}
        assert HARMLESS.fullmatch(written.replace("\n", ""))


def test_the_commands_own_colours_get_through_and_those_of_strangers_do_not(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    stream = GuardedStream(shown)
    stream.write(coloured("mine", "red", stream) + "\033[31mtheirs")
    assert shown.getvalue() == "\033[31mmine\033[0m\N{REPLACEMENT CHARACTER}[31mtheirs"
    assert OWN not in shown.getvalue()


def test_scripts_for_shells_come_through_as_they_are(capsys):
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        assert "\N{REPLACEMENT CHARACTER}" not in capsys.readouterr().out
