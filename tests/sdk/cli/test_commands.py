"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stichkampf
from stichkampf.cli import main
from stichkampf.cli.local.faults import MOST_KEPT
from stichkampf.games import GAMES
from stichkampf.packaging.archive import check_archive

QUICK = ["-o", "length=deals:2"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder; returns status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = error.code
        out, err = capsys.readouterr()
        return status, out, err

    return command


def test_play_prints_a_row_for_each_seat_and_the_seed(run):
    status, out, _ = run(
        "play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--seed", "a b", "--matches", "3"
    )
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "stiche-raten, 3 seats, 3 of 3 matches"
    assert [line.split()[:2] for line in lines[3:6]] == [
        ["1", "house/thumb"],
        ["2", "house/random"],
        ["3", "house/timid"],
    ]
    assert lines[-1] == "To play the same again: --seed 'a b'"


def test_play_repeats_from_the_seed_that_it_printed(run):
    command = ["play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--matches", "2"]
    _, first, _ = run(*command, "--records", "first.jsonl")
    _, second, _ = run(*command, "--seed", first.split()[-1], "--records", "second.jsonl")
    assert second == first
    assert Path("first.jsonl").read_text() == Path("second.jsonl").read_text()


def test_play_draws_another_seed_each_time(run):
    command = ["play", "stiche-raten", "thumb", "random", "timid", *QUICK]
    assert run(*command)[1].split()[-1] != run(*command)[1].split()[-1]


def test_play_writes_one_record_a_line_and_verify_accepts_them(run):
    run(
        "play",
        "sticheln",
        "thumb",
        "random",
        "timid",
        "bold",
        *QUICK,
        "--matches",
        "3",
        "--records",
        "r.jsonl",
    )
    records = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()]
    assert [record["game"] for record in records] == ["sticheln"] * 3
    assert len({record["seed"] for record in records}) == 3
    assert run("verify", "r.jsonl") == (0, "3 records refereed: 3 right, 0 wrong\n", "")


def test_play_adds_to_a_file_that_holds_records_already(run):
    for _ in range(2):
        run("play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--records", "r.jsonl")
    assert len(Path("r.jsonl").read_text().splitlines(keepends=True)) == 2


def test_play_shows_no_bar_without_a_terminal(run):
    assert run("play", "stiche-raten", "thumb", "random", "timid", *QUICK)[2] == ""


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("deck=52", 52), ("hook=false", False), ("length=deals:1", "deals:1"), ('length="deals:1"', "deals:1")],
)
def test_an_option_is_json_where_it_parses_and_text_elsewhere(run, setting, expected):
    run("play", "stiche-raten", "thumb", "random", "timid", "-o", setting, "--records", "r.jsonl")
    assert json.loads(Path("r.jsonl").read_text())["options"][setting.split("=")[0]] == expected


def test_a_failing_bot_is_reported_with_the_reason(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kept = tmp_path / "cache/stichkampf/faults"
    kept.mkdir(parents=True)
    for number in range(MOST_KEPT):
        os.utime(shutil.copy(__file__, kept / f"match-{number}.json"), (number, number))
    (tmp_path / "mine.py").write_text(
        "from stichkampf import Bot\nclass Mine(Bot):\n    def choose(self, table):\n        return 1 / 0\n"
    )
    status, out, err = run("play", "stiche-raten", "mine.py", "random", "timid", *QUICK, "--seed", "a")
    first, second, *trace, advice = err.splitlines()
    assert status == 1
    assert out.splitlines()[3].split()[-1] == "5"
    assert first == (
        "mine.py: 3 times crashed; first in match 1, deal 1, decision 1, on seat 1:"
        " mine.py, line 4: ZeroDivisionError: division by zero"
    )
    assert second == "mine.py: in 1 of 1 matches thumb played on, so those scores are thumb's"
    assert trace[0] == "    Traceback (most recent call last):"
    assert "return 1 / 0" in "".join(trace)
    told = re.fullmatch(r"To stop at that decision: stichkampf debug (\S+\.json) 1 mine\.py", advice)
    assert json.loads(Path(told[1]).read_text())["game"] == "stiche-raten"
    assert Path(told[1]).parent == kept
    assert len([*kept.iterdir()]) == MOST_KEPT, "the oldest one goes"
    assert not (kept / "match-0.json").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["play", "skat", "thumb"], "no game is called 'skat'; there are sticheln"),
        (["play", "stiche-raten", "thumb", "random"], "stiche-raten is for 3 to 6 seats, not 2"),
        (["play", "stiche-raten", "thumb", "random", "genius"], "no bot 'genius'"),
        (["play", "stiche-raten", "thumb", "random", "genius.py"], "there is no file genius.py"),
        (["play", "stiche-raten", "thumb", "random", "."], "there is no bot in .: it has no file bot.py"),
        (
            ["play", "stiche-raten", "thumb", "random", "bold", "-o", "deck=50"],
            "deck cannot be 50; possible: 64 or 52",
        ),
        (
            ["play", "stiche-raten", "thumb", "random", "bold", "-o", "cards=64"],
            "has no option 'cards'; it has deck",
        ),
        (["play", "stiche-raten", "thumb", "random", "bold", "-o", "deck"], "-o takes OPTION=VALUE"),
        (["play", "stiche-raten", "thumb", "random", "bold", "-o", "=3"], "-o takes OPTION=VALUE"),
        (
            ["play", "stiche-raten", "thumb", "random", "bold", "-o", "deck=64", "-o", "deck=52"],
            "given twice",
        ),
        (
            ["play", "stiche-raten", "thumb", "random", "bold", "--records", "no/r.jsonl"],
            "cannot write records to",
        ),
        (["verify", "missing.jsonl"], "cannot read missing.jsonl: No such file or directory"),
        (["verify", "."], "cannot read .: Is a directory"),
        (["games", "skat"], "no game is called 'skat'"),
    ],
)
def test_unusable_input_gets_one_clear_line_and_status_two(run, arguments, complaint):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("stichkampf: ")
    assert complaint in err


@pytest.mark.parametrize("matches", ["0", "-1", "many", "1.5", "", "9" * 30])
def test_a_number_of_matches_is_a_whole_number_from_one(run, matches):
    status, _, err = run("play", "stiche-raten", "thumb", "random", "bold", f"--matches={matches}")
    assert status == 2
    assert f"{matches!r} is not a whole number from 1" in err


def test_unusable_input_leaves_the_file_of_records_alone(run, tmp_path):
    run("play", "stiche-raten", "thumb", "random", "genius", "--records", "r.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_verify_names_line_deal_move_and_what_was_expected(run):
    run("play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--matches", "2", "--records", "r.jsonl")
    lines = Path("r.jsonl").read_text().splitlines(keepends=True)
    record = json.loads(lines[1])
    del record["seed"]
    record["deals"][1]["moves"][0][1] = "bid 7"
    Path("r.jsonl").write_text(lines[0] + json.dumps(record) + "\n" + lines[0][:500] + "\n")
    status, out, _ = run("verify", "r.jsonl")
    assert status == 1
    assert out.splitlines() == [
        "line 2: deal 1, move 0: expected one of bid 0, bid 1, bid 2; found 'bid 7'",
        "line 3: not JSON: the text is cut short",
        "3 records refereed: 1 right, 2 wrong (seats, deals and moves count from 0, as in the record)",
    ]


def test_verify_is_data_too(run):
    run("play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--records", "r.jsonl")
    status, out, _ = run("verify", "r.jsonl", "--json")
    assert (status, json.loads(out)) == (0, {"records": 1, "wrong": [], "unchecked": []})
    with Path("r.jsonl").open("a") as stream:
        stream.write("{}\n")
    status, out, _ = run("verify", "r.jsonl", "--json")
    (wrong,) = json.loads(out)["wrong"]
    assert (status, wrong["line"]) == (1, 2)
    assert wrong["error"]


def test_verify_prints_the_schema(run):
    status, out, _ = run("verify", "--schema")
    assert (status, json.loads(out)["properties"]["format"]) == (0, {"const": "stichkampf-record/1"})


def test_verify_reads_standard_input(run, monkeypatch):
    run("play", "stiche-raten", "thumb", "random", "timid", *QUICK, "--records", "r.jsonl")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("r.jsonl").read_bytes())))
    assert run("verify", "-") == (0, "1 record refereed: 1 right, 0 wrong\n", "")


def test_a_file_without_a_record_is_nothing_to_referee(run, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n\n")
    assert run("verify", "empty.jsonl") == (2, "", "stichkampf: there is no record in empty.jsonl\n")


def test_games_lists_every_game_with_seats_and_options(run):
    status, out, _ = run("games")
    assert status == 0
    for name, game in GAMES.items():
        assert f"{name}  ({', '.join(map(str, game.players))} seats)" in out
        assert all(f"  {option.name} " in out for option in game.specification)


def test_bots_lists_the_house_bots_and_marks_the_anchors(run):
    _, out, _ = run("bots")
    assert len(out.splitlines()) >= 5
    assert out.count("(anchor)") == 3


def test_games_and_bots_are_data_too(run):
    games = json.loads(run("games", "--json")[1])
    assert {game["name"]: game["seats"] for game in games} == {n: list(g.players) for n, g in GAMES.items()}
    assert games[0]["options"].keys() == {option.name for option in GAMES[games[0]["name"]].specification}
    bots = json.loads(run("bots", "--json")[1])
    assert sum(bot["anchor"] for bot in bots) == 3


def test_pack_makes_an_archive_that_the_site_accepts(run, tmp_path):
    (tmp_path / "mine.py").write_text("from stichkampf import Bot\n")
    status, out, _ = run("pack", "mine.py", "mine.zip")
    archive = check_archive((tmp_path / "mine.zip").read_bytes())
    assert (status, archive.files) == (0, (("bot.py", 27),))
    assert out == f"mine.zip: 1 file, {archive.archive_bytes} bytes, SHA-256 {archive.sha256}\n"


@pytest.mark.parametrize(
    ("bot", "archive", "complaint"),
    [
        ("nothing", "a.zip", "'nothing' is neither a folder nor a Python file"),
        ("empty", "a.zip", "there is no bot: the archive needs bot.py"),
        ("mine.py", "no/a.zip", "cannot write no/a.zip: No such file or directory"),
    ],
)
def test_pack_names_the_reason_why_it_makes_no_archive(run, tmp_path, bot, archive, complaint):
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine.py").write_text("from stichkampf import Bot\n")
    status, _, err = run("pack", bot, archive)
    assert status == 2
    assert complaint in err


def test_the_version_is_printed(run):
    status, out, _ = run("--version")
    assert status == 0
    assert out == f"stichkampf {stichkampf.__version__}\n"


@pytest.mark.parametrize("command", ["play", "verify", "games", "bots", "rate", "pack", "connect"])
def test_every_command_explains_itself(run, command):
    status, out, _ = run(command, "--help")
    assert status == 0
    assert out.startswith(f"usage: stichkampf {command}")


def test_bots_of_files_play_where_results_go_into_a_file_and_messages_into_a_pipe(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "from stichkampf import Bot\n\n\nclass First(Bot):\n"
        '    def choose(self, table):\n        print("plays")\n        return table.legal[0]\n'
    )
    command = [sys.executable, "-m", "stichkampf", "play", "sticheln", *[str(bot)] * 4]
    with (tmp_path / "results.txt").open("w") as results:
        done = subprocess.run(
            [*command, "--matches", "1", "-o", "length=deals:1"], stdout=results, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 of 1 matches" in (tmp_path / "results.txt").read_text()


@pytest.mark.machine
def test_an_interrupted_run_shows_what_was_played_and_keeps_whole_lines(tmp_path):
    path = tmp_path / "r.jsonl"
    command = ["play", "sticheln", "thumb", "timid", "bold", "--matches", "100000", "--records", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "stichkampf", *command], stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not (path.exists() and path.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "(interrupted)" in out
    assert all(json.loads(line)["game"] == "sticheln" for line in path.read_text().splitlines())


def test_importing_the_package_loads_neither_grpc_nor_numpy():
    program = "import stichkampf.cli, sys; print({'grpc', 'numpy', 'google.protobuf'} & sys.modules.keys())"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"


def test_importing_the_package_leaves_for_later_what_few_bots_need():
    program = (
        "import sys, stichkampf;"
        " print({'importlib.metadata', 'html.parser', 'multiprocessing'} & sys.modules.keys());"
        " print(stichkampf.__version__, stichkampf.rules_text('mue')[:2])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded, named = result.stdout.splitlines()
    assert loaded == "set()"
    assert named == f"{stichkampf.__version__} Mü"
