"""`stichkampf duel`: duplicate blocks in every game, differences with intervals, an exit status."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from stichkampf.cli import main
from stichkampf.games import GAMES

QUICK = ["--no-clock", "--seed", "a", "--json"]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder; returns status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return command


TABLES = [(game, seats) for game in GAMES for seats in GAMES[game].players]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_blocks_of_a_duel_are_found_among_its_records_in_every_game(run, game, seats):
    short = ["-o", "length=deals:1"] if any(o.name == "length" for o in GAMES[game].specification) else []
    bots = ["timid", "random", "--seats", str(seats)]
    _, out, _ = run("duel", game, *bots, "--blocks", "3", *short, *QUICK, "--records", "r.jsonl")
    (difference,) = json.loads(out)["differences"]
    _, rated, _ = run("rate", "r.jsonl", "--format", "json")
    by_bot = {row["bot"].split()[0]: row for row in json.loads(rated)}
    assert {row["blocks"] for row in by_bot.values()} == {3}
    elo = by_bot["house/timid"]["elo"] - by_bot["house/random"]["elo"]
    assert difference["elo"] == pytest.approx(elo, abs=0.001)


def test_every_bot_holds_every_hand_of_a_block_once(run):
    bots = ["thumb", "random", "timid"]
    run("duel", "sticheln", *bots, "--blocks", "2", "-o", "length=deals:1", *QUICK, "--records", "r.jsonl")
    held = Counter()
    for line in Path("r.jsonl").read_text().splitlines():
        record = json.loads(line)
        hands = record["deals"][0]["hands"]
        held.update((seat["bot"], *hand) for seat, hand in zip(record["seats"], hands, strict=True))
    assert len(held) == 2 * 3 * 3
    assert set(held.values()) == {1}


@pytest.mark.parametrize(("bots", "status"), [(["thumb", "random"], 0), (["random", "thumb"], 1)])
def test_the_status_says_whether_the_first_bot_is_surely_better(run, bots, status):
    duel = ["duel", "sticheln", *bots, "--seats", "3", "-o", "length=deals:1", "--blocks", "10"]
    assert run(*duel, *QUICK, "--better-than", "0")[0] == status
    assert run(*duel, *QUICK)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        *(
            (["sticheln", "thumb", "random", f"--better-than={elo}"], "not a number from -10000 to 10000")
            for elo in ("NaN", "1e999", "-1e999", "1e30", "much")
        ),
        (["sticheln", "thumb"], "between two bots or more, each named once, not house/thumb v"),
        (["sticheln", "thumb", "thumb"], "each named once, not house/thumb v"),
        (["sticheln", "thumb", "thimb"], "did you mean thumb?"),
        (["sticheln", "thumb", "random", "--seats", "9"], "not 9"),
        (["sticheln", "thumb", "random", "--clock", "2,30"], "'2,30' is not three numbers of seconds"),
        (["sticheln", "thumb", "random", "--clock", "5,30,1"], "cannot be less than the time for a move"),
    ],
)
def test_a_duel_that_cannot_be_played_is_one_clear_line(run, arguments, complaint):
    status, out, err = run("duel", *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err
