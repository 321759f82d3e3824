"""Games as environments of Gymnasium, a deal an episode: `gymnasium.make("Stichkampf/stiche-raten-v1")`.

Gymnasium looks for no packages of others by itself. `import stichkampf.lab.environments` registers every
game, and so does the longer name `stichkampf.lab.environments:Stichkampf/stiche-raten-v1`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stichkampf.errors import IllegalAction, MissingLibrary, OptionError, installing
from stichkampf.games import GAMES, game_class, usual_seats

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
except ModuleNotFoundError as missing:
    raise MissingLibrary(f"{__name__} needs {missing.name}: {installing('sb3')}") from None

from stichkampf.lab.batch.environment import Batch
from stichkampf.lab.batch.gymnasium_view import at_random

__all__ = ["DealEnv"]
Array = Any
VERSION = 1
"""Goes up where a game's observations or actions would be others to what was trained."""


class RenderModeError(OptionError, TypeError):
    """A way of drawing that is not here. Trainers that ask for pictures do without at a `TypeError`."""


class DealEnv(gymnasium.Env[Array, int]):
    """One deal after another, in each of which the learner has a seat that is drawn; the others follow a
    policy.

    An observation is that of a `Batch`, scaled, as float32: what the learner's seat knows at one of its
    choices. An action is the number of a word in `words`. `action_masks()` tells which are legal, as
    MaskablePPO of sb3-contrib asks; `info["action_mask"]` is the same. The reward is what the seat scores,
    at the end of the deal.

    :param game: the name of a game.
    :param seats: seats that a bot holds; None: four where the game is for four, else the fewest.
    :param options: options of the game.
    :param others: the policy of all other seats: it takes the batch of one deal and returns an array with an
        action that is legal for the seat to act there.
    :param starts: as for `Batch`.
    :param render_mode: "ansi": `render()` returns what the learner's seat knows, in words; "human": the same,
        printed at every step.
    :ivar words: every action; its index is its number.
    :ivar seat: the learner's seat in this deal, from 0.
    :raises StichkampfError: unknown game or option, or a number of seats that the game is not for.

    >>> env = DealEnv("stiche-raten", 3)
    >>> seen, info = env.reset(seed=1)
    >>> env.action_masks().nonzero()[0].tolist() == info["action_mask"].nonzero()[0].tolist()
    True
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        others: Callable[[Batch], Array] = at_random,
        starts: int = 256,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise RenderModeError(f"render_mode is ansi, human or None, not {render_mode!r}")
        if seats is None:
            seats = usual_seats(game_class(game))
        self.batch = Batch(game, seats, 1, options, starts=starts)
        self.words = self.batch.words
        self.others = others
        self.render_mode = render_mode
        self.seat = 0
        self._is_over = True
        self._scales = self.batch.layout.scales.astype(np.float32)
        limits = np.iinfo(np.int8)
        self.observation_space = spaces.Box(limits.min * self._scales, limits.max * self._scales)
        self.action_space = spaces.Discrete(len(self.words))  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin a new deal.

        :param seed: a whole number from which all cards and the learner's seats follow.
        :param options: not used; Gymnasium hands them on.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.batch.reset(seed)
        elif not self._is_over:
            self.batch.reset()
        self.seat = int(self.np_random.integers(self.batch.seats))
        self._is_over = False
        while self._let_others_play() is not None:
            pass  # deals in which this seat is never asked
        return self._told()

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action, then those of the others up to its next choice.

        :raises IllegalAction: an action that is not legal, naming those that are, or the deal is over.
        """
        if self._is_over:
            raise IllegalAction("the deal is over: reset() begins one")
        self.batch.step([action])
        scored = self._scored()
        if scored is None:
            scored = self._let_others_play()
        self._is_over = scored is not None
        seen, info = self._told()
        return seen, scored or 0.0, self._is_over, False, info

    def action_masks(self) -> Array:
        """Return which actions are legal, bool, shape (words,); after the end all are, as none is asked."""
        if self._is_over:
            return np.ones(len(self.words), np.bool_)
        return self.batch.mask[0].astype(np.bool_)

    def render(self) -> str | None:
        """Return what the learner's seat knows of the deal in words, where `render_mode` is "ansi"."""
        return self._in_words() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Give up the batch."""
        self.batch.close()

    def _in_words(self) -> str:
        return "the deal is over" if self._is_over else str(self.batch.deal(0).information_set(self.seat))

    def _told(self) -> tuple[Array, dict[str, Any]]:
        if self.render_mode == "human":
            print(self._in_words(), end="\n\n")
        seen = (
            np.zeros(len(self._scales), np.float32)
            if self._is_over
            else self.batch.observation[0] * self._scales
        )
        return seen, {"action_mask": self.action_masks()}

    def _scored(self) -> float | None:
        """Return what the learner's seat scored in the deal that the last step ended; None for none."""
        return float(self.batch.rewards[0, self.seat]) if self.batch.done[0] else None

    def _let_others_play(self) -> float | None:
        """Step until the learner is to choose; returns what it scored where the deal ended before."""
        while self.batch.seat[0] != self.seat:
            self.batch.step(self.others(self.batch))
            if (scored := self._scored()) is not None:
                return scored
        return None


for name in GAMES:
    gymnasium.register(f"Stichkampf/{name}-v{VERSION}", f"{__name__}:DealEnv", kwargs={"game": name})
