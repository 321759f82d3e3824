"""Dealing out what a seat cannot see: unknown cards to hidden places, uniformly over physical deals.

`arrange` permutes the unknown cards so that place k gets the k-th stretch of them and none that it is known to lack. It shuffles and looks, which is
exact and fast while few cards are ruled out; after some misses it counts the ways instead, which is exact always. Which of the two dealt
makes no difference to the distribution.
"""

from __future__ import annotations

from math import comb
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

_TRIES: Final = 12


def arrange(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Permute the pool in place; returns the advanced state of the playout generator.

    :param pool: one entry a physical card: a mask with the bit of its kind.
    :param sizes: how many cards each hidden place holds; their sum is the length of the pool.
    :param lacks: for each place the kinds that it cannot hold.
    """
    size: i64 = len(pool)
    ruled_out: i64 = 0
    for k in range(len(lacks)):
        ruled_out |= lacks[k]
    tries: i64 = 0
    while tries < _TRIES:
        tries += 1
        i: i64 = size - 1
        while i > 0:
            x = x * 48271 % 2147483647
            j: i64 = x % (i + 1)
            card: i64 = pool[i]
            pool[i] = pool[j]
            pool[j] = card
            i -= 1
        if ruled_out == 0 or _fits(pool, sizes, lacks):
            return x
    return _arrange_by_counting(pool, sizes, lacks, x)


def _fits(pool: vec[i64], sizes: vec[i64], lacks: vec[i64]) -> bool:
    at: i64 = 0
    for k in range(len(sizes)):
        end: i64 = at + sizes[k]
        lack: i64 = lacks[k]
        if lack:
            while at < end:
                if pool[at] & lack:
                    return False
                at += 1
        at = end
    return True


def _arrange_by_counting(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Cards that the same places may hold form a class. Going through the classes, draw how many of each go to which place, each draw
    weighted by the number of ways to deal the rest; the pool is already in random order, so which card of a class goes where is settled."""
    places: int = len(sizes)
    classes: dict[int, list[i64]] = {}
    for i in range(len(pool)):
        card: i64 = pool[i]
        allowed: int = 0
        for k in range(places):
            if not card & lacks[k]:
                allowed |= 1 << k
        classes.setdefault(allowed, []).append(card)
    order: list[int] = sorted(classes)
    counts: list[int] = [len(classes[allowed]) for allowed in order]
    room: tuple[int, ...] = tuple([int(sizes[k]) for k in range(places)])
    memo: dict[tuple[int, tuple[int, ...]], int] = {}
    dealt: list[list[i64]] = [[] for _ in range(places)]
    for step in range(len(order)):
        total: int = _ways(step, room, order, counts, memo)
        if total == 0:
            raise ValueError("no deal agrees with what has been seen")
        below, x = _big_below(total, x)
        for shares in _shares(counts[step], order[step], room, 0):
            ways: int = _multinomial(shares) * _ways(step + 1, _less(room, shares), order, counts, memo)
            if below < ways:
                break
            below -= ways
        cards = classes[order[step]]
        at: int = 0
        for k in range(places):
            dealt[k].extend(cards[at : at + shares[k]])
            at += shares[k]
        room = _less(room, shares)
    at_pool: int = 0
    for k in range(places):
        for card in dealt[k]:
            pool[at_pool] = card
            at_pool += 1
    return x


def _ways(
    step: int, room: tuple[int, ...], order: list[int], counts: list[int], memo: dict[tuple[int, tuple[int, ...]], int]
) -> int:
    """In how many ways the cards of the classes from `step` on fill the room that is left."""
    if step == len(order):
        return 1
    known: int = memo.get((step, room), -1)
    if known >= 0:
        return known
    total: int = 0
    for shares in _shares(counts[step], order[step], room, 0):
        total += _multinomial(shares) * _ways(step + 1, _less(room, shares), order, counts, memo)
    memo[(step, room)] = total
    return total


def _shares(count: int, allowed: int, room: tuple[int, ...], place: int) -> list[tuple[int, ...]]:
    """All ways to give so many like cards to the allowed places, from `place` on, within their room."""
    if place == len(room):
        return [()] if count == 0 else []
    most: int = min(count, room[place]) if (allowed >> place) & 1 else 0
    found: list[tuple[int, ...]] = []
    for share in range(most + 1):
        for rest in _shares(count - share, allowed, room, place + 1):
            found.append((share, *rest))
    return found


def _multinomial(shares: tuple[int, ...]) -> int:
    ways: int = 1
    total: int = 0
    for share in shares:
        total += share
        ways *= comb(total, share)
    return ways


def _less(room: tuple[int, ...], shares: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([room[k] - shares[k] for k in range(len(room))])


def _big_below(n: int, x: i64) -> tuple[int, i64]:
    """A number below n, which may be far beyond 64 bits: 30 bits a draw, with 64 bits to spare so that the remainder is even enough."""
    number: int = 0
    bound: int = 1
    while bound < n << 64:
        x = x * 48271 % 2147483647
        number = (number << 30) | int(x & 0x3FFFFFFF)
        bound <<= 30
    return number % n, x
