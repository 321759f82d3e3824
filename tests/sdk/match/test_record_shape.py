"""The shape of a record: every fixed field is there and of the right type."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from stichkampf import new_game
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.errors import RecordError
from stichkampf.faults import FaultKind
from stichkampf.match.record_shape import check_shape, record_schema
from stichkampf.match.records import dump, parse
from support import examples

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


# The JSON Schema -------------------------------------------------------------------------------------------

SCHEMA = Draft202012Validator(json.loads(record_schema()))
SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.sampled_from([3.0, 2.5, 1e300]),
    st.sampled_from(["", "x"]),
)
ANYTHING = st.recursive(
    SIMPLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


def positions(value, path=()):
    """Yield the path of every value in a JSON document."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield from positions(entry, (*path, key))


def alter(data, document):
    """Put something else in one position of a document, or delete, repeat or add an entry there."""
    path = data.draw(st.sampled_from(sorted(positions(document), key=str)))
    if not path:
        return data.draw(ANYTHING)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    change = data.draw(st.sampled_from(["replace", "delete", "repeat"]))
    if change == "replace":
        holder[path[-1]] = data.draw(ANYTHING)
    elif change == "delete":
        del holder[path[-1]]
    elif isinstance(holder, list):
        holder.append(holder[path[-1]])
    else:
        holder["another field"] = holder[path[-1]]
    return document


def is_accepted(text):
    try:
        check_shape(parse(text))
    except RecordError:
        return False
    return True


SHORT = {
    "format": "stichkampf-record/1",
    "game": "sticheln",
    "options": {"length": "deals:1"},
    "seats": [{"bot": "a"}, {"bot": "b", "version": 2}, {"bot": "c"}],
    "deals": [
        {"dealer": 0, "hands": [["R1"], ["R2"], ["R3"]], "moves": [[1, "pain R2"]], "scores": [0, 1, 2]}
    ],
    "faults": [{"deal": 0, "move": 0, "seat": 1, "kind": "timeout"}],
    "scores": [0, 1, 2],
    "ranks": [3, 2, 1],
    "substitute": {"bot": "house/thumb", "version": 2},
    "rules_version": 1,
    "seed": "0",
    "shuffle": "by hand",
    "time_control": {"move_seconds": 2, "charged": ["cpu", "wall", "cpu"]},
    "costs": [[0.5]],
    "wall_times": [[None]],
    "notes": [{"deal": 0, "move": 0, "seat": 1, "note": {"text": "x", "weights": {"a": 1}}}],
    "sandbox": "hosted",
    "stichkampf": "1.0.0",
}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA.schema)


def test_the_schema_accepts_a_record(record):
    SCHEMA.validate(record)


@pytest.mark.slow
@settings(max_examples=examples(600))
@given(st.data())
def test_the_schema_and_the_program_give_the_same_verdict(data):
    document = copy.deepcopy(SHORT)
    for _ in range(data.draw(st.integers(0, 2))):
        document = alter(data, document) if isinstance(document, dict) else document
    text = json.dumps(document)
    assert SCHEMA.is_valid(json.loads(text)) == is_accepted(text), text


@pytest.mark.parametrize("seats", range(10))
def test_the_schema_and_the_program_count_the_seats_alike(seats):
    numbers = list(range(seats))
    deal = {**SHORT["deals"][0], "scores": numbers}
    record = {**SHORT, "seats": [{"bot": "a"}] * seats, "deals": [deal], "scores": numbers, "ranks": numbers}
    assert SCHEMA.is_valid(record) == is_accepted(json.dumps(record)) == (2 <= seats <= 7)


def test_every_fault_kind_stands_in_the_schema():
    described = SCHEMA.schema["$defs"]["fault"]["properties"]["kind"]["description"]
    assert all(f"`{kind}`" in described for kind in FaultKind)


def test_every_field_that_the_program_writes_stands_in_the_schema(record):
    assert record.keys() <= SCHEMA.schema["properties"].keys()
