"""One clock and one set of rules: those of the main ladders hold at home, in documents and in defaults."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from documents import DOCUMENTS, ROOT
from stichkampf.cli import command_parser, main
from stichkampf.cli.project.project_files import project_files
from stichkampf.games import GAMES, new_game
from stichkampf.local_play import home_validation
from stichkampf.time_control import LADDER_CLOCK, TimeControl

QUICK = ["--seed", "a", "--no-clock", "--json"]
SECONDS = {
    r'"seconds": ([0-9.]+)': LADDER_CLOCK.cap_seconds,
    r"decision has ([0-9.]+) s": LADDER_CLOCK.move_seconds,
    r"Zug ([0-9.]+) s für sich": LADDER_CLOCK.move_seconds,
    r"reserve of\s+([0-9.]+) s\b": LADDER_CLOCK.bank_seconds,
    r"Reserve von\s+([0-9.]+) s\b": LADDER_CLOCK.bank_seconds,
    r"decision\s+more than ([0-9.]+) s\b": LADDER_CLOCK.cap_seconds,
    r"kein Zug mehr als ([0-9.]+) s\b": LADDER_CLOCK.cap_seconds,
}
"""Ways in which documents name the clock, each with the number that is right."""


def table(game: str, *options: str) -> list[str]:
    seats = GAMES[game].main_ladder.seats
    return ["play", game, *["thumb"] * (seats - 1), "random", *QUICK, *options]


def result(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    assert main(words) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("game", GAMES)
def test_play_plays_the_rules_of_the_main_ladder_unless_told_otherwise(game, capsys):
    ladder = GAMES[game].main_ladder
    played = result(table(game), capsys)
    assert played["options"] == new_game(game, ladder.seats, ladder.options).options
    assert "not the main ladder's: clock)" in played["rules"]
    assert result(table(game, "--ladder"), capsys)["options"] == played["options"]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_full_rules_are_those_of_the_game_itself(game, capsys):
    seats = GAMES[game].main_ladder.seats
    played = result(table(game, "--rules", "full"), capsys)
    assert played["options"] == new_game(game, seats, {}).options
    others = played["options"] != new_game(game, seats, GAMES[game].main_ladder.options).options
    assert ("not the main ladder's: rules, clock)" in played["rules"]) == others


@pytest.mark.parametrize("game", ["meinz", "stiche-raten"])
def test_a_duel_plays_the_rules_of_the_main_ladder(game, capsys):
    duel = result(["duel", game, "thumb", "random", "--blocks", "1", *QUICK], capsys)
    ladder = GAMES[game].main_ladder
    assert (duel["seats"], duel["options"]) == (
        ladder.seats,
        new_game(game, ladder.seats, ladder.options).options,
    )


def test_an_option_changes_the_ladders_rules_and_the_others_stay(capsys):
    played = result(table("sticheln", "-o", "length=deals:1"), capsys)
    assert (played["options"]["edition"], played["options"]["length"]) == ("short", "deals:1")
    assert "rules, clock" in played["rules"]


def test_rules_and_ladder_exclude_each_other(capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*table("sticheln"), "--rules", "full", "--ladder"])
    assert "not allowed with" in capsys.readouterr().err


def test_play_says_that_seats_stay_and_which_duel_tells_more(capsys):
    assert main(["play", "stiche-raten", "thumb", "random", "random", "--seed", "a", "--no-clock"]) == 0
    out = capsys.readouterr().out
    assert "Every bot kept its seat, and seats matter." in out
    assert out.count("stichkampf duel stiche-raten thumb random --no-clock\n") == 1


def test_play_points_to_a_duel_under_the_same_rules_and_clock(capsys):
    rules = ["-o", "length=deals:1", "--rules", "full", "--clock", "1,2,3"]
    assert main(["play", "stiche-raten", "thumb", "random", "random", *rules]) == 0
    duel = next(line for line in capsys.readouterr().out.splitlines() if "stichkampf duel" in line)
    _, _, words = duel.partition("stichkampf ")
    args = command_parser().parse_args(shlex.split(words))
    assert (args.options, args.rules, str(args.clock)) == (["length=deals:1"], "full", "1,2,3")


@pytest.mark.parametrize("command", ["play", "duel"])
def test_play_and_duel_have_the_clock_of_the_main_ladders(command):
    args = command_parser().parse_args([command, "mue", "thumb", "random"])
    assert args.clock == LADDER_CLOCK == TimeControl() == home_validation.LADDER_CLOCK


@pytest.mark.parametrize("game", GAMES)
def test_games_prints_the_main_ladder_of_each(game, capsys):
    ladder = GAMES[game].main_ladder
    options = new_game(game, ladder.seats, ladder.options).options
    assert main(["games", game]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "main ladder:" in line]
    assert f"{ladder.seats} seats" in line
    assert f"clock {LADDER_CLOCK}" in line
    assert all(f"{name}=" in line for name in options)
    assert main(["games", game, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["main_ladder"] == {
        "seats": ladder.seats,
        "options": options,
        "time_control": LADDER_CLOCK.to_json(),
    }


def test_no_document_names_another_clock():
    pages = [ROOT / document for document in DOCUMENTS]
    texts = {page: page.read_text("utf-8") for page in pages}
    texts |= {ROOT / "new": str(project_files("karl", "search", "python", None)["bot.py"])}
    found = [
        (page.name, pattern, float(number), right)
        for page, text in texts.items()
        for pattern, right in SECONDS.items()
        for number in re.findall(pattern, text)
    ]
    assert {pattern for _, pattern, *_ in found} == set(SECONDS)
    assert [one for one in found if one[2] != one[3]] == []
