"""`stichkampf marks`: the costly decisions of a record, as a list and as JSON."""

from __future__ import annotations

import json

import pytest
from stichkampf.bots.practice import entrant, play_match
from stichkampf.cli import main
from stichkampf.games import new_game
from stichkampf.match.records import dump


@pytest.fixture
def file(tmp_path):
    game = new_game("stiche-raten", 3, {"length": "deals:2"})
    file = tmp_path / "matches.jsonl"
    file.write_text(dump(play_match(game, [entrant("bold")] * 3, bytes(32)).record) + "\n")
    return str(file)


def test_costly_decisions_are_listed_with_the_better_action_and_the_interval(file, capsys):
    assert main(["marks", file]) == 0
    head, first, *_, last = capsys.readouterr().out.splitlines()
    assert head.split()[:6] == ["decision", "deal", "seat", "bot", "chosen", "better"]
    assert "house/bold  bid" in first
    assert "±" in first
    assert last == "An estimate by our search: points of the deal above the mean of the table."


def test_json_has_marks_of_the_seat_alone(file, capsys):
    assert main(["marks", file, "--seat", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judged"][0] == found["judged"][2] == 0 < found["judged"][1]
    assert {mark["seat"] for mark in found["marks"]} == {1}
    assert all(0 < mark["cost"]["low"] <= mark["cost"]["points"] for mark in found["marks"])


def test_the_decisions_of_one_bot_are_told_at_all_its_seats(tmp_path, capsys):
    file = tmp_path / "matches.jsonl"
    game = new_game("stiche-raten", 3, {"length": "deals:2"})
    record = play_match(game, [entrant("bold"), entrant("thumb"), entrant("bold")], bytes(32)).record
    file.write_text(dump(record) + "\n")
    assert main(["marks", str(file), "--bot", "bold", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judged"][1] == 0 < min(found["judged"][0], found["judged"][2])
    assert [bot.rpartition("/")[2] for bot in found["bots"]] == ["bold", "thumb", "bold"]
    assert main(["marks", str(file), "--bot", "karl"]) == 2
    assert "'karl' has no seat in this match; there play" in capsys.readouterr().err


def test_a_decision_is_played_on_by_a_house_bot(file, capsys):
    assert main(["marks", file, "--from", "1", "--by", "random", "--times", "5"]) == 0
    first, *scores, mean = capsys.readouterr().out.splitlines()
    assert first == "'bid 1', then random at every seat, 5 times. Seat 1 scores:"
    assert sum(int(line.split()[1]) for line in scores) == 5
    assert mean.startswith("mean ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seat", "4"], "the match has seats 1 to 3, not 4"),
        (["--from", "99"], "the match has decisions 1 to"),
        (["--from", "1", "--by", "karl"], "no house bot is called 'karl'"),
    ],
)
def test_input_that_cannot_be_used_is_told_in_one_line(file, options, message, capsys):
    assert main(["marks", file, *options]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
