"""A batch of one deal as an AEC environment of PettingZoo: an episode is a deal.

`stichkampf.lab.adapters.pettingzoo` plays whole matches, with observations from events. There is no parallel
environment: in none of the games do all seats choose at once throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stichkampf.lab.adapters.agents import Observation, SeatAgents
from stichkampf.lab.adapters.seat_spaces import seat_space
from stichkampf.lab.batch.environment import Batch


class DealView(SeatAgents):
    """One deal at a time. Agents are `seat_0`, `seat_1`, …; all else is the batch's.

    >>> view = DealView("sixes-and-sevens", 4)
    >>> view.reset(seed=1)
    >>> seen, reward, over, _, _ = view.last()
    >>> seen["action_mask"].sum(), reward, over
    (np.int64(13), 0.0, False)
    """

    episode = "deal"

    def __init__(self, name: str, seats: int, options: Mapping[str, Any] | None = None) -> None:
        self.batch = Batch(name, seats, 1, options)
        words = len(self.batch.words)
        space = seat_space(self.batch.layout.size, words, np.int8)
        super().__init__(self.batch.rules, words, space, label=f"{name}_deal")

    def _begin(self, seed: int | None) -> int:
        self.batch.reset(seed)
        return int(self.batch.seat[0])

    def _play(self, action: Any) -> tuple[list[float] | None, int, bool]:
        self.batch.step([action])
        over = bool(self.batch.done[0])
        return self.batch.rewards[0].tolist() if over else None, int(self.batch.seat[0]), over

    def observe(self, agent: str) -> Observation:
        """Return what an agent has seen, and its legal actions where it is to act. After the end it is the
        beginning of a deal that is not played.
        """
        seat = self._seat[agent]
        mask = np.zeros(len(self.batch.words), np.int8)
        if seat == self.batch.seat[0]:
            seen = self.batch.observation[0].copy()
            if not self.terminations[agent]:
                mask[:] = self.batch.mask[0]
        else:
            seen = self.batch.observation_of(0, seat)
        return {"observation": seen, "action_mask": mask}
