"""`SeatAgents`: what all environments of PettingZoo have in common, whatever their episodes are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gymnasium import spaces
from pettingzoo import AECEnv

from stichkampf.engine.game import Game
from stichkampf.errors import IllegalAction

Array = Any
Observation = dict[str, Array]


class SeatAgents(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """Agents `seat_0`, `seat_1`, … that choose one after the other and score when a deal ends.

    :cvar episode: what an episode is called: "match" or "deal".
    """

    episode: ClassVar[str]

    def __init__(
        self, game: Game, words: int, space: spaces.Dict, *, label: str, render_modes: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.metadata = {
            "name": f"stichkampf_{label}_v{game.rules_version}",
            "render_modes": list(render_modes),
            "is_parallelizable": False,
        }
        self.render_mode: str | None = None
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        self.agents: list[str] = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._space = space
        self._action_space = {agent: spaces.Discrete(words) for agent in self.possible_agents}
        self._scored: bool  # whether the last action ended a deal

    @abstractmethod
    def _begin(self, seed: int | None) -> int:
        """Begin an episode, and return the seat to act."""

    @abstractmethod
    def _play(self, action: Any) -> tuple[Sequence[float] | None, int, bool]:
        """Carry out an action of the seat to act.

        :return: the points by seat of a deal that it ended; the seat to act next, after the end the one whose
            agent is to go first; and whether the episode has ended.
        :raises StichkampfError: no legal action; nothing has changed.
        """

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._space

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._action_space[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        :param seed: a number from which all cards follow, those of later resets without a seed too.
        :param options: not used; PettingZoo hands them on.
        """
        seat = self._begin(None if seed is None else int(seed))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._scored = False
        self.agent_selection = self.possible_agents[seat]

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`.

        :raises ActionError: not the number of an action; nothing has changed.
        :raises IllegalAction: not legal now; the message names what is. Nothing has changed. Also without an
            episode: before the first `reset`, or after all agents have taken their last step.
        """
        if not self.agents:
            raise IllegalAction(f"no {self.episode} is being played: reset() begins one")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        points, seat, over = self._play(action)
        self._cumulative_rewards[agent] = 0.0
        if points is not None or self._scored:
            self._scored = points is not None
            scored = points or [0.0] * len(self.possible_agents)
            self.rewards = dict(zip(self.possible_agents, map(float, scored), strict=True))
            self._accumulate_rewards()
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[seat]

    def close(self) -> None:
        """Nothing is held open."""
