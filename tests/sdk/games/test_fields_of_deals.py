"""Every field that a deal declares is copied by `clone` and shown by `key`; a forgotten line fails here."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from stichkampf.engine.deal import Deal
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match

ELSEWHERE = {
    ("SticheRatenDeal", "rank"): "the ranks of a match, the same object in all its deals",
    ("Deal", "seats"): "given to the constructor; two games fix it",
    ("WasStichtDeal", "lacks"): "empty, as all hands are public",
}
"""Fields that the test leaves as they are, with the reason."""


def declared(deal: type) -> list[tuple[str, str, str]]:
    """List the class, the name and the type of each field of a class of deals and of its bases."""
    fields = []
    for base in deal.__mro__:
        if issubclass(base, Deal):
            source = (
                Path(sys.modules[base.__module__].__file__).parent / f"{base.__module__.split('.')[-1]}.py"
            )
            (body,) = [
                node.body
                for node in ast.parse(source.read_text()).body
                if isinstance(node, ast.ClassDef) and node.name == base.__name__
            ]
            fields += [
                (base.__name__, node.target.id, ast.unparse(node.annotation))
                for node in body
                if isinstance(node, ast.AnnAssign)
            ]
    return fields


def change(deal: Deal, field: str, kind: str) -> None:
    """Give a field another value."""
    value = getattr(deal, field)
    if kind == "bool":
        setattr(deal, field, not value)
    elif kind == "i64":
        setattr(deal, field, value + 1)
    else:
        assert kind == "vec[i64]", f"{field} has the type {kind}, which this test does not know"
        value[-1] += 1
        setattr(deal, field, value)


def deals() -> dict[str, Deal]:
    """Deal once for every class of deals."""
    first = {name: Match(new_game(name, game.players[0]), seed=bytes(32)) for name, game in GAMES.items()}
    return {type(match.deal).__name__: match.deal for match in first.values()}


FIELDS = [
    pytest.param(name, field, kind, id=f"{name} {field}")
    for name, deal in deals().items()
    for owner, field, kind in declared(type(deal))
    if not {(owner, field), (type(deal).__name__, field)} & set(ELSEWHERE)
]


def test_every_game_declares_fields_of_its_own():
    assert {parameters.values[0] for parameters in FIELDS} == set(deals())
    assert len(deals()) == len(GAMES)


@pytest.mark.parametrize(("name", "field", "kind"), FIELDS)
def test_clone_copies_the_field_and_key_shows_it(name, field, kind):
    deal = deals()[name]
    before = deal.key()
    change(deal, field, kind)
    assert deal.key() != before
    assert deal.clone().key() == deal.key()


@pytest.mark.parametrize(
    ("name", "field", "kind"), [parameters for parameters in FIELDS if parameters.values[2] == "vec[i64]"]
)
def test_a_clone_shares_no_list_with_its_deal(name, field, kind):
    deal = deals()[name]
    before, other = deal.key(), deal.clone()
    change(other, field, kind)
    assert deal.key() == before
