"""The batch in the shapes of other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import api_test
from stichkampf.errors import IllegalAction
from stichkampf.games import GAMES
from stichkampf.lab.batch import Batch
from stichkampf.lab.batch.gymnasium_view import VectorView
from stichkampf.lab.batch.pettingzoo_view import DealView
from stichkampf.lab.batch.pufferlib_view import PufferView, buffers_for

RECEIVED = ("observations", "rewards", "terminals", "truncations")


def first_legal(seen):
    return seen["action_mask"].argmax(axis=1)


@pytest.mark.parametrize("name", GAMES)
def test_vector_environment_asks_the_own_seat_of_each_deal_only(name):
    seats = GAMES[name].players[0]
    view = VectorView(Batch(name, seats, 2 * seats, starts=6))
    seen, _ = view.reset(seed=1)
    ended = 0
    for _ in range(30):
        assert view.observation_space.contains(seen)
        assert (view.batch.seat == view.own).all()
        assert seen["action_mask"].any(axis=1).all()
        seen, rewards, terminations, truncations, _ = view.step(first_legal(seen))
        ended += terminations.sum()
        assert not truncations.any()
        assert (rewards[~terminations] == 0).all()
    assert ended > 0


def test_vector_environment_begins_alike_with_the_same_seed():
    views = [VectorView(Batch("mue", 4, 3, seed=seed, starts=4)) for seed in (1, 2)]
    one, other = (view.reset(seed=5)[0] for view in views)
    assert all((one[part] == other[part]).all() for part in one)
    views[0].close()
    with pytest.raises(IllegalAction, match="closed"):
        views[0].step(first_legal(one))


def test_rows_of_seats_are_written_into_the_buffers_that_were_given():
    batch = Batch("sticheln", 4, 3, starts=4)
    buf = buffers_for(12, batch.layout.size + len(batch.words))
    view = PufferView(batch, buf)
    view.reset(seed=1)
    scored = np.zeros(12)
    for _ in range(60):
        acting = np.flatnonzero(buf["masks"])
        assert (acting == np.arange(3) * 4 + batch.seat).all()
        legal = buf["observations"][:, -len(batch.words) :]
        assert (legal[acting] == batch.mask).all()
        view.send(legal.argmax(axis=1))
        assert all(given is buf[name] for given, name in zip(view.recv()[:4], RECEIVED, strict=True))
        scored += buf["rewards"]
    assert buf["terminals"].all()
    assert (scored.reshape(3, 4) == batch.rewards).all()


@pytest.mark.parametrize("name", ["stiche-raten", "meinz"])
@pytest.mark.filterwarnings("ignore:.*(Observation|observation|render):UserWarning")
def test_deal_passes_pettingzoos_own_test(name):
    api_test(DealView(name, GAMES[name].players[-1]), num_cycles=60)


def test_deal_refuses_what_is_not_legal_and_what_comes_too_late():
    view = DealView("stiche-raten", 3)
    with pytest.raises(IllegalAction, match=r"reset\(\) begins one"):
        view.step(0)
    view.reset(seed=1)
    with pytest.raises(IllegalAction, match="deal 0: action 77 "):
        view.step(77)
    while not any(view.terminations.values()):
        view.step(int(view.observe(view.agent_selection)["action_mask"].argmax()))
    assert [view.last()[1] for _ in range(1)] == [view.batch.rewards[0][view.batch.seat[0]]]
    others = [agent for agent in view.agents if agent != view.agent_selection]
    assert not any(view.observe(agent)["action_mask"].any() for agent in others)
