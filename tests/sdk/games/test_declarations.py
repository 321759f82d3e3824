"""Every game declares everything about itself, and plays as it declares."""

from random import Random

import pytest
from stichkampf import games
from stichkampf.engine.declaration import ATTRIBUTES, Kind, MainLadder
from stichkampf.engine.felt import Felt
from stichkampf.games import GAMES, new_game, register
from stichkampf.match.match import Match

TABLES = [(name, seats) for name, game in GAMES.items() for seats in game.players]
DECLARED = [name for name in ATTRIBUTES if name != "name"]


def is_of_kind(game, seats, kind, value):
    if kind is Kind.SEAT:
        return value in (*range(seats), *map(str, range(5)), "table")
    if kind is Kind.SUIT:
        return value in {card[0] for card in game.cards} or value in (*"0123456789", "none")
    if kind is Kind.CARD:
        return value in game.cards
    if kind is Kind.COUNT:
        return isinstance(value, int)
    return isinstance(value, str)


def leaves(fact, value):
    """Yield every single value of a fact with its kind."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from ((fact.kinds.get(key, fact.kind), leaf) for _, leaf in leaves(fact, entry))
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(fact, entry)
    elif value is not None:
        yield fact.kind, value


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_facts_and_secrets_are_declared_with_their_kinds(name, seats):
    game = new_game(name, seats)
    for number in range(3):
        rng = Random(number)
        match = Match(game, seed=rng.randbytes(32))
        for _ in range(250):
            if match.over:
                break
            deal = match.deal
            for seat in range(deal.seats):
                for declared, known in ((game.facts, deal.facts()), (game.secrets, deal.secrets(seat))):
                    assert set(known) <= set(declared)
                    for fact, value in known.items():
                        if declared[fact].each and value is not None:
                            assert len(value) in (deal.seats, game.seats)
                        for kind, leaf in leaves(declared[fact], value):
                            assert is_of_kind(game, deal.seats, kind, leaf), (fact, kind, leaf)
            (seat, *_) = match.to_act()
            match.play(seat, rng.choice(match.legal(seat)))


@pytest.mark.parametrize("name", GAMES)
def test_a_game_declares_its_cards_and_actions(name):
    game = GAMES[name]
    assert len(set(game.cards)) == len(game.cards)
    assert len(set(game.actions)) == len(game.actions)
    for _, examples in game.moments:
        assert set(examples.split(", ")) <= set(game.actions)
    ladder = new_game(name, game.main_ladder.seats, game.main_ladder.options)
    assert ladder.seats == game.main_ladder.seats


@pytest.mark.parametrize("missing", DECLARED)
def test_a_forgotten_declaration_is_an_error(missing):
    everything = {name: getattr(GAMES["sticheln"], name) for name in DECLARED if name != missing}
    incomplete = type("Incomplete", (), {"name": "incomplete", **everything})
    with pytest.raises(TypeError, match=f"Incomplete does not declare {missing} "):
        register(incomplete)
    assert "incomplete" not in GAMES


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("actions", ["play R0"], "do not agree about pain"),
        ("sample_cards", ("SA",), "has no card SA to show"),
        ("main_ladder", MainLadder(seats=9), "the main ladder of Wrong is for 9 seats"),
        ("felt", Felt(running="glory"), "the felt of Wrong draws facts that it does not have: glory"),
    ],
)
def test_declarations_that_contradict_each_other_are_an_error(name, wrong, message):
    everything = {each: getattr(GAMES["sticheln"], each) for each in ATTRIBUTES}
    with pytest.raises(TypeError, match=message):
        register(type("Wrong", (), {**everything, "name": "wrong", name: wrong}))
    assert "wrong" not in games.GAMES


def test_a_second_game_of_the_same_name_is_an_error():
    everything = {each: getattr(GAMES["sticheln"], each) for each in ATTRIBUTES}
    with pytest.raises(TypeError, match="there is a game 'sticheln' already: Sticheln"):
        register(type("Another", (), everything))
    register(GAMES["sticheln"])
