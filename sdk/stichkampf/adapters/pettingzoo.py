"""Games as PettingZoo AEC environments: `pip install stichkampf[pettingzoo]`.

Agents are `seat_0`, `seat_1`, … An episode is one match. Where all choose at once, agents act one after the
other and none sees an answer before the last is in. An action is the number of a word in
`stichkampf.adapters.vocabulary`, the same in every match of a game; a legal one is marked by a 1 in
`action_mask`. A reward is what a finished deal scores.

An observation is a dictionary of two arrays, both made from nothing but the events of that seat:

`observation`, int16, the following one after the other (S seats at the table, C different cards, W words):

| length | what |
|---|---|
| S | 1 at the own seat |
| S | 1 at the dealer |
| 1 | number of the deal, from 1 |
| S | scores of the match so far (0 for a seat that no bot holds) |
| C | own hand: how many of each card |
| S · C | cards on the table, by who played them |
| S · W | how often each seat has said each word in this deal, as the observer saw it |
| … | the game's facts that list numbers (`Fact.counts`), such as tricks won |
| … | its facts and secrets in words (`Fact.texts`), such as trump: how often each occurs |

`action_mask`, int8: W entries, all 0 unless the agent is asked. The vector leaves out in which order things
happened; `env.table(agent)` is the whole `stichkampf.Table` of that seat.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from stichkampf.adapters.vocabulary import vocabulary_of
from stichkampf.engine.seeds import SEED_BYTES, match_seed
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.narrator import ONLOOKER
from stichkampf.match.table import Table, table_seed

Array = Any
Observation = dict[str, Array]


def env(
    name: str, seats: int, options: Mapping[str, Any] | None = None, render_mode: str | None = None
) -> Env:
    """Make an environment of a game.

    :raises StichkampfError: unknown game, option or value, or a number of seats that the game is not for.
    """
    return Env(name, seats, options, render_mode)


class Env(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One match at a time. See the module for agents, actions, observations and rewards.

    :ivar match: the referee's view of the match now played, which no agent may see.
    """

    def __init__(
        self, name: str, seats: int, options: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.game = new_game(name, seats, options)
        self.vocabulary = vocabulary_of(name)
        self.metadata = {
            "name": f"stichkampf_{name}_v{self.game.rules_version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is None or 'ansi', not {render_mode!r}")
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._card = {card: index for index, card in enumerate(self.vocabulary.cards)}
        known = {**self.game.facts, **self.game.secrets}
        self._numbers = {"tricks": 0} | {n: f.counts for n, f in known.items() if f.counts is not None}
        self._told = {n: list(known[n].texts) for n in sorted(known) if known[n].texts}
        words = len(self.vocabulary)
        self._observation_space = {agent: self._space(self._size(), words) for agent in self.possible_agents}
        self._action_space = {agent: spaces.Discrete(words) for agent in self.possible_agents}
        self._seeds = secrets.token_bytes(SEED_BYTES)
        self._matches = 0
        self.match: Match
        self._tables: dict[str, Table]
        self._followed: dict[str, int]

    @staticmethod
    def _space(size: int, words: int) -> spaces.Dict:
        limits = np.iinfo(np.int16)
        return spaces.Dict(
            {
                "observation": spaces.Box(limits.min, limits.max, (size,), np.int16),
                "action_mask": spaces.Box(0, 1, (words,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._observation_space[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._action_space[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        :param seed: a number from which all cards follow, those of later resets without a seed too.
        :param options: not used; PettingZoo hands them on.
        """
        if seed is not None:
            self._seeds = match_seed(f"pettingzoo {seed}")
            self._matches = 0
        number_of_match = self._matches.to_bytes(8, "big")
        self._matches += 1
        chance = match_seed(f"{self._seeds.hex()} {number_of_match.hex()}")
        self.match = Match(self.game, seed=chance)
        self.agents = list(self.possible_agents)
        self._tables = {
            agent: Table(self.game, seat, table_seed(chance, seat)) for agent, seat in self._seat.items()
        }
        self._followed = dict.fromkeys(self.agents, 0)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.match.to_act()[0]]

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`.

        :raises ActionError: not the number of an action; nothing has changed.
        :raises IllegalAction: not legal now; the message names what is. Nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seat[agent]
        word = self.vocabulary.word(action, self.match.legal(seat))
        before = list(self.match.scores)
        self._cumulative_rewards[agent] = 0.0
        self.match.play(seat, word)
        for other, seated in self._seat.items():
            self.rewards[other] = float(self.match.scores[seated] - before[seated])
        self._accumulate_rewards()
        if self.match.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self.match.to_act()[0]]

    def table(self, agent: str) -> Table:
        """Return the knowledge of this agent; `history` holds every event since the first deal."""
        table = self._tables[agent]
        since = self._followed[agent]
        self._followed[agent] = len(self.match.log)
        table.follow(self.match.events(self._seat[agent], since))
        table.legal = self.match.legal(self._seat[agent])
        return table

    def observe(self, agent: str) -> Observation:
        table = self.table(agent)
        mask = np.zeros(len(self.vocabulary), np.int8)
        for word in table.legal:
            mask[self.vocabulary.numbers[word]] = 1
        return {"observation": np.array(list(self._vector(table)), np.int16), "action_mask": mask}

    def _size(self) -> int:
        seats, cards = self.game.table_seats, len(self.vocabulary.cards)
        numbers = sum(length or seats for length in self._numbers.values())
        told = sum(len(words) for words in self._told.values())
        return 3 * seats + 1 + (1 + seats) * cards + seats * len(self.vocabulary) + numbers + told

    def _vector(self, table: Table) -> Iterator[int]:
        """Yield the numbers of the table in the module's documentation."""
        seats = range(self.game.table_seats)
        yield from (int(seat == table.seat) for seat in seats)
        yield from (int(seat == table.dealer) for seat in seats)
        yield table.deal_number + 1
        yield from (table.totals + [0] * len(seats))[: len(seats)]
        yield from self._counted(self.vocabulary.cards, table.hand)
        for seat in seats:
            yield from self._counted(
                self.vocabulary.cards, [card for who, card in table.trick if who == seat]
            )
        said = self._words_of_this_deal(table)
        for seat in seats:
            yield from self._counted(self.vocabulary.words, said[seat])
        known = {**table.facts, **table.secrets}
        for fact, length in self._numbers.items():
            yield from (number or 0 for number in known.get(fact) or [0] * (length or len(seats)))
        for fact, words in self._told.items():
            yield from self._counted(words, list(_texts(known.get(fact))))

    @staticmethod
    def _counted(order: list[str], words: list[str]) -> Iterator[int]:
        counts = Counter(words)
        return (counts[word] for word in order)

    def _words_of_this_deal(self, table: Table) -> list[list[str]]:
        said: list[list[str]] = [[] for _ in range(self.game.table_seats)]
        for event in reversed(table.history):
            if event.kind == "deal":
                break
            if event.kind == "move":
                said[event.seat].append(event.text)
        return said

    def render(self) -> str | None:
        """Return the view of an onlooker: scores and the moves of this deal. None without a render mode."""
        if self.render_mode is None:
            return None
        lines = [f"{self.game.title} · scores {self.match.scores}"]
        for event in self.match.events(ONLOOKER):
            if event.kind == "deal":
                lines = [f"{lines[0]} · deal {event.numbers[0] + 1}, dealer {event.seat}"]
            elif event.kind == "move":
                lines.append(f"{event.seat} {event.text}")
        return "\n".join(lines)

    def close(self) -> None:
        """Nothing is held open."""


def _texts(value: Any) -> Iterator[str]:
    """Yield the words of a fact; those of a list also with the index of their entry."""
    if isinstance(value, list):
        for index, entry in enumerate(value):
            for word in entry if isinstance(entry, list) else [entry]:
                yield str(word)
                yield f"{index} {word}"
    elif value is not None:
        yield str(value)
