"""Games by the names of Gymnasium: its own checks, masks, and the legal actions of the rules."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from stichkampf.errors import IllegalAction, StichkampfError
from stichkampf.games import GAMES
from stichkampf.lab.environments import DealEnv

FEW = 6


def made(name, **more):
    return gymnasium.make(f"stichkampf.lab.environments:Stichkampf/{name}-v1", starts=FEW, **more)


def played(environment, seed, deals):
    """Play legal actions; return everything that the learner was told."""
    rng = np.random.default_rng(1)
    seen, info = environment.reset(seed=seed)
    told = [(seen, info["action_mask"], 0.0)]
    while deals:
        # as MaskablePPO asks, through the wrappers of Gymnasium
        masks = environment.get_wrapper_attr("action_masks")()
        assert (masks == info["action_mask"]).all()
        seen, reward, over, cut, info = environment.step(int(rng.choice(np.flatnonzero(masks))))
        assert not cut
        assert over or reward == 0
        told.append((seen, info["action_mask"], reward))
        if over:
            deals -= 1
            seen, info = environment.reset()
    return told


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_made_by_its_name_and_passes_gymnasiums_checks(name):
    told = played(made(name), 5, 2)
    again = played(made(name), 5, 2)
    assert all(
        (a == b).all() and (m == n).all() and r == s for (a, m, r), (b, n, s) in zip(told, again, strict=True)
    )


def test_the_learner_is_asked_at_its_own_seat_and_told_what_this_seat_scored():
    scores = []

    def first(batch):
        assert batch.seat[0] != environment.seat
        return batch.mask.argmax(axis=1)

    environment = DealEnv("stiche-raten", 3, {"length": "deals:1"}, others=first, starts=FEW)
    for deal in range(12):
        seen, _ = environment.reset(seed=None if deal else 1)
        batch = environment.batch
        scales = batch.layout.scales
        assert (seen == batch.observation_of(0, environment.seat) * scales).all()
        over = False
        while not over:
            rewards = [0.0]
            _, *rewards, over, _, _ = environment.step(int(environment.action_masks().argmax()))
        scores.append((environment.seat, rewards[0], batch.rewards[0, environment.seat]))
    assert len({seat for seat, *_ in scores}) == 3
    assert all(told == scored for _, told, scored in scores)


def test_what_the_seat_knows_is_told_in_words_and_no_card_of_others():
    environment = made("sixes-and-sevens", render_mode="ansi")
    environment.reset(seed=3)
    told = environment.render()
    seat = environment.unwrapped.seat
    assert f"as seat {seat} knows it" in told
    assert told.count("(13 cards)") + told.count("(12 cards)") == 3
    hands = [set(environment.unwrapped.batch.deal(0).hand(s)) for s in range(4)]
    rows = [line for line in told.splitlines() if line.startswith("seat ")]
    assert all(set(rows[s].split()) & hands[s] == (hands[s] if s == seat else set()) for s in range(4))


def test_what_cannot_be_is_refused_in_words():
    environment = DealEnv("mue", starts=FEW)
    with pytest.raises(IllegalAction, match=r"reset\(\) begins one"):
        environment.step(0)
    environment.reset(seed=1)
    with pytest.raises(IllegalAction, match="is not legal now; possible: "):
        environment.step(int(environment.action_masks().argmin()))
    # trainers that ask for pictures catch a TypeError
    with pytest.raises(TypeError, match="render_mode is ansi, human or None, not 'rgb_array'"):
        DealEnv("mue", render_mode="rgb_array")
    for wrong in ({"game": "skat"}, {"game": "mue", "seats": 9}, {"game": "mue", "options": {"x": 1}}):
        with pytest.raises(StichkampfError):
            DealEnv(**wrong)
