"""The shape of a record: every fixed field is there and of the right type."""

from __future__ import annotations

import json

import pytest
from stichkampf import new_game
from stichkampf.bots import house_bot
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.errors import RecordError
from stichkampf.match.record_shape import check_shape
from stichkampf.match.records import dump

RANDOM = Entrant("house/random", house_bot("random"), 1)


@pytest.fixture(scope="module")
def record():
    game = new_game("stiche-raten", 3, {"length": "deals:2"})
    return json.loads(dump(play_match(game, [RANDOM] * 3, bytes(32)).record))


@pytest.mark.parametrize("name", ["format", "game", "options", "seats", "deals", "faults", "scores", "ranks"])
def test_a_missing_field_is_named(record, name):
    with pytest.raises(RecordError, match=f'the field "{name}" is missing'):
        check_shape({field: value for field, value in record.items() if field != name})


@pytest.mark.parametrize("name", ["dealer", "moves", "scores"])
def test_a_missing_field_of_a_deal_is_named(record, name):
    deals = [record["deals"][0], {field: v for field, v in record["deals"][1].items() if field != name}]
    with pytest.raises(RecordError, match=f'deal 1: the field "{name}" is missing'):
        check_shape({**record, "deals": deals})


@pytest.mark.parametrize("value", [None, True, 1, 1.5, [[]], [{}], [None], [True, True, True]])
@pytest.mark.parametrize("name", ["format", "seats", "deals", "scores", "ranks", "faults", "options", "game"])
def test_a_field_of_the_wrong_type_is_refused(record, name, value):
    with pytest.raises(RecordError):
        check_shape({**record, name: value})


@pytest.mark.parametrize(
    "move", [None, [], [0], [0, "play C7", 1], ["0", "play C7"], [True, "play C7"], [0, 7], "0 play C7"]
)
def test_a_move_is_a_seat_and_an_action(record, move):
    spoilt = json.loads(dump(record))
    spoilt["deals"][1]["moves"][2] = move
    with pytest.raises(RecordError, match=r"deal 1: move 2 must be \[seat, action\]"):
        check_shape(spoilt)


def test_a_document_that_is_no_object_is_refused():
    for document in (None, 3, "text", [], True):
        with pytest.raises(RecordError, match="a match record is a JSON object"):
            check_shape(document)
