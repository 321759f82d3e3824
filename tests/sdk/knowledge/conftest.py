"""Knowledge of hidden cards and choices, tested through `engine`, `games` and `match` together.

Tables to walk over: every game and number of seats, short matches, choices that reach every phase."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf_oracle import wilful

SHORT = {"stiche-raten": {"length": "deals:4"}, "was-sticht": {"max_deals": 2, "tasks_per_player": 3}}
VARIANTS = {
    "stiche-raten": {"length": "deals:3", "greifen_passen": True},
    "njet": {"length": "deals:2", "supertrump_suit": "own"},
    "was-sticht": {"max_deals": 2, "tasks_per_player": 3, "dummy_in_hint": False},
}
EVERY_TABLE = [
    pytest.param(name, seats, options, id=f"{name} {seats} {len(options)}")
    for name, game in GAMES.items()
    for seats in game.players
    for options in [SHORT.get(name, {"length": "deals:2"}), *([VARIANTS[name]] if name in VARIANTS else [])]
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a walk at every table."""
    if "walk" in metafunc.fixturenames:
        metafunc.parametrize(("name", "seats", "options"), EVERY_TABLE)


@pytest.fixture
def walk(name: str, seats: int, options: dict) -> SimpleNamespace:
    """Start a match; `walk.step()` answers for one of the awaited seats."""
    rng = Random(f"{name} {seats} {options}")
    match = Match(new_game(name, seats, options), seed=rng.randbytes(32))

    def step() -> tuple[int, str]:
        seat = rng.choice(match.to_act())
        word = wilful(rng, match.legal(seat))
        match.play(seat, word)
        return seat, word

    return SimpleNamespace(match=match, rng=rng, step=step)
