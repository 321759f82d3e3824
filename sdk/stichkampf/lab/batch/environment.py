"""`Batch`: n deals of a game, stepped in one call."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Self

import numpy as np

from stichkampf.engine.bits import start_random
from stichkampf.engine.deal import Deal
from stichkampf.errors import ActionError, IllegalAction, OptionError
from stichkampf.games import new_game
from stichkampf.lab.adapters.vocabulary import Vocabulary, vocabulary_of
from stichkampf.lab.batch.layout import BatchLayout, Unpacking, numbers_of
from stichkampf.lab.batch.starts import start_deals
from stichkampf.lab.batch.stepper import LEGAL_BITS, Actions, Stepper, columns_of
from stichkampf.lab.observations import encoder_of
from stichkampf.lab.observations.encoder import Encoder

Array = Any
MOST_DEALS = 1 << 20


class Batch:
    """Deals of one game, each with a seat to act. Where a deal ends, the same step begins a new one.

    Each array is made once and written again by each step; copy what you want to keep. An action is the
    number of its word in `words`, the same for every number of seats and all options.

    :param game: the name of a game.
    :param seats: seats that a bot holds.
    :param n: the number of deals.
    :param options: options of the game; those of a match's length decide which deals of a match there are.
    :param seed: a whole number from which all cards and `random_actions` follow.
    :param starts: how many deals are dealt as for a match; new deals are made from these in turn.
    :param redraw: whether a new deal gets new hidden cards: those that one seat, drawn at random, cannot see
        are dealt again. Each deal by itself is then as likely as the rules make it. Without it the deals
        dealt at first come again and again.
    :param history: how many moves `history` tells; 0 for none.
    :ivar words: every action; its index is its number.
    :ivar layout: the parts of an observation by name, and their scales.
    :ivar cards: by column of a hand, and of every other set of cards, its card; one of which there are
        copies has a column for each.
    :ivar seat: the seat to act, int64, shape (n,); read-only.
    :ivar rewards: points of the deal that the last step ended, by seat, else 0; float32, shape (n, seats).
    :ivar done: whether the last step ended a deal; bool, shape (n,).
    :ivar tokens: what the seat to act has seen of the moves of its deal, the oldest of the last `history`
        first, then zeros; int64, shape (n, history), read-only. A token is 1 + place · (words + 1) + number:
        the place of the mover counted from the seat to act, and the number of the word; for a move whose word
        is hidden from this seat the number of words.
    :raises StichkampfError: unknown game, option or value, or a number of seats that the game is not for.
    :raises OptionError: a number of deals, starts or moves below 1 or too great.

    >>> batch = Batch("sixes-and-sevens", 4, n=3, seed=1)
    >>> batch.observation.shape, batch.mask.sum(axis=1).tolist(), batch.seat.shape
    ((3, 542), [13, 13, 13], (3,))
    >>> for _ in range(52):
    ...     batch.step(batch.random_actions())
    >>> batch.done.tolist(), batch.rewards.shape
    ([True, True, True], (3, 4))
    """

    def __init__(
        self,
        game: str,
        seats: int,
        n: int,
        options: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
        starts: int = 256,
        redraw: bool = True,
        history: int = 0,
    ) -> None:
        n, seed = _size("n", n, 1), checked_seed(seed)
        starts, history = _size("starts", starts, 1), _size("history", history, 0)
        self.rules = new_game(game, seats, options)
        self.n, self.seats = n, seats
        self._made_with = (game, seats, n, dict(options or {}), seed, starts, redraw, history)
        self._encoder = encoder_of(game, self.rules.table_seats)
        self.layout = BatchLayout(self._encoder)
        vocabulary = vocabulary_of(game)
        self.words = vocabulary.words
        deals = start_deals(self.rules, seed, starts)
        self._numbered = _actions(deals[0], vocabulary)
        self.cards = _cards(deals[0], self._encoder, self._numbered)
        self._stepper = Stepper(
            n, deals, self._encoder, self._numbered, seats, redraw, history, start_random(seed)
        )
        self._closed = False
        self._look()

    def _look(self) -> None:
        """Make the arrays, those of the stepper as views of its memory."""
        n, stepper, layout = self.n, self._stepper, self.layout
        self.seat: Array = np.asarray(memoryview(stepper.seat))
        self.done: Array = np.zeros(n, np.bool_)
        self.rewards: Array = np.zeros((n, self.seats), np.float32)
        self.tokens = numbers_of(stepper.history, n)[:, : self._made_with[7]]
        self._numbers = numbers_of(stepper.numbers, n)
        self._unpacking = Unpacking([LEGAL_BITS // 8] * int(self._numbered.words))
        self._observation: Array = np.zeros((n, layout.size), np.int8)
        self._mask: Array = np.zeros((n, len(self.words)), np.int8)
        self._rewarded = numbers_of(stepper.rewards, n)
        self._ended: Array = np.asarray(memoryview(stepper.done))
        self._observed = self._masked = False

    @property
    def observation(self) -> Array:
        """Knowledge of the seat to act, int8, shape (n, layout.size)."""
        if not self._observed:
            self._check_open()
            self.layout.unpack(self._observation, self._stepper.bits, self._numbers)
            self._observed = True
        return self._observation

    @property
    def mask(self) -> Array:
        """1 for each legal action of the seat to act, else 0; int8, shape (n, words)."""
        if not self._masked:
            self._check_open()
            self._unpacking.unpack(self._mask, self._stepper.legal)
            self._masked = True
        return self._mask

    def step(self, actions: Array) -> None:
        """Carry out one action in each deal; -1 leaves a deal as it is.

        :param actions: whole numbers, an array or a list of n.
        :raises ActionError: another shape or type; nothing has changed.
        :raises IllegalAction: an action that is not legal, naming the deal and its legal actions, or a batch
            that is closed; nothing has changed.
        """
        self._check_open()
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise ActionError(
                f"actions are {self.n} whole numbers, one a deal, as an array of shape ({self.n},); "
                f"not {given.dtype} of shape {given.shape}"
            )
        chosen = given.astype(np.int64, copy=False).tolist()
        wrong = self._stepper.first_illegal(chosen)
        if wrong >= 0:
            raise IllegalAction(self._refusal(wrong, chosen[wrong]))
        self._stepper.step(chosen)
        self.rewards[:] = self._rewarded
        self.done[:] = self._ended
        self._observed = self._masked = False

    def reset(self, seed: int | None = None) -> None:
        """Begin a new deal everywhere.

        :param seed: begin as a new batch with this seed would; without one, go on with the next deals.
        :raises OptionError: a seed that is no whole number.
        """
        self._check_open()
        if seed is None:
            self._stepper.restart(self._stepper.starts, self._stepper.x)
        else:
            seed, count = checked_seed(seed), self._made_with[5]
            self._stepper.restart(start_deals(self.rules, seed, count), start_random(seed))
        self.rewards[:] = 0
        self.done[:] = False
        self._observed = self._masked = False

    def random_actions(self, explore: bool = True) -> Array:
        """Draw a legal action in each deal; int64, shape (n,), read-only, written again by the next call.

        :param explore: draw first a verb, then an action with it; each deal leans to some verbs, the
            next to others, so that auctions end and every phase is reached. Else all legal actions are
            equally likely.
        """
        self._check_open()
        self._stepper.draw(explore)
        drawn: Array = np.asarray(memoryview(self._stepper.drawn))
        return drawn

    def observation_of(self, k: int, seat: int) -> Array:
        """Return what any seat that a bot holds knows of a deal; int8, shape (layout.size,), a new array.

        :raises ActionError: not the number of a deal, or a seat that the game has not.
        """
        self._check_deal(k)
        if (number := _whole(seat)) is None or not 0 <= number < self.seats:
            raise ActionError(f"the seats of {self.rules.name} are 0 to {self.seats - 1} here, not {seat!r}")
        bits, numbers = self._stepper.seen(int(k), number)
        return self.layout.unpacked(bits, numbers, 1)[0]

    def hidden_hands(self) -> Array:
        """Return the hands of all seats at the table, from the seat to act clockwise: what a learner may be
        trained to guess, and no player sees. int8, shape (n, seats at the table, columns of a hand), a new
        array; the columns of a hand are those of the part `hand`.
        """
        self._check_open()
        encoder = self._encoder
        seats, planes, width = self.rules.table_seats, int(encoder.planes), int(encoder.width)
        words = self._stepper.hands()
        found: Array = np.asarray(memoryview(words)).view(np.uint8).reshape(self.n, seats, planes, 8)
        unpacked = np.unpackbits(found, axis=3, count=width, bitorder="little")
        return unpacked.reshape(self.n, seats, planes * width).view(np.int8)

    def deal(self, k: int) -> Deal:
        """Return a copy of a whole deal, the cards of all seats included.

        :raises ActionError: not the number of a deal.
        """
        self._check_deal(k)
        return self._stepper.deals[k].clone()

    def close(self) -> None:
        """Give up the deals. Every later use but of the arrays is an error."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle and copies keep: they go on as this batch would."""
        kept = self._stepper.kept()
        return _restored, (self._made_with, kept, self.rewards.copy(), self.done.copy(), self._closed)

    def __repr__(self) -> str:
        return f"<Batch: {self.n} deals, {self.rules}>"

    def _check_open(self) -> None:
        if self._closed:
            raise IllegalAction("the batch is closed: make a new Batch")

    def _check_deal(self, k: int) -> None:
        self._check_open()
        if (number := _whole(k)) is None or not 0 <= number < self.n:
            raise ActionError(f"the deals of this batch are 0 to {self.n - 1}, not {k!r}")

    def _refusal(self, k: int, action: int) -> str:
        words, legal = self.words, self.mask[k].nonzero()[0].tolist()
        named = f"{action} ({words[action]})" if 0 <= action < len(words) else str(action)
        possible = ", ".join(f"{number} ({words[number]})" for number in legal)
        return f"deal {k}: action {named} of seat {self.seat[k]} is not legal now; possible: {possible}"


def _whole(value: Any) -> int | None:
    """Return a whole number, one of numpy's too; None for anything else."""
    return None if isinstance(value, bool) or not hasattr(value, "__index__") else index(value)


def _size(name: str, value: Any, least: int) -> int:
    if (number := _whole(value)) is None or not least <= number <= MOST_DEALS:
        raise OptionError(f"{name} is a whole number from {least} to {MOST_DEALS}, not {value!r}")
    return number


def checked_seed(seed: Any) -> int:
    """Return a seed that is a whole number.

    >>> checked_seed(7)
    7

    :raises OptionError: any other.
    """
    if (number := _whole(seed)) is None:
        raise OptionError(f"seed is a whole number, not {seed!r}")
    return number


def _restored(made_with: tuple[Any, ...], kept: Any, rewards: Array, done: Array, closed: bool) -> Batch:
    """Make a batch of what `__reduce__` returned."""
    game, seats, n, options, seed, starts, redraw, history = made_with
    batch = Batch(game, seats, n, options, seed=seed, starts=starts, redraw=redraw, history=history)
    batch._stepper.restore(*kept)
    batch.rewards[:], batch.done[:], batch._closed = rewards, done, closed
    batch._observed = batch._masked = False
    return batch


def _actions(deal: Deal, vocabulary: Vocabulary) -> Actions:
    """Return what a batch has to know of each action of a game."""
    codes = [_code(deal, word) for word in vocabulary.words]
    verbs = [word.split()[0] for word in vocabulary.words]
    kinds = {verb: number for number, verb in enumerate(dict.fromkeys(verbs))}
    return Actions(
        codes,
        [verb == "play" for verb in verbs],
        [code >= 0 and deal.seen_as(1, 0, code) != deal.word(code) for code in codes],
        [kinds[verb] for verb in verbs],
    )


def _code(deal: Deal, word: str) -> int:
    """Return an action as the rules count it, -1 for one that the options leave out."""
    try:
        return deal.action(word)
    except ActionError:
        return -1


def _cards(deal: Deal, encoder: Encoder, actions: Actions) -> list[str]:
    """Name the card of each column of a hand."""
    cards = [""] * int(encoder.planes * encoder.width)
    for code in (code for code, play in zip(actions.code, actions.plays, strict=True) if play and code >= 0):
        for column in columns_of(encoder, code):
            cards[column] = deal.word(code).removeprefix("play ")
    return cards
