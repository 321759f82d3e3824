"""Matches among bots of which one fails on purpose: points by part of a match, hand, seat and strength.

A match has six parts. In each a seat scores its skill and the luck of its hand, which is the same at every
table, less what its opponents take: a quarter of their mean skill, and a little of that of the seat before,
so that it matters who sits where. The rest is luck of play. From the moment of its failure on the substitute
plays a seat; what was scored before stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PARTS = 6
LUCK_OF_A_HAND = 1.4
"""In units of the luck of play: cards are two thirds of the luck."""
ELO_OF_A_UNIT = 210
"""Two bots that are a unit of skill apart are about as many Elo apart."""
BY_OPPONENTS, BY_THE_SEAT_BEFORE = 0.25, 0.1
POINTS = 4
MATCHES_OF_CONDUCT, FORFEITS_ALLOWED = 50, 4


@dataclass(frozen=True)
class Cast:
    """The bots by number, and their parts in the play.

    :ivar skill: of each bot.
    :ivar substitute: its skill.
    :ivar failing: the bot that fails.
    :ivar rival: whom it may wait for.
    :ivar friends: those it may help.
    """

    skill: Floats
    substitute: float
    failing: int
    rival: int
    friends: tuple[int, ...]


@dataclass(frozen=True)
class Tables:
    """Blocks of tables as they stand before anything fails; axes are block, table, seat.

    :ivar who: the bot in each seat.
    :ivar so_far: points after each part, a last axis, if nothing fails.
    :ivar chance: for failures that come by chance.
    """

    who: Ints
    so_far: Floats
    chance: np.random.Generator


Failure = Callable[[Cast, Tables], Ints]
"""The part from which each seat fails; `PARTS` for never. Only the failing bot's seats are looked at."""


def _never(cast: Cast, tables: Tables) -> Ints:
    return np.full(tables.who.shape, PARTS)


def _where(chosen: Bools, part: int | Ints, tables: Tables) -> Ints:
    return np.where(np.broadcast_to(chosen, tables.who.shape), part, PARTS)


def _always(cast: Cast, tables: Tables) -> Ints:
    return np.zeros(tables.who.shape, dtype=np.int64)


def _at_random(cast: Cast, tables: Tables) -> Ints:
    part = tables.chance.integers(0, PARTS, tables.who.shape)
    return _where(tables.chance.random(tables.who.shape) < 0.25, part, tables)


def _one_hand(cast: Cast, tables: Tables) -> Ints:
    return _where(np.arange(tables.who.shape[2]) == 0, 1, tables)


def _second_half(cast: Cast, tables: Tables) -> Ints:
    return np.full(tables.who.shape, PARTS // 2)


def _beside_a_rival(cast: Cast, tables: Tables) -> Ints:
    return _where((tables.who == cast.rival).any(axis=2, keepdims=True), 1, tables)


def _friend_behind(how_many: int) -> Failure:
    def failure(cast: Cast, tables: Tables) -> Ints:
        half = tables.so_far[..., PARTS // 2 - 1]
        friend = np.isin(tables.who, cast.friends[:how_many])
        other = ~friend & (tables.who != cast.failing)
        number = np.maximum(other.sum(axis=2, keepdims=True), 1)
        mean = np.where(other, half, 0.0).sum(axis=2, keepdims=True) / number
        behind = (friend & (half < mean)).any(axis=2, keepdims=True)
        return _where(behind, PARTS // 2, tables)

    return failure


def _last_cards_where_it_won(by: float) -> Failure:
    """Give up what it won, so that a rule may count it elsewhere: its friend met it only where it lost.

    :param by: the least lead, in units of the luck of play.
    """

    def failure(cast: Cast, tables: Tables) -> Ints:
        before_last = tables.so_far[..., PARTS - 2]
        ahead = before_last > before_last.mean(axis=2, keepdims=True) + by
        return _where(ahead & _in_a_block_with(cast.friends[:1], tables), PARTS - 1, tables)

    return failure


def _in_a_block_with(bots: tuple[int, ...], tables: Tables) -> Bools:
    there: Bools = np.isin(tables.who, bots).any(axis=(1, 2), keepdims=True)
    return there


def _unsuspended(failure: Failure) -> Failure:
    """Fail only as often as conduct allows: in four of each fifty matches, the first ones."""

    def within(cast: Cast, tables: Tables) -> Ints:
        part = failure(cast, tables)
        own = np.flatnonzero((tables.who == cast.failing).ravel())
        fails = part.ravel()[own] < PARTS
        period = np.arange(len(own)) // MATCHES_OF_CONDUCT
        before = np.cumsum(fails) - fails
        first = np.searchsorted(period, period)
        too_many = before - before[first] >= FORFEITS_ALLOWED
        part = part.copy()
        part.ravel()[own[too_many]] = PARTS
        return part

    return within


HONEST = "not at all"
FAILURES: dict[str, Failure] = {
    HONEST: _never,
    "always": _always,
    "at random": _at_random,
    "only in one hand": _one_hand,
    "only in the second half": _second_half,
    "only beside a named rival": _beside_a_rival,
    "only when its friend is behind": _friend_behind(1),
    "only when one of three friends is behind": _friend_behind(3),
    "with its last cards, where it is ahead beside its friend": _last_cards_where_it_won(0.0),
    "with its last cards, where it is far ahead beside its friend": _last_cards_where_it_won(1.5),
    "only beside a named rival, unsuspended": _unsuspended(_beside_a_rival),
    "only when one of three friends is behind, unsuspended": _unsuspended(_friend_behind(3)),
    "with its last cards, where it is far ahead beside its friend, unsuspended": _unsuspended(
        _last_cards_where_it_won(1.5)
    ),
}


def play(cast: Cast, who: Ints, failure: Failure | None, seed: list[int]) -> tuple[Ints, Bools]:
    """Play blocks; return scores and forfeits. The same seed gives each bot the same luck, whatever fails and
    whomever it meets.

    :param who: the bot by block, table and seat; at every table a seat holds the same hand.
    :param failure: None for the field with the substitute entered in the failing bot's place.
    """
    chance = np.random.default_rng(seed)
    blocks, _, seats = who.shape
    bots = len(cast.skill)
    present = (who[..., None] == np.arange(bots)).any(axis=(1, 2))
    turn = np.take_along_axis(np.cumsum(present, axis=0) - 1, who.reshape(blocks, -1), axis=1)
    hand = LUCK_OF_A_HAND * chance.normal(size=(blocks, 1, seats, PARTS)) / np.sqrt(PARTS)
    luck = chance.normal(size=(blocks, bots, seats, PARTS)) / np.sqrt(PARTS)
    luck = hand + luck[turn.reshape(who.shape), who, np.arange(seats)]
    own = cast.skill[who]
    failing = who == cast.failing
    if failure is None:
        from_part = np.where(failing, 0, PARTS)
    else:
        honest = np.repeat(own[..., None], PARTS, axis=-1)
        so_far = np.cumsum(_points(honest) + luck, axis=-1)
        from_part = np.where(failing, failure(cast, Tables(who, so_far, chance)), PARTS)
    failed = np.arange(PARTS) >= from_part[..., None]
    skill = np.where(failed, cast.substitute, own[..., None])
    score = np.round(POINTS * (_points(skill) + luck).sum(axis=-1)).astype(np.int64)
    return score, np.zeros_like(failing) if failure is None else from_part < PARTS


def _points(skill: Floats) -> Floats:
    seats = skill.shape[2]
    others = (skill.sum(axis=2, keepdims=True) - skill) / (seats - 1)
    before = np.roll(skill, 1, axis=2)
    return (skill - BY_OPPONENTS * others - BY_THE_SEAT_BEFORE * before) / PARTS
