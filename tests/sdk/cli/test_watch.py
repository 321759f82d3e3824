"""`stichkampf watch`: every decision of a record in words, and to a seat no more than it saw."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from stichkampf.cli import main
from stichkampf.games import GAMES
from stichkampf.local_play.validation import OPPONENTS
from stichkampf.match.records import deciding_seats


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder; returns status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        status = main(arguments)
        return status, *capsys.readouterr()

    return command


def record_of(run, game, seats=4):
    bots = OPPONENTS[: seats - 1]
    has_length = any(option.name == "length" for option in GAMES[game].specification)
    options = ["-o", "length=deals:1"] if has_length else []
    assert run("play", game, "thumb", *bots, *options, "--seed", "w3", "--records", "r.jsonl")[0] == 0
    return json.loads(Path("r.jsonl").read_text())


@pytest.mark.parametrize("game", ["sticheln", "njet", "was-sticht"])
def test_every_decision_is_shown_with_hands_choice_and_outcome(run, game):
    record = record_of(run, game)
    status, out, _ = run("watch", "r.jsonl")
    shown = re.findall(r"^Decision (\d+) .* seat (\d)$", out, re.MULTILINE)
    assert status == 0
    assert shown == [(str(n), str(seat + 1)) for n, seat in enumerate(deciding_seats(record), 1)]
    assert out.count("\n  choice: ") == len(shown)
    assert f"so far {', '.join(map(str, record['scores']))}" in out
    assert f"  ranks: {', '.join(map(str, record['ranks']))}" in out
    assert "\033" not in out


def test_a_seat_is_shown_its_own_hand_and_choices_and_of_others_what_it_saw(run):
    record_of(run, "njet")
    _, out, _ = run("watch", "r.jsonl", "--seat", "2")
    steps = [step.splitlines() for step in out.strip().split("\n\n")]
    for lines in steps:
        own = lines[0].endswith("seat 2")
        hands = {line[2]: line.split()[-1] for line in lines[1:5]}
        assert [seat for seat, last in hands.items() if last != "cards"] in (["2"], [])
        assert any(line.startswith("  choice: ") for line in lines) == own
    discards = [line for lines in steps for line in lines if re.match("  seat [134]: discard", line)]
    assert discards
    assert all(line.endswith("discard ?") for line in discards)


def test_what_is_known_is_told_in_words_with_seats_from_1(run):
    record = record_of(run, "mue")
    _, out, _ = run("watch", "r.jsonl")
    (chief,) = {line for line in out.splitlines() if line.startswith("  chief: ")}
    laid = {at for deal in record["deals"] for at, word in deal["moves"] if word.startswith("lay ")}
    assert chief in {f"  chief: seat {at + 1}" for at in laid}
    assert "  cards laid in the auction: seat 1: " in out
    assert "null" not in out


def test_it_begins_with_a_decision_and_refuses_those_that_are_none(run):
    count = len(deciding_seats(record_of(run, "sticheln")))
    assert run("watch", "r.jsonl", "--decision", str(count))[1].startswith(f"Decision {count} ")
    for wrong, said in (
        (["--decision", str(count + 1)], f"the match has decisions 1 to {count}, not {count + 1}"),
        (["--seat", "5"], "the match has seats 1 to 4, not 5"),
    ):
        assert run("watch", "r.jsonl", *wrong) == (2, "", f"stichkampf: {said}\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_it_waits_and_goes_where_it_is_told(run, monkeypatch):
    record_of(run, "sticheln")
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("\nb\n7\n\nq\n"))
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["watch", "r.jsonl"]) == 0
    assert re.findall(r"Decision (\d+) ", screen.getvalue()) == ["1", "2", "1", "7", "8"]
    assert "\033[1mDecision 7" in screen.getvalue()
