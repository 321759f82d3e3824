"""Data sets against the records and batches that they are made of."""

from __future__ import annotations

import json

import numpy
import pytest
from stichkampf.bots.practice import entrant, play_match
from stichkampf.cli import main
from stichkampf.errors import RecordError, StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.lab.dataset import FIELDS, DatasetFolder, decided, load, row_layout
from stichkampf.match.records import dump, steps
from stichkampf.match.table import Table

SHORT = {"was-sticht": {"max_deals": 1}}
ALL_SEATS = [(name, seats) for name, game in GAMES.items() for seats in game.players]


def record_of(name, seats, seed=1):
    game = new_game(name, seats, SHORT.get(name, {"length": "deals:1"}))
    return play_match(game, [entrant("thumb"), *[entrant("random")] * (seats - 1)], bytes([seed] * 32)).record


@pytest.mark.parametrize(("name", "seats"), ALL_SEATS)
def test_a_row_of_the_compact_form_takes_at_most_128_bytes(name, seats):
    assert row_layout(new_game(name, seats)).type.itemsize <= 128


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("form", ["parquet", "npy"])
def test_a_data_set_tells_every_decision_of_its_records(tmp_path, name, form):
    seats = GAMES[name].players[-1]
    records = [record_of(name, seats, seed) for seed in (1, 2)]
    with DatasetFolder(tmp_path / "set", form=form, observations=True) as folder:
        for record in records:
            folder.add(record, decided(record, observations=True))
    found = load(tmp_path / "set", name)
    at = 0
    for match, record in enumerate(records):
        tables = [Table(new_game(name, seats, record["options"]), seat, b"") for seat in range(seats)]
        told = [0] * seats
        observer = TableObserver(tables[0].game)
        for step in steps(record):
            seat = step.move.seat
            table = tables[seat]
            table.follow(step.match.events(seat, told[seat]))
            told[seat] = len(step.match.log)
            table.legal = step.legal
            seen, mask = observer.observe(table)
            one = slice(at, at + 1)
            assert found["match"][at] == match
            assert (found["deal"][at], found["move"][at], found["seat"][at]) == step.move[:3]
            assert found.words[found["action"][at]] == step.move.word
            assert found["choices"][at] == len(step.legal)
            assert found["points"][at] == record["deals"][step.move.deal]["scores"][seat]
            assert (found["score"][at], found["rank"][at]) == (record["scores"][seat], record["ranks"][seat])
            entry = record["seats"][seat]
            assert found.bots[found["bot"][at]] == f"{entry['bot']} v{entry['version']}"
            assert numpy.isnan(found["seconds"][at])
            assert found.legal(one)[0].tolist() == mask.tolist()
            assert found.observations(one)[0].tolist() == seen.tolist()
            slices = observer.layout.slices.items()
            hand = [seen[columns] for part, columns in slices if part.partition(",")[0] == "hand"]
            assert found.hands(one)[0].tolist() == numpy.concatenate(hand).tolist()
            at += 1
    assert at == len(found)


@pytest.mark.slow
def test_the_command_makes_a_folder_with_a_data_sheet(tmp_path, capsys):
    path = tmp_path / "records.jsonl"
    path.write_text("".join(dump(record_of(name, 4)) + "\n" for name in ("mue", "njet")))
    assert main(["dataset", str(path), "--out", str(tmp_path / "set"), "--jobs", "2"]) == 0
    assert "decisions of 2 records" in capsys.readouterr().out
    told = json.loads((tmp_path / "set" / "dataset.json").read_text())
    assert [file["name"] for file in told["files"]] == ["mue-4.parquet", "njet-4.parquet"]
    sheet = (tmp_path / "set" / "DATASHEET.md").read_text()
    assert all(f"`{field.name}`" in sheet for field in FIELDS)
    matches = [json.loads(line) for line in (tmp_path / "set" / "matches.jsonl").read_text().splitlines()]
    assert [match["game"] for match in matches] == ["mue", "njet"]
    assert matches[0]["bots"] == [0, 1, 1, 1]
    assert len(load(tmp_path / "set", "njet", 4)) > 0


def test_a_record_that_breaks_the_rules_leaves_no_folder(tmp_path, capsys):
    bad = record_of("njet", 4)
    bad["deals"][0]["scores"][0] += 1
    path = tmp_path / "records.jsonl"
    path.write_text(dump(record_of("njet", 4)) + "\n" + dump(bad) + "\n")
    assert main(["dataset", str(path), "--out", str(tmp_path / "set")]) == 2
    assert f"{path}, line 2: deal 0: expected scores" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["records.jsonl"]
    with pytest.raises(RecordError, match="expected scores"):
        decided(bad)


def test_what_cannot_be_a_data_set_is_refused(tmp_path, capsys):
    (tmp_path / "there").mkdir()
    with pytest.raises(StichkampfError, match=r"something at .*there already"):
        DatasetFolder(tmp_path / "there")
    with pytest.raises(StichkampfError, match="parquet or npy, not 'csv'"):
        DatasetFolder(tmp_path / "new", form="csv")
    with pytest.raises(StichkampfError, match=r"it has no file dataset\.json"):
        load(tmp_path, "mue")
    with pytest.raises(StichkampfError, match=r"cannot make .*No such file"):
        DatasetFolder(tmp_path / "missing" / "set")
    assert main(["dataset", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "set")]) == 2
    assert "cannot read" in capsys.readouterr().err
    record = record_of("mue", 4)
    with DatasetFolder(tmp_path / "set", form="npy") as folder:
        folder.add(record, decided(record))
    with pytest.raises(StichkampfError, match="no file for njet; it has mue with 4 seats"):
        load(tmp_path / "set", "njet")
    with pytest.raises(StichkampfError, match="has no observations"):
        load(tmp_path / "set", "mue").observations()
