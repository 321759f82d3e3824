"""Tests of frames put together from encoded parts: they are those that the protobuf library writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from stichkampf.faults import FaultKind
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.wire.encoded_updates import Update, compact_json, encoded_event, encoded_frame
from stichkampf.wire.v1 import bot_pb2 as pb
from wire_events import to_wire


def played(name: str) -> Match:
    game = GAMES[name]
    match = Match(new_game(name, game.players[0], {}), seed=bytes(32))
    while not match.over and len(match.played) < 4:
        seat = match.to_act()[0]
        match.play(seat, match.legal(seat)[-1])
    return match


@pytest.mark.parametrize("name", sorted(GAMES))
def test_frame_has_the_bytes_of_the_library(name: str) -> None:
    log = played(name).log
    start = pb.TableStart(game=name, options_json="{}", seats=4, seed=bytes(32), rules_version=1)
    library = pb.ToBot()
    updates = []
    for table in (1, 127, 128, *range(200, 212), 70_000):
        update, whole = Update(table), library.updates.tables.add(table=table)
        update.start(start.SerializeToString())
        whole.start.CopyFrom(start)
        update.events += [encoded_event(event) for mask, event in log if mask & 1]
        whole.events.extend(to_wire(event) for mask, event in log if mask & 1)
        update.ask(300, ["play R6", "play Ü"], 2.5, ["R6"])
        whole.question.MergeFrom(
            pb.Question(decision=300, legal=["play R6", "play Ü"], seconds=2.5, hand=["R6"])
        )
        updates.append(update)
    ended, whole = Update(9), library.updates.tables.add(table=9)
    ended.end(pb.TABLE_END_REASON_FINISHED)
    whole.end.reason = pb.TABLE_END_REASON_FINISHED
    assert encoded_frame([*updates, ended]) == library.SerializeToString()
    assert len(library.SerializeToString()) > 2**14, "lengths of three bytes are among them"


@pytest.mark.parametrize(
    "value",
    [
        {"bids": [0, -1, None], "sizes": {"a": [], "b": {}}, "open": [True, False], "ü": '"\\\n\x7f€😀'},
        [1.5, (2, 3), 2**70, FaultKind.TIMEOUT],
        {1: "a", None: "b"},
    ],
)
def test_facts_are_written_as_the_json_library_writes_them(value: Any) -> None:
    assert compact_json(value) == json.dumps(value, separators=(",", ":"))
