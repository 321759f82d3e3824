"""Facts, secrets and phases are in play as they are declared, typed and documented."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from pathlib import Path
from random import Random
from types import UnionType
from typing import get_args, get_origin

import pytest
from stichkampf.engine.view import View
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.games.facts import facts_markdown, facts_text, rows_of
from stichkampf.match.match import Match
from stichkampf.testing import one_deal, table_at
from stichkampf_oracle import wilful

DOCS = Path(__file__).parents[3] / "docs"
VARIANTS = {"stiche-raten": {"length": "deals:3", "greifen_passen": True}}
MATCHES = 6


def fits(value, kind) -> bool:
    if isinstance(kind, UnionType):
        return any(fits(value, one) for one in get_args(kind))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(fits(entry, *get_args(kind)) for entry in value)
    if get_origin(kind) is dict:
        key, entry = get_args(kind)
        return isinstance(value, dict) and all(fits(k, key) and fits(v, entry) for k, v in value.items())
    return value is None if kind in (None, type(None)) else type(value) is kind


def deals_in_play(name):
    """Yield the full deal at each decision, with every number of seats and choices that reach every phase."""
    game = GAMES[name]
    last_round = [{"deck": 52, "length": "deals:8"}] if name == "stiche-raten" else []
    for options in [one_deal(name), *([VARIANTS[name]] if name in VARIANTS else []), *last_round]:
        for seats in game.players:
            rng = Random(f"{name} {seats} {options}")
            for _ in range(1 if options in last_round else MATCHES):
                match = Match(new_game(name, seats, options), seed=rng.randbytes(32))
                while not match.over:
                    yield seats, match.deal
                    (seat, *_) = match.to_act()
                    match.play(seat, wilful(rng, match.legal(seat)))


@pytest.mark.parametrize("name", GAMES)
def test_facts_have_their_types_and_are_there_when_they_are_declared(name):
    game = GAMES[name]
    seen = defaultdict(set)
    kinds = {key: eval(fact.type) for key, fact in {**game.facts, **game.secrets}.items()}
    phases = set()
    for seats, deal in deals_in_play(name):
        phase = deal.phase()
        phases.add(phase)
        secrets = [deal.secrets(seat) for seat in range(seats)]
        assert set(deal.facts()) == set(game.facts)
        assert {key for one in secrets for key in one} <= set(game.secrets)
        for key, value in deal.facts().items():
            assert fits(value, kinds[key]), (key, value, kinds[key])
            seen[key, phase].add(value is not None)
        for key in game.secrets:
            for one in secrets:
                assert key not in one or (one[key] is not None and fits(one[key], kinds[key])), (key, one)
                seen[key, phase].add(key in one)
    assert phases == set(game.phases)
    for key, fact in {**game.facts, **game.secrets}.items():
        for phase in game.phases:
            if fact.present is None or phase in fact.present:
                assert True in seen[key, phase], (key, phase)
                assert False not in seen[key, phase], (key, phase)
            elif phase in fact.perhaps:
                assert True in seen[key, phase], (key, phase)
            else:
                assert seen[key, phase] == {False}, (key, phase)
        if fact.present is not None:
            assert set(fact.present) | set(fact.perhaps) <= set(game.phases)
            assert fact.when


@pytest.mark.parametrize("name", GAMES)
def test_a_view_has_a_field_of_the_declared_type_for_every_fact_and_secret(name):
    game = GAMES[name]
    declared = {key: fact.type for key, fact in {**game.facts, **game.secrets}.items()}
    assert {key: game.view.__annotations__[field] for field, key in game.view.fields.items()} == declared
    for _, deal in islice(deals_in_play(name), 0, 300, 20):
        view = game.view(deal.information_set(1), 1)
        known = deal.facts() | deal.secrets(1)
        assert {key: getattr(view, field) for field, key in view.fields.items() if key in known} == known


def test_the_view_of_another_game_is_refused():
    class Unknown(View):
        side_points: list[int]

    with pytest.raises(StichkampfError, match="Unknown is no view of mue, which has no fact 'side points'"):
        table_at("mue", 4).view(Unknown)


def test_the_page_of_facts_is_what_the_games_declare():
    page = (DOCS / "facts.md").read_text()
    assert page.split("\n## ", 1)[1] == "\n\n".join(map(facts_markdown, GAMES.values()))[3:] + "\n"


@pytest.mark.parametrize("name", GAMES)
def test_the_command_lists_every_fact_and_secret(name):
    told = facts_text(GAMES[name])
    for row in rows_of(GAMES[name], {**GAMES[name].facts, **GAMES[name].secrets}):
        assert f"  {row.key} " in told
        assert row.type in told
