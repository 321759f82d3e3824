"""Games and states in the shape of OpenSpiel's Python interface, without OpenSpiel.

A state is one match, from the first deal to the last. Its cards follow from a seed, so no node is a chance
node; where all choose at once the seats are asked one after the other, and none sees an answer before the
last is in. Actions are the numbers of `stichkampf.adapters.vocabulary`.

>>> game = load_game("stiche-raten", 3, {"length": "deals:1"})
>>> state = game.new_initial_state(seed=bytes(32))
>>> while not state.is_terminal():
...     state.apply_action(state.legal_actions()[0])
>>> len(state.returns())
3
"""

from __future__ import annotations

import copy
import json
import secrets
from collections.abc import Mapping
from typing import Any

from stichkampf.adapters.running_match import RunningMatch
from stichkampf.adapters.vocabulary import vocabulary_of
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.errors import IllegalAction, SeatsError
from stichkampf.games import new_game
from stichkampf.match.match import Match

TERMINAL = -4  # OpenSpiel's PlayerId.TERMINAL


def load_game(name: str, players: int, options: Mapping[str, Any] | None = None) -> SpielGame:
    """Load a game of Stichkampf for a number of players.

    :raises StichkampfError: unknown game, option or value, or a number of players that the game is not for.
    """
    return SpielGame(new_game(name, players, options))


class SpielGame:
    """A game as OpenSpiel's `Game`.

    :ivar rules: the game underneath, with `name`, `options` and `seats`.
    """

    def __init__(self, rules: Game) -> None:
        self.rules = rules
        self.vocabulary = vocabulary_of(rules.name)

    def num_players(self) -> int:
        return self.rules.seats

    def num_distinct_actions(self) -> int:
        return len(self.vocabulary)

    def new_initial_state(self, seed: bytes | None = None) -> SpielState:
        """Return a match before its first choice.

        :param seed: 32 bytes from which all cards follow; without one the operating system draws it.
        :raises SeedError: a seed of another length.
        """
        return SpielState(self, seed if seed is not None else secrets.token_bytes(SEED_BYTES))


class SpielState:
    """A moment of a match, as OpenSpiel's `State`. Cheap to clone: it copies only the deal on the table."""

    def __init__(self, game: SpielGame, seed: bytes) -> None:
        self._game = game
        self._running = RunningMatch(game.rules, seed)
        self._history: list[tuple[int, int]] = []

    def get_game(self) -> SpielGame:
        return self._game

    def current_player(self) -> int:
        """Return the seat to choose, or `TERMINAL`."""
        return TERMINAL if self._running.over else self._running.deal.player()

    def is_terminal(self) -> bool:
        return self._running.over

    def is_chance_node(self) -> bool:
        """Return False: the cards follow from the seed."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Return False: simultaneous choices are asked for one by one."""
        return False

    def legal_actions(self, player: int | None = None) -> list[int]:
        """List the legal actions of the current player, ascending; none for another seat and at the end."""
        self._check_player(player)
        if self._running.over or player not in (None, self._running.deal.player()):
            return []
        return sorted(self._game.vocabulary.numbers[word] for word in self._words())

    def action_to_string(self, player: int, action: int) -> str:
        """Return the word of an action."""
        self._check_player(player)
        return self._game.vocabulary.word(action, self._game.vocabulary.words)

    def string_to_action(self, word: str) -> int:
        """Return the number of a word.

        :raises ActionError: no action of this game.
        """
        if word not in self._game.vocabulary.numbers:
            self._running.deal.action(word)
            raise IllegalAction(f"{word!r} is not legal at any moment of {self._game.rules.name}")
        return self._game.vocabulary.numbers[word]

    def apply_action(self, action: int) -> None:
        """Carry out an action of the current player.

        :raises ActionError: not the number of an action; the state is unchanged.
        :raises IllegalAction: not legal now, or the match is over; the state is unchanged.
        """
        words = {} if self._running.over else self._words()
        word = self._game.vocabulary.word(action, list(words))
        self._history.append((self._running.deal.player(), self._game.vocabulary.numbers[word]))
        self._running.apply(words[word])

    def returns(self) -> list[float]:
        """Return the scores of the match so far, by seat; at the end they decide."""
        return [float(total) for total in self._running.totals]

    def rewards(self) -> list[float]:
        """Return the scores of the deal that the last action ended, by seat; zeros where it ended none."""
        return [float(points) for points in self._running.last_scores]

    def history(self) -> list[int]:
        """List every action so far."""
        return [action for _, action in self._history]

    def information_state_string(self, player: int | None = None) -> str:
        """Return the events that a seat, else the current player, has seen since the first deal, one a line,
        as JSON.

        Equal for states that this seat cannot tell apart, at every choice of its own.
        """
        self._check_player(player)
        seat = self._running.deal.player() if player is None else player
        if seat < 0:
            raise IllegalAction("the match is over: name the player whose information is asked for")
        match = Match(self._game.rules, seed=self._running.seed)
        for mover, action in self._history:
            match.play(mover, self._game.vocabulary.words[action])
        return "\n".join(json.dumps(event.to_json(), ensure_ascii=False) for event in match.events(seat))

    def clone(self) -> SpielState:
        """Return an independent copy."""
        other = copy.copy(self)
        other._running = self._running.clone()
        other._history = list(self._history)
        return other

    def __str__(self) -> str:
        words = self._game.vocabulary.words
        return " · ".join(f"{seat} {words[action]}" for seat, action in self._history)

    def _words(self) -> dict[str, int]:
        return {self._running.deal.word(action): action for action in self._running.deal.legal_actions()}

    def _check_player(self, player: int | None) -> None:
        if player is not None and player not in range(self._game.rules.seats):
            raise SeatsError(f"there are players 0 to {self._game.rules.seats - 1}, not {player!r}")
