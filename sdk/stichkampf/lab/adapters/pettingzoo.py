"""Games as PettingZoo AEC environments: `pip install '.[pettingzoo]'` in a checkout.

Agents are `seat_0`, `seat_1`, … An episode is one match. Where all choose at once, agents act one after the
other and none sees an answer before the last is in. An action is the number of a word in
`stichkampf.lab.adapters.vocabulary`, the same in every match of a game; a legal one is marked by a 1 in
`action_mask`. A reward is what a finished deal scores.

An observation is a dictionary of two arrays, both made from nothing but the events of that seat:

`observation`, int16, the following one after the other (S seats at the table, C different cards, W words):

| length | what |
|---|---|
| S | 1 at the seat that observes |
| S | 1 at the dealer |
| 1 | number of the deal, from 1 |
| S | scores of the match so far (0 for a seat that no bot holds) |
| C | own hand: how many of each card |
| S · C | cards on the table, by who played them |
| S · W | how often each seat has said each word in this deal, as the observer saw it |
| … | the game's facts that list numbers (`Fact.counts`), such as tricks won |
| … | its facts and secrets in words (`Fact.texts`), such as trump: how often each occurs |

`env.layout.slices` has the place of each part by name: seat, dealer, deal, totals, hand, table, said, then
the facts by their own names. `action_mask`, int8: W entries, all 0 unless the agent is asked. The vector
leaves out in which order things happened; `env.table(agent)` is the whole `stichkampf.Table` of that seat.

Environments pickle and deep-copy, in the middle of a match too; a copy goes on as the original would.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from stichkampf.engine.seeds import SEED_BYTES, match_seed
from stichkampf.errors import IllegalAction
from stichkampf.games import new_game
from stichkampf.lab.adapters.agents import Observation, SeatAgents
from stichkampf.lab.adapters.observed_match import ObservationLayout, ObservedMatch
from stichkampf.lab.adapters.seat_spaces import seat_space
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match
from stichkampf.match.narrator import ONLOOKER
from stichkampf.match.table import Table, table_seed


def env(
    name: str, seats: int, options: Mapping[str, Any] | None = None, render_mode: str | None = None
) -> Env:
    """Make an environment of a game.

    :raises StichkampfError: unknown game, option or value, or a number of seats that the game is not for.
    """
    return Env(name, seats, options, render_mode)


class Env(SeatAgents):
    """One match at a time. See the module for agents, actions, observations and rewards.

    :ivar layout: the parts of an observation by name.
    """

    episode = "match"

    def __init__(
        self, name: str, seats: int, options: Mapping[str, Any] | None = None, render_mode: str | None = None
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode is None or 'ansi', not {render_mode!r}")
        self.game = new_game(name, seats, options)
        self.vocabulary = vocabulary_of(name)
        self.layout = ObservationLayout(self.game)
        words = len(self.vocabulary)
        space = seat_space(self.layout.size, words, np.int16)
        super().__init__(self.game, words, space, label=name, render_modes=["ansi"])
        self.render_mode = render_mode
        self._seeds = secrets.token_bytes(SEED_BYTES)
        self._matches = 0
        self._running: ObservedMatch
        self._moves: list[tuple[int, int]]  # seat and action, of those that `match` does not know yet
        self._match: Match | None
        self._tables: dict[str, tuple[Table, int]]  # and the length of the log that it has followed

    def _begin(self, seed: int | None) -> int:
        if seed is not None:
            self._seeds = match_seed(f"pettingzoo {seed}")
            self._matches = 0
        number_of_match = self._matches.to_bytes(8, "big")
        self._matches += 1
        chance = match_seed(f"{self._seeds.hex()} {number_of_match.hex()}")
        self._running = ObservedMatch(self.game, chance, self.layout)
        self._match = None
        self._moves = []
        self._tables = {}
        return self._running.deal.player()

    def _play(self, action: Any) -> tuple[list[int] | None, int, bool]:
        running, number = self._running, self._number(action)
        before = running.number
        self._moves.append((running.deal.player(), number))
        running.apply(running.legal[number])
        points = running.last_scores if running.number > before else None
        return points, 0 if running.over else running.deal.player(), running.over

    def _number(self, action: Any) -> int:
        """Return the number of a legal action."""
        legal = self._running.legal
        if type(action) in (int, np.int64) and action in legal:
            return int(action)
        words = self.vocabulary.words
        return self.vocabulary.numbers[self.vocabulary.word(action, [words[number] for number in legal])]

    @property
    def match(self) -> Match:
        """The referee's view of the match now played, which no agent may see; it follows when asked for."""
        if self._match is None:
            self._match = Match(self.game, seed=self._running.seed)
        for seat, number in self._moves:
            self._match.play(seat, self.vocabulary.words[number])
        self._moves.clear()
        return self._match

    def table(self, agent: str) -> Table:
        """Return the knowledge of this agent; `history` holds every event since the first deal."""
        seat, match = self._seat[agent], self.match
        if agent not in self._tables:
            self._tables[agent] = Table(self.game, seat, table_seed(self._running.seed, seat)), 0
        table, since = self._tables[agent]
        self._tables[agent] = table, len(match.log)
        table.follow(match.events(seat, since))
        table.legal = match.legal(seat)
        return table

    def observe(self, agent: str) -> Observation:
        """Return what an agent has seen.

        :raises IllegalAction: before the first `reset`.
        """
        if not hasattr(self, "_running"):
            raise IllegalAction("no match has begun: reset() begins one")
        running, seat = self._running, self._seat[agent]
        return {"observation": running.observation(seat), "action_mask": running.mask(seat)}

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
