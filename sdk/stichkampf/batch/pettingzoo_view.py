"""A batch of one deal as an AEC environment of PettingZoo: an episode is a deal.

`stichkampf.adapters.pettingzoo` plays whole matches, with observations from events. There is no parallel
environment: in none of the games do all seats choose at once throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from stichkampf.batch.environment import Batch
from stichkampf.errors import IllegalAction

Array = Any


class DealView(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One deal at a time. Agents are `seat_0`, `seat_1`, …; all else is the batch's.

    >>> view = DealView("sixes-and-sevens", 4)
    >>> view.reset(seed=1)
    >>> seen, reward, over, _, _ = view.last()
    >>> seen["action_mask"].sum(), reward, over
    (np.int64(13), 0.0, False)
    """

    def __init__(self, name: str, seats: int, options: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.batch = Batch(name, seats, 1, options)
        version = self.batch.rules.rules_version
        self.metadata = {
            "name": f"stichkampf_{name}_deal_v{version}",
            "render_modes": [],
            "is_parallelizable": False,
        }
        self.render_mode = None
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        limits = np.iinfo(np.int8)
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(limits.min, limits.max, (self.batch.layout.size,), np.int8),
                "action_mask": spaces.Box(0, 1, (len(self.batch.words),), np.int8),
            }
        )
        self._action_spaces = {
            agent: spaces.Discrete(len(self.batch.words)) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a deal.

        :param seed: a number from which the cards of this deal and of later ones follow.
        :param options: not used; PettingZoo hands them on.
        """
        self.batch.reset(None if seed is None else int(seed))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.batch.seat[0]]

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`.

        :raises StichkampfError: no legal action, or no deal is being played; nothing has changed.
        """
        if not self.agents:
            raise IllegalAction("no deal is being played: reset() begins one")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.batch.step([action])
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self.batch.done[0]:
            self.rewards = dict(zip(self.agents, self.batch.rewards[0].tolist(), strict=True))
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self.batch.seat[0]]

    def observe(self, agent: str) -> dict[str, Array]:
        """Return what an agent has seen, and its legal actions where it is to act. After the end it is the
        beginning of a deal that is not played.
        """
        seat = self.possible_agents.index(agent)
        mask = np.zeros(len(self.batch.words), np.int8)
        if seat == self.batch.seat[0]:
            seen = self.batch.observation[0].copy()
            if not self.terminations[agent]:
                mask[:] = self.batch.mask[0]
        else:
            seen = self.batch.observation_of(0, seat)
        return {"observation": seen, "action_mask": mask}

    def close(self) -> None:
        """Nothing is held open."""
