"""Games and states in the shape of OpenSpiel's Python interface; only `get_type` needs OpenSpiel itself.

A state is one match, from the first deal to the last. Its cards follow from a seed, so no node is a chance
node; where all choose at once the seats are asked one after the other, and none sees an answer before the
last is in. Actions are the numbers of `stichkampf.lab.adapters.vocabulary`.

OpenSpiel's Python algorithms run on them: MCTS (matches of one deal, as it asks for rewards at the end only),
ISMCTS, MCCFR by outcomes and externally (each traversal from a fresh seed), `rl_environment`. Those that list
every deal of the cards, such as CFR, need a game with few of them: `load_game(..., seeds=[...])` has a chance
node at the root, with these deals and no others.

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
from collections.abc import Callable, Mapping, Sequence
from math import inf
from random import Random
from typing import Any

from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.engine.view import Observation
from stichkampf.errors import ActionError, IllegalAction, SeedError
from stichkampf.games import new_game
from stichkampf.lab.adapters.openspiel_chance import ChanceState
from stichkampf.lab.adapters.openspiel_type import NoPlayerToAct, NoSuchPlayer, game_type, state_type
from stichkampf.lab.adapters.running_match import RunningMatch
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match

TERMINAL = -4  # OpenSpiel's PlayerId.TERMINAL


def load_game(
    name: str,
    players: int,
    options: Mapping[str, Any] | None = None,
    seeds: Sequence[bytes] | None = None,
) -> SpielGame:
    """Load a game of Stichkampf for a number of players.

    :param seeds: the only matches there are, each by its 32 bytes; without them all matches are possible.
    :raises SeedError: a seed of another length, or an empty list of them.
    :raises StichkampfError: unknown game, option or value, or a number of players that the game is not for.
    """
    if seeds is not None and not (seeds and all(len(seed) == SEED_BYTES for seed in seeds)):
        raise SeedError(f"seeds are one or more, each of {SEED_BYTES} bytes, not {seeds!r:.80}")
    return SpielGame(new_game(name, players, options), tuple(seeds or ()))


class SpielGame:
    """A game as OpenSpiel's `Game`.

    :ivar rules: the game underneath, with `name`, `options` and `seats`.
    :ivar seeds: the seeds of the only possible matches; empty where all matches are possible.
    """

    def __init__(self, rules: Game, seeds: tuple[bytes, ...] = ()) -> None:
        self.rules = rules
        self.seeds = seeds
        self.vocabulary = vocabulary_of(rules.name)

    def __str__(self) -> str:
        return str(self.rules)

    def num_players(self) -> int:
        return self.rules.seats

    def num_distinct_actions(self) -> int:
        return len(self.vocabulary)

    def get_type(self) -> Any:
        """Return the type as OpenSpiel's algorithms ask for it, a `pyspiel.GameType`.

        :raises ImportError: OpenSpiel is not installed.
        """
        return game_type(self.rules, explicit_chance=bool(self.seeds))

    def max_history_length(self) -> int:
        """Raise an error, as OpenSpiel's own games of unbounded length do.

        :raises NotImplementedError: always: the rules bound no match.
        """
        raise NotImplementedError("no rule bounds the length of a match")

    def max_utility(self) -> float:
        """Return infinity: the rules of no game name a bound of its scores."""
        return inf

    def min_utility(self) -> float:
        """Return minus infinity, as `max_utility`."""
        return -inf

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of `SpielState.observation_tensor`."""
        return [self.observation_tensor_size()]

    def observation_tensor_size(self) -> int:
        """Return the length of `SpielState.observation_tensor`."""
        # here, because only tensors need numpy
        from stichkampf.lab.adapters.observed_match import ObservationLayout

        return ObservationLayout(self.rules).size

    def deserialize_state(self, text: str) -> SpielState:
        """Return the state that `SpielState.serialize` wrote down.

        :raises ActionError: not such a text, or one of another game.
        :raises IllegalAction: its actions are not legal one after the other.
        """
        try:
            written = json.loads(text)
            seed, actions = bytes.fromhex(written["seed"]), list(written["actions"])
        except (ValueError, TypeError, KeyError):
            raise ActionError(f"not a state that was written by serialize: {text!r:.80}") from None
        state = SpielState(self, seed)
        for action in actions:
            state.apply_action(action)
        return state

    def new_initial_states(self) -> list[Any]:
        """List the states that a match may begin with: one."""
        return [self.new_initial_state()]

    def new_initial_state(self, seed: bytes | None = None) -> Any:
        """Return a match before its first choice, a `SpielState`; of a game with seeds, unless one is given,
        a `ChanceState`.

        :param seed: 32 bytes from which all cards follow; without one the operating system draws it.
        :raises SeedError: a seed of another length.
        """
        if seed is None and self.seeds:
            return ChanceState(self.new_initial_state, self.seeds)
        return SpielState(self, seed if seed is not None else secrets.token_bytes(SEED_BYTES))


class SpielState:
    """A moment of a match, as OpenSpiel's `State`. Cheap to clone: it copies only the deal on the table."""

    def __init__(self, game: SpielGame, seed: bytes) -> None:
        self._game = game
        self._running = RunningMatch(game.rules, seed)
        self._history: list[tuple[int, int]] = []
        self._resampled: tuple[int, int] | None = None  # for which player, after how many actions
        self._told: dict[int, str] = {}  # by player, the information state
        self._observed: Any = None

    def get_game(self) -> SpielGame:
        return self._game

    def get_type(self) -> Any:
        """Return whether a player is to choose or the match is over, a `pyspiel.StateType`.

        :raises ImportError: OpenSpiel is not installed.
        """
        return state_type(over=self._running.over)

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

    def is_mean_field_node(self) -> bool:
        """Return False: there is no population of players."""
        return False

    def is_player_node(self) -> bool:
        """Tell whether a player is to choose."""
        return not self._running.over

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
        self._told.clear()

    def returns(self) -> list[float]:
        """Return the scores of the match so far, by seat; at the end they decide."""
        return [float(total) for total in self._running.totals]

    def rewards(self) -> list[float]:
        """Return the scores of the deal that the last action ended, by seat; zeros where it ended none."""
        return [float(points) for points in self._running.last_scores]

    def history(self) -> list[int]:
        """List every action so far."""
        return [action for _, action in self._history]

    def num_players(self) -> int:
        return self._game.rules.seats

    def player_return(self, player: int) -> float:
        """Return the score of a player in the match so far."""
        self._check_player(player)
        return self.returns()[player]

    def player_reward(self, player: int) -> float:
        """Return the score of a player in the deal that the last action ended, else 0."""
        self._check_player(player)
        return self.rewards()[player]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return 1 for each legal action and 0 for each other, by their numbers."""
        legal = set(self.legal_actions(player))
        return [int(action in legal) for action in range(len(self._game.vocabulary))]

    def child(self, action: int) -> SpielState:
        """Return the state after an action of the current player; this one stays as it is."""
        state = self.clone()
        state.apply_action(action)
        return state

    def information_state_string(self, player: int | None = None) -> str:
        """Return the events that a seat, else the current player, has seen since the first deal, one a line,
        as JSON. Of a resampled state, but for the first choice of its player, return the observation and the
        number of actions.

        Equal for states that this seat cannot tell apart, at every choice of its own.
        """
        seat = self._seat(player)
        if self._resampled not in (None, (seat, len(self._history))):
            return f"{len(self._history)} {self.observation_string(seat)}"
        if seat not in self._told:
            match = Match(self._game.rules, seed=self._running.seed)
            for mover, action in self._history:
                match.play(mover, self._game.vocabulary.words[action])
            lines = [json.dumps(event.to_json(), ensure_ascii=False) for event in match.events(seat)]
            self._told[seat] = "\n".join(lines)
        return self._told[seat]

    def observation_string(self, player: int | None = None) -> str:
        """Return what a seat, else the current player, knows of the deal on the table, and scores, as JSON.

        Equal for states that this seat cannot tell apart, at every choice of its own.
        """
        running, seat = self._running, self._seat(player)
        known = Observation(running.deal, seat).key()
        return json.dumps([running.number, running.dealer, running.totals, list(map(int, known))])

    def observation_tensor(self, player: int | None = None) -> Any:
        """Return the observation of a seat, else of the current player, as numbers: the vector that
        `stichkampf.lab.adapters.pettingzoo` documents, a numpy array of float32.

        :raises IllegalAction: for a resampled state, of which no course of play leads to its cards.
        """
        # here, because they need numpy
        from stichkampf.lab.adapters.observed_match import ObservationLayout, ObservedMatch

        seat = self._seat(player)
        if self._resampled is not None:
            raise IllegalAction("a resampled state has no observation tensor; it has an observation string")
        if self._observed is None:
            rules = self._game.rules
            self._observed = ObservedMatch(rules, self._running.seed, ObservationLayout(rules)), 0
        observed, since = self._observed
        for _, action in self._history[since:]:
            observed.apply(observed.legal[action])
        self._observed = observed, len(self._history)
        return observed.observation(seat).astype("float32")

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """Return a state with other cards, drawn uniformly from all that agree with what a player knows.

        :param sampler: returns random numbers from 0 to 1.
        """
        seat = self._seat(player)
        other, chance = self.clone(), Random(sampler())
        world = self._running.deal.determinise(seat, chance.getrandbits(62))
        while world.awaited and world.player() != self._running.deal.player():
            world.apply(chance.choice(world.legal_actions()))  # what others have chosen in secret
        other._running.deal = world
        other._resampled = seat, len(self._history)
        other._told = {seat: self.information_state_string(seat)} if self._resampled is None else {}
        return other

    def serialize(self) -> str:
        """Write the state down for `SpielGame.deserialize_state`: the seed, from which all cards follow, and
        the actions, as JSON.

        :raises IllegalAction: for a resampled state.
        """
        if self._resampled is not None:
            raise IllegalAction("a resampled state cannot be written down: its cards follow from no seed")
        return json.dumps({"seed": self._running.seed.hex(), "actions": self.history()})

    def clone(self) -> SpielState:
        """Return an independent copy."""
        other = copy.copy(self)
        other._running = self._running.clone()
        other._history = list(self._history)
        other._told = dict(self._told)
        other._observed = None
        return other

    def __str__(self) -> str:
        words = self._game.vocabulary.words
        return " · ".join(f"{seat} {words[action]}" for seat, action in self._history)

    def history_str(self) -> str:
        """Return every action so far, in words; the cards are not named."""
        return str(self)

    def _words(self) -> dict[str, int]:
        return {self._running.deal.word(action): action for action in self._running.deal.legal_actions()}

    def _seat(self, player: int | None) -> int:
        """Return the player, else the current one."""
        self._check_player(player)
        seat = self.current_player() if player is None else player
        if seat < 0:
            raise NoPlayerToAct("the match is over: name the player whose information is asked for")
        return seat

    def _check_player(self, player: int | None) -> None:
        if player is not None and player not in range(self._game.rules.seats):
            seats = self._game.rules.seats
            # the words after the colon are OpenSpiel's
            raise NoSuchPlayer(
                f"there are players 0 to {seats - 1}, not {player!r}: player >= 0, player < {seats}"
            )
