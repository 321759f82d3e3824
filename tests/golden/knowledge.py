"""Write the digests of what seats are shown again: in views, arrays, rows and strings, of every game.

    .venv/bin/python tests/golden/knowledge.py [FILE]

The file is knowledge.json beside this one unless another is named. All of it follows from fixed seeds; a
difference to what is committed means that a trained network, a data set or a bot sees something else than
before.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from stichkampf import Match, Table, new_game
from stichkampf.games import GAMES
from stichkampf.lab.adapters.openspiel import load_game
from stichkampf.lab.adapters.pettingzoo import env
from stichkampf.lab.batch import Batch
from stichkampf.lab.batch.gymnasium_view import VectorView
from stichkampf.lab.batch.pettingzoo_view import DealView
from stichkampf.lab.batch.pufferlib_view import PufferView
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.lab.dataset import decided

SHORT: dict[str, dict[str, Any]] = {
    "stiche-raten": {"length": "deals:4", "greifen_passen": True},
    "was-sticht": {"max_deals": 2, "tasks_per_player": 3},
}
SEEDS = (b"\1" * 32, b"\2" * 32)
BATCH_STEPS = 60
STRIDE = 9  # decisions between looks at all that was told since the first deal


def options_of(name: str) -> dict[str, Any]:
    return SHORT.get(name, {"length": "deals:2"})


def wilful(rng: Random, words: list[str]) -> str:
    """Choose first a verb, then a word with it, so that every phase is reached."""
    verb = rng.choice(sorted({word.split()[0] for word in words}))
    return rng.choice([word for word in words if word.split()[0] == verb])


def digest(told: Iterator[object]) -> str:
    seen = hashlib.sha256()
    for part in told:
        seen.update(
            part.dtype.str.encode() + part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        )
    return seen.hexdigest()[:32]


def matches(name: str, seats: int) -> Iterator[tuple[Match, list[Table]]]:
    """Yield the moments of a few matches at which somebody chooses; a choice follows each."""
    for seed in SEEDS:
        game, rng = new_game(name, seats, options_of(name)), Random(seats)
        match = Match(game, seed=seed)
        tables, told = [Table(game, seat, seed) for seat in range(seats)], [0] * seats
        while not match.over:
            for seat, table in enumerate(tables):
                table.follow(match.events(seat, told[seat]))
                told[seat] = len(match.log)
                table.legal = match.legal(seat) if seat in match.to_act() else []
            yield match, tables
            seat = rng.choice(match.to_act())
            match.play(seat, wilful(rng, match.legal(seat)))
        yield match, tables


def views(name: str, seats: int) -> Iterator[object]:
    """Yield the typed views with all that follows from them, and the tables in words."""
    kind = GAMES[name].view
    follows = [found for found, value in vars(kind).items() if isinstance(value, property)]
    for number, (_, tables) in enumerate(matches(name, seats)):
        for table in tables:
            view = table.view(kind)
            yield repr(view), [getattr(view, found) for found in follows]
            yield table.facts, table.secrets, table.hand, table.trick
            if number % STRIDE == 0:
                yield table.describe(), table.describe("de")


def cards(name: str, seats: int) -> Iterator[object]:
    """Yield the answers of views about single cards."""
    game = GAMES[name]
    for number, (_, tables) in enumerate(matches(name, seats)):
        view: Any = tables[number % seats].view(game.view)
        for question in ("is_trump", "trump_rank", "points_of"):
            if hasattr(view, question):
                yield [getattr(view, question)(card) for card in game.cards]
        if hasattr(view, "worth"):
            yield [
                (view.hurts(seat, card), view.worth([card], seat))
                for seat in range(seats)
                for card in game.cards
            ]


def at_tables(name: str, seats: int) -> Iterator[object]:
    """Yield a batch's observations at the tables of bots."""
    observer = TableObserver(new_game(name, seats, options_of(name)))
    for match, tables in matches(name, seats):
        for seat in match.to_act() if not match.over else ():
            yield from observer.observe(tables[seat])


def rows(name: str, seats: int) -> Iterator[object]:
    """Yield the rows of data sets."""
    for observations in (False, True):
        for match, _ in matches(name, seats):
            if match.over:
                found = decided(match.record([{"bot": "golden"}] * seats), observations=observations)
                yield found.rows.dtype.descr, found.rows.tobytes(), found.bots


def environment(made: Any, number: int) -> Iterator[object]:
    """Yield all that the agents of a PettingZoo environment see of a few episodes."""
    yield sorted(made.metadata.items()), made.possible_agents
    for agent in made.possible_agents:
        yield made.observation_space(agent), made.action_space(agent)
    rng = Random(number)
    for seed in (number, None):
        made.reset(seed=seed)
        for agent in made.agent_iter():
            for other in made.agents:
                seen = made.observe(other)
                yield seen["observation"]
                yield seen["action_mask"]
            yield agent, made.last(observe=False), made.rewards
            legal = np.flatnonzero(made.observe(agent)["action_mask"]).tolist()
            made.step(None if made.terminations[agent] else rng.choice(legal))


def whole_matches(name: str, seats: int) -> Iterator[object]:
    made = env(name, seats, options_of(name), render_mode="ansi")
    yield list(made.layout.slices.items()), made.layout.size
    yield from environment(made, seats)
    yield made.render()


def single_deals(name: str, seats: int) -> Iterator[object]:
    yield from environment(DealView(name, seats, options_of(name)), seats)


def strings(name: str, seats: int) -> Iterator[object]:
    """Yield OpenSpiel's strings and tensors."""
    game = load_game(name, seats, options_of(name))
    yield str(game), game.observation_tensor_shape()
    state, rng, number = game.new_initial_state(SEEDS[0]), Random(seats), 0
    words = game.vocabulary.words
    while not state.is_terminal():
        yield [state.observation_string(player) for player in range(seats)]
        if number % STRIDE == 0:
            yield [state.information_state_string(player) for player in range(seats)]
            yield state.observation_tensor()
            sampled = state.resample_from_infostate(state.current_player(), Random(number).random)
            yield sampled.information_state_string(), sampled.observation_string()
        legal = {words[action]: action for action in state.legal_actions()}
        state.apply_action(legal[wilful(rng, sorted(legal))])
        number += 1
    yield str(state), state.returns(), state.serialize()


def batches(name: str, seats: int) -> Iterator[object]:
    """Yield the arrays of a batch, and of its other shapes."""
    batch = Batch(name, seats, 4, options_of(name), seed=seats, starts=4, history=12)
    yield list(batch.layout.slices.items()), batch.layout.scales, batch.cards, batch.words
    for step in range(BATCH_STEPS):
        yield from (batch.seat, batch.observation, batch.mask, batch.tokens, batch.rewards, batch.done)
        yield from (batch.hidden_hands(), batch.observation_of(step % 4, step % seats))
        batch.step(batch.random_actions())
    vector, rng = VectorView(Batch(name, seats, 4, seed=1, starts=4)), Random(seats)
    yield vector.reset(seed=2)[0]["observation"]
    puffer = PufferView(Batch(name, seats, 2, seed=1, starts=4))
    puffer.reset(seed=3)
    for _ in range(BATCH_STEPS // 3):
        mask = vector.batch.mask
        seen, rewards, over, _, _ = vector.step(np.array([rng.choice(np.flatnonzero(row)) for row in mask]))
        yield from (seen["observation"], seen["action_mask"], rewards, over)
        legal = puffer.observations[:, puffer.batch.layout.size :]
        for part in puffer.step(legal.argmax(axis=1))[:4]:
            yield part.copy()


SHOWN: dict[str, Callable[[str, int], Iterator[object]]] = {
    function.__name__: function
    for function in (views, cards, at_tables, rows, whole_matches, single_deals, strings, batches)
}
"""By name, what is shown of a game with a number of seats."""


def digests(name: str) -> dict[str, str]:
    """Return the digests of one game, by what is shown and seats."""
    return {
        f"{shown} {seats}": digest(told(name, seats))
        for seats in GAMES[name].players
        for shown, told in SHOWN.items()
    }


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".json")
    file.write_text(json.dumps({name: digests(name) for name in GAMES}, indent=1) + "\n")
