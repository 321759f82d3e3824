"""A batch in the layout of PufferLib's environments: flat buffers with a row for each seat of each deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from stichkampf.lab.batch.environment import Batch

try:
    from pufferlib import PufferEnv as Base
except ImportError:
    Base = object

Array = Any


class PufferView(Base):  # type: ignore[misc, valid-type, unused-ignore]
    """All seats of n deals as agents: row k · seats + s is seat s of deal k, so a row is one player's course.

    It needs no PufferLib; where PufferLib 3 is installed, it is one of its native environments. Buffers are
    taken from it where it gives them, and written in place. `masks` marks the agents that choose now; an
    action of any other is not read. An observation is the one that the batch documents, then 1 for each legal
    action; that of an agent which does not choose now is the one of its last choice. Rewards and terminals
    come to all agents of a deal when it ends.

    :param batch: which now belongs to this view.
    :param buf: by name the arrays `observations`, `rewards`, `terminals`, `truncations`, `masks` and
        `actions`; None for arrays of its own.

    >>> view = PufferView(Batch("meinz", 4, n=2))
    >>> observations, infos = view.reset(seed=1)
    >>> observations.shape, view.masks.reshape(2, 4).sum(axis=1).tolist()
    ((8, 956), [1, 1])
    """

    emulated = False
    done = False  # as a whole: a deal that ends is followed by the next

    def __init__(self, batch: Batch, buf: Mapping[str, Array] | None = None) -> None:
        self.batch = batch
        self.num_agents = self.agents_per_batch = batch.n * batch.seats
        self.agent_ids: Array = np.arange(self.num_agents)
        columns = batch.layout.size + len(batch.words)
        limits = np.iinfo(np.int8)
        self.single_observation_space = spaces.Box(limits.min, limits.max, (columns,), np.int8)
        self.single_action_space = spaces.Discrete(len(batch.words))
        self.observation_space = batch_space(self.single_observation_space, self.num_agents)
        self.action_space = batch_space(self.single_action_space, self.num_agents)
        self.infos: list[dict[str, Any]] = []
        buffers = buffers_for(self.num_agents, columns) if buf is None else buf
        self.observations, self.rewards = buffers["observations"], buffers["rewards"]
        self.terminals, self.truncations = buffers["terminals"], buffers["truncations"]
        self.masks, self.actions = buffers["masks"], buffers["actions"]
        self._first: Array = np.arange(batch.n) * batch.seats

    @property
    def driver_env(self) -> PufferView:
        """The view itself, which stands for all of its kind."""
        return self

    def reset(self, seed: int | None = None) -> tuple[Array, list[dict[str, Any]]]:
        """Begin a new deal everywhere."""
        self.batch.reset(seed)
        self.observations[:] = 0
        self.rewards[:] = 0
        self.terminals[:] = self.truncations[:] = False
        self._show()
        return self.observations, []

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, list[dict[str, Any]]]:
        """Carry out the actions of the agents that choose now; `actions` has one for every agent.

        :raises IllegalAction: an action that is not legal, naming the deal.
        """
        self.actions[:] = actions
        self.batch.step(self.actions[self._first + self.batch.seat])
        self.rewards[:] = self.batch.rewards.reshape(-1)
        self.terminals[:] = np.repeat(self.batch.done, self.batch.seats)
        self._show()
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def async_reset(self, seed: int | None = None) -> None:
        """Reset; `recv` returns the result."""
        self.reset(seed)

    def send(self, actions: Array) -> None:
        """Step; `recv` returns the result."""
        self.step(actions)

    def recv(self) -> tuple[Array, Array, Array, Array, list[dict[str, Any]], Array, Array]:
        """Return the buffers as they are now."""
        results = self.observations, self.rewards, self.terminals, self.truncations
        return *results, self.infos, self.agent_ids, self.masks

    def close(self) -> None:
        """Give up the batch."""
        self.batch.close()

    def _show(self) -> None:
        """Write the observation of the agent to act in each deal, and mark it."""
        acting, size = self._first + self.batch.seat, self.batch.layout.size
        self.observations[acting, :size] = self.batch.observation
        self.observations[acting, size:] = self.batch.mask
        self.masks[:] = False
        self.masks[acting] = True


def buffers_for(agents: int, columns: int) -> dict[str, Array]:
    """Make the buffers of an environment as PufferLib does.

    >>> sorted(buffers_for(8, 956))
    ['actions', 'masks', 'observations', 'rewards', 'terminals', 'truncations']
    """
    return {
        "observations": np.zeros((agents, columns), np.int8),
        "rewards": np.zeros(agents, np.float32),
        "terminals": np.zeros(agents, np.bool_),
        "truncations": np.zeros(agents, np.bool_),
        "masks": np.zeros(agents, np.bool_),
        "actions": np.zeros(agents, np.int32),
    }
