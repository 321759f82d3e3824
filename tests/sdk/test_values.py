"""Values: like frozen dataclasses, as far as anybody notices."""

import copy
import pickle

import pytest
from stichkampf import Note
from stichkampf.engine.declaration import Fact, Kind
from stichkampf.values import Value


class Card(Value, kw_only=False):
    suit: str
    rank: int = 1
    marks: dict = {}  # noqa: RUF012 - every value has a copy


def test_fields_are_given_by_place_and_name_and_have_defaults():
    assert Card("R", 2) == Card(suit="R", rank=2)
    assert Card("R").rank == 1
    assert repr(Card("R")) == "Card(suit='R', rank=1, marks={})"


@pytest.mark.parametrize(
    ("given", "named", "words"),
    [
        ((), {}, "needs suit"),
        (("R", 1, {}, 4), {}, "suit, rank, marks"),
        (("R",), {"suit": "R"}, "suit twice"),
        (("R",), {"colour": 1}, "no field colour"),
    ],
)
def test_wrong_fields_are_named(given, named, words):
    with pytest.raises(TypeError, match=words):
        Card(*given, **named)


def test_most_values_take_names_only():
    with pytest.raises(TypeError, match="by name"):
        Fact(Kind.SUIT, "trump suit")


def test_a_value_does_not_change_and_shares_no_default():
    with pytest.raises(AttributeError, match="cannot be changed"):
        Card("R").rank = 3
    with pytest.raises(AttributeError, match="cannot be changed"):
        del Card("R").rank
    first = Note("x")
    first.weights["play R1"] = 1.0
    assert Note("x").weights == {}


def test_equal_values_are_equal_keys_and_survive_copies():
    class Other(Card, kw_only=False):
        pass

    fact = Fact(kind=Kind.SUIT, meaning="trump suit")
    assert Card("R") != Other("R")
    assert pickle.loads(pickle.dumps(fact)) == copy.deepcopy(fact) == fact.changed(meaning="trump suit")
    assert fact.changed(meaning="else").meaning == "else"

    class Plain(Value):
        number: int

    assert len({Plain(number=1), Plain(number=1), Plain(number=2)}) == 2
