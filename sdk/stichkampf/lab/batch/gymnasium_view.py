"""A batch as a vector environment of Gymnasium: in each deal one seat learns, the others follow a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from stichkampf.lab.adapters.seat_spaces import seat_space
from stichkampf.lab.batch.environment import Batch

Array = Any


def at_random(batch: Batch) -> Array:
    """Choose any legal action in each deal, as a policy of the other seats."""
    return batch.random_actions(explore=False)


class VectorView(VectorEnv):
    """n deals at once; in deal k the learner holds seat k modulo the number of seats, for good.

    An observation is a dictionary of `observation` and `action_mask` for the learner's seat, at one of its
    choices. The reward is what that seat scores when a deal ends; the same step begins the next deal
    (`AutoresetMode.SAME_STEP`).

    :param batch: which now belongs to this view.
    :param others: the policy of all other seats: it takes the batch and returns an action a deal, legal for
        the seat to act there.

    >>> view = VectorView(Batch("stiche-raten", 3, n=6, options={"length": "deals:3"}))
    >>> seen, _ = view.reset(seed=1)
    >>> seen["action_mask"].shape
    (6, 78)
    >>> actions = seen["action_mask"].argmax(axis=1)
    >>> seen, rewards, terminations, truncations, infos = view.step(actions)
    >>> rewards.shape
    (6,)
    """

    def __init__(self, batch: Batch, others: Callable[[Batch], Array] = at_random) -> None:
        self.batch, self.others = batch, others
        self.num_envs = batch.n
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.render_mode = None
        self.spec = None
        self.single_observation_space = seat_space(batch.layout.size, len(batch.words), np.int8)
        self.single_action_space = spaces.Discrete(len(batch.words))
        self.observation_space = batch_space(self.single_observation_space, batch.n)
        self.action_space = batch_space(self.single_action_space, batch.n)
        self.own: Array = np.arange(batch.n) % batch.seats

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Begin a new deal everywhere.

        :param seed: a whole number from which all cards follow.
        :param options: not used; Gymnasium hands them on.
        """
        self.batch.reset(seed)
        self._let_others_play()
        return self._seen(), {}

    def step(self, actions: Array) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Carry out the learner's action in each deal, then those of the others up to its next choice.

        :raises IllegalAction: an action that is not legal, naming the deal.
        :raises ActionError: another shape or type.
        """
        self.batch.step(actions)
        rewards, ended = self._own_rewards(), self.batch.done.copy()
        gained, over = self._let_others_play()
        return self._seen(), rewards + gained, ended | over, np.zeros(self.num_envs, np.bool_), {}

    def close_extras(self, **kwargs: Any) -> None:
        """Give up the batch."""
        self.batch.close()

    def _seen(self) -> dict[str, Array]:
        return {"observation": self.batch.observation.copy(), "action_mask": self.batch.mask.copy()}

    def _own_rewards(self) -> Array:
        return self.batch.rewards[np.arange(self.num_envs), self.own]

    def _let_others_play(self) -> tuple[Array, Array]:
        """Step until the learner is to choose everywhere; returns what it gained, and where a deal ended."""
        gained = np.zeros(self.num_envs, np.float32)
        over = np.zeros(self.num_envs, np.bool_)
        while (waiting := self.batch.seat != self.own).any():
            self.batch.step(np.where(waiting, self.others(self.batch), -1))
            gained += self._own_rewards()
            over |= self.batch.done
        return gained, over
