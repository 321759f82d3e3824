"""`stichkampf debug`: a decision of a record in a debugger, as a test, or refused in one clear line."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from stichkampf.bots.practice import entrant, play_match
from stichkampf.cli import main
from stichkampf.cli.project.record_sources import decision_of_address
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.repeated_decisions import questions
from stichkampf.match.records import decision_at, decisions_of, steps
from stichkampf.testing import table_from

BROKEN = """
from stichkampf import Bot

class Mine(Bot):
    def choose(self, table):
        if table.phase == "tricks":
            return table.facts["trumpp"]
        return table.legal[0]
"""


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    """A folder with a broken bot and the record of a match in which it crashed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "mine.py").write_text(BROKEN)
    table = ["sticheln", "mine.py", "thumb", "random", "-o", "length=deals:1", "--no-clock", "--seed", "a"]
    assert main(["play", *table, "--records", "r.jsonl", "--json"]) == 1
    capsys.readouterr()
    return tmp_path


@pytest.fixture
def fault(project):
    """The number of the decision at which the bot first crashed."""
    record = json.loads((project / "r.jsonl").read_text())
    first = record["faults"][0]
    return first["move"] + 1


def test_the_bot_crashes_again_at_the_decision_at_which_it_crashed(project, fault, capsys):
    assert main(["debug", "r.jsonl", str(fault), "mine.py"]) == 1
    out, err = capsys.readouterr()
    assert "KeyError: 'trumpp'" in err
    assert "after its fault, crashed" in out
    assert "State that the bot kept from other matches is missing." in out


def test_the_debugger_that_is_set_stops_before_the_bot_answers(project, fault, monkeypatch, capsys):
    stops = project / "my_debugger.py"
    stops.write_text("def stop():\n    print('stopped')\n    raise __import__('bdb').BdbQuit\n")
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.setenv("PYTHONBREAKPOINT", "my_debugger.stop")
    assert main(["debug", "r.jsonl", str(fault), "mine.py"]) == 0
    assert capsys.readouterr().out.endswith("stopped\n")


DECORATED = """
from functools import wraps
from stichkampf import Bot

def timed(method):
    @wraps(method)
    def call(*args):
        return method(*args)
    return call

class Mine(Bot):
    @timed
    def choose(self, table):
        phase = table.phase
        return table.legal[0]
"""


@pytest.mark.parametrize(
    ("source", "first"),
    [
        (BROKEN, 'if table.phase == "tricks":'),
        (BROKEN.replace("def choose", "async def choose"), 'if table.phase == "tricks":'),
        (DECORATED, "phase = table.phase"),
    ],
)
def test_the_debugger_stops_in_the_first_line_of_choose(project, fault, source, first):
    (project / "mine.py").write_text(source)
    # in a process of its own: a debugger changes how everything else in its process runs
    stopped = subprocess.run(
        [sys.executable, "-m", "stichkampf", "debug", "r.jsonl", str(fault), "mine.py"],
        input="q\n", env={**os.environ, "PYTHONBREAKPOINT": "pdb.set_trace"},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert f"-> {first}" in stopped.stdout


def test_a_decision_becomes_a_test_that_fails_until_the_bot_is_mended(project, fault, capsys):
    assert main(["debug", "r.jsonl", str(fault), "mine.py", "--test"]) == 0
    name = f"test_r_{fault}.py"
    assert capsys.readouterr().out == f"wrote r_{fault}.json\nwrote {name}\n"
    test = runpy.run_path(name)[f"test_r_{fault}"]
    with pytest.raises(KeyError, match="trumpp"):
        test()
    (project / "mine.py").write_text(BROKEN.replace('table.facts["trumpp"]', "table.legal[0]"))
    test()
    assert main(["debug", "r.jsonl", str(fault), "mine.py", "--test"]) == 2
    assert "is there already; remove it" in capsys.readouterr().err


def test_a_decision_of_another_bot_is_refused_with_the_own_ones(project, fault, capsys):
    record = json.loads((project / "r.jsonl").read_text())
    other = next(at for at, (seat, _) in enumerate(record["deals"][0]["moves"], start=1) if seat != 0)
    assert main(["debug", "r.jsonl", str(other), "mine.py"]) == 2
    assert "not mine.py's; its decisions are" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("none.jsonl", "cannot read none.jsonl: No such file or directory"),
        ("two.jsonl", "two.jsonl holds 2 records; say which by its line, such as two.jsonl:1"),
        ("two.jsonl:9", "there is no record in two.jsonl, line 9"),
        ("two.jsonl:²", "cannot read two.jsonl:²: No such file or directory"),
        ("two.jsonl:" + "9" * 5000, "cannot read two.jsonl:9999"),
        ("old.jsonl", "old.jsonl: "),
        ("http://127.0.0.1:9/karl", "http://127.0.0.1:9/karl is no replay; its address ends in /r/NUMBER/"),
        ("http://127.0.0.1:9/r/5/7", "127.0.0.1:9 cannot be reached (Connection refused)"),
        ("http://[::1/r/1/", "'http://[::1/r/1/' is no address of a replay; one looks like https://"),
        ("http://[zz]:80/r/1/3", "'http://[zz]:80/r/1/3' is no address of a replay"),
        ("http://127.0.0.1:99999/r/1/", "'http://127.0.0.1:99999/r/1/' is no address of a replay"),
        ("http://a..b/r/1/", "'http://a..b/r/1/' is no address of a replay"),
        ("http://\u2100.example/r/1/", "'http://\u2100.example/r/1/' is no address of a replay"),
        ("ftp://127.0.0.1/r/1/", "'ftp://127.0.0.1/r/1/' is no address of a replay"),
        ("HTTP://127.0.0.1:9/r/5/7", "127.0.0.1:9 cannot be reached (Connection refused)"),
        ("http://ann:secret@127.0.0.1/r/1/", "the address of a replay holds no name or password"),
    ],
)
def test_a_record_that_cannot_be_used_is_one_clear_line(project, source, said, capsys):
    record = (project / "r.jsonl").read_text()
    (project / "two.jsonl").write_text(record * 2)
    (project / "old.jsonl").write_text(json.dumps({**json.loads(record), "rules_version": 99}))
    assert main(["debug", source, "1", "mine.py"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"stichkampf: {said}")
    assert "secret" not in line


def test_a_replay_of_a_site_is_fetched_and_a_refusal_of_the_site_is_told(project, fault, capsys):
    record = (project / "r.jsonl").read_bytes()

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):  # the name is the library's
            shown = self.path == "/api/v1/tables/7/record/"
            self.send_response(200 if shown else 403)
            self.end_headers()
            self.wfile.write(record if shown else b'{"detail": "This block is still being played."}')

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        for place in ("", str(fault)):
            assert main(["debug", f"{site}/r/7/{place}", str(fault), "mine.py"]) == 1
        for place in (f"r/7/{fault}", f"api/v1/tables/7/{fault}"):
            assert main(["debug", f"{site}/{place}", "mine.py"]) == 1
            assert main(["debug", f"{site}/{place}", str(fault + 1), "mine.py"]) == 2
            assert f"names decision {fault}, and DECISION is {fault + 1}" in capsys.readouterr().err
        assert main(["debug", f"{site}/r/7/", "mine.py"]) == 2
        assert "say which decision: its number among all of the match" in capsys.readouterr().err
        assert main(["debug", f"{site}/r/8/", "1", "mine.py"]) == 2
        server.shutdown()
    assert f"{site}/r/8/: This block is still being played." in capsys.readouterr().err


@pytest.mark.parametrize("game", GAMES)
def test_a_decision_has_one_number_in_records_addresses_and_tests(game):
    seats = GAMES[game].players[0]
    options = {"max_deals": 1} if game == "was-sticht" else {"length": "deals:2"}
    record = play_match(new_game(game, seats, options), [entrant("thumb")] * seats, bytes(32)).record
    for number, step in enumerate(steps(record), start=1):
        if number % 7 != 1:
            continue
        move = step.move
        assert decision_at(record, move.deal, move.number) == number
        assert number in decisions_of(record, move.seat)
        assert questions(record, number)[-1].move.word == move.word
        assert table_from(record, number).legal == step.legal
        assert decision_of_address(f"https://play.example.org/r/7/{number}") == number


@pytest.mark.parametrize("text", ['games = "mue"', 'games = ("mue",)'])
def test_a_lone_text_names_one_game(tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    source = f"from stichkampf import Bot\nclass Karl(Bot):\n    {text}\n    def choose(self, table):\n"
    (tmp_path / "karl.py").write_text(f"{source}        return table.legal[0]\n")
    table = ["karl.py", "thumb", "thumb", "random", "-o", "length=deals:1"]
    assert main(["play", "mue", *table]) == 0
    capsys.readouterr()
    assert main(["play", "njet", *table]) == 2
    assert "karl.py does not play njet; it names mue" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "check at home", "play", "duel", "debug", "connect"])
def test_a_game_that_does_not_exist_is_named_by_every_command(project, fault, capsys, command):
    folder = project / "toml"
    folder.mkdir()
    (folder / "bot.py").write_bytes((project / "mine.py").read_bytes())
    (folder / "stichkampf.toml").write_text('name="x"\ngames=["stichel"]\n')
    words = {
        "check": ["check", "toml"],
        "check at home": ["check", "toml", "--no-sandbox"],
        "play": ["play", "stiche-raten", "toml", "thumb", "random"],
        "duel": ["duel", "stiche-raten", "toml", "thumb"],
        "debug": ["debug", "r.jsonl", str(fault), "toml"],
        "connect": ["connect", "toml", "--site", "http://127.0.0.1:9"],
    }[command]
    assert main(words) in (1, 2)
    out, err = capsys.readouterr()
    assert "plays 'stichel', which is no game" in out + err
