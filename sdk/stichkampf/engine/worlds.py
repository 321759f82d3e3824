"""Dealing out the cards that a seat cannot see to the hidden hands and piles, uniformly over physical deals.

`arrange` permutes the unknown cards so that pile k gets the k-th stretch of them and none that it is known
to lack. It draws card by card and starts again at the first that does not fit, which is exact and fast while
few cards are ruled out; after many misses it counts the ways instead, which is exact always. Which of the two
dealt makes no difference to the distribution. The counts are kept for the worlds that follow.

A *world* is a physical dealing of the cards still unseen: copies of a card count as distinct. Hidden choices
that others have already made (cards put away or passed) are part of it, in each order in which they could
have been made; choices still pending are left open. A copy that is known to lie open or to have been given
counts as played before a hidden one.
"""

from __future__ import annotations

from bisect import bisect_right
from math import comb
from typing import Final

from mypy_extensions import i64

from stichkampf.engine.bits import below, next_random, vec

_TRIES: Final = 200

Room = tuple[int, ...]
Memo = dict[tuple[int, int, int, Room], list[int]]

# Counts by counting problem: the classes, their sizes, the room in the groups. Only the last few are kept.
_MEMOS: dict[tuple[Room, Room, Room], Memo] = {}
_QUESTIONS: Final = 4


def arrange(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Permute the pool in place; returns the advanced state of the playout generator.

    :param pool: one entry a physical card: a mask with the bit of its kind.
    :param sizes: the number of cards in each hidden pile; their sum is the length of the pool. Piles with
        most ruled out come first, for speed.
    :param lacks: for each pile the kinds that it cannot hold.
    :raises ValueError: when no deal is possible.
    """
    tries: i64 = 0
    while tries < _TRIES:
        tries += 1
        x = _draw(pool, sizes, lacks, x)
        if x > 0:
            return x
        x = -x
    return _arrange_by_counting(pool, sizes, lacks, x)


def _draw(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Try once: a Fisher-Yates shuffle from the front; the generator state comes back negative when a card
    does not fit.
    """
    size: i64 = len(pool)
    at: i64 = 0
    pile: i64 = 0
    while at < size:
        end: i64 = at + sizes[pile]
        lack: i64 = lacks[pile]
        pile += 1
        while at < end:
            x = next_random(x)
            j: i64 = at + below(size - at, x)
            card: i64 = pool[j]
            if card & lack:
                return -x
            pool[j] = pool[at]
            pool[at] = card
            at += 1
    return x


def _arrange_by_counting(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Draw the number of cards of each class for each group of piles, each draw weighted by the number of
    ways to deal the rest.

    Cards that the same groups may hold form a class; piles that lack the same kinds form a group. Within
    classes and groups the cards are shuffled.
    """
    groups: list[i64] = []
    for k in range(len(sizes)):
        if lacks[k] not in groups:
            groups.append(lacks[k])
    rooms: list[int] = [0] * len(groups)
    for k in range(len(sizes)):
        rooms[groups.index(lacks[k])] += sizes[k]
    x = _shuffle(pool, x)
    classes: dict[int, list[i64]] = {}
    for i in range(len(pool)):
        allowed: int = 0
        for g in range(len(groups)):
            if not pool[i] & groups[g]:
                allowed |= 1 << g
        classes.setdefault(allowed, []).append(pool[i])
    # The most restricted classes first: they leave the fewest ways to count.
    order: list[int] = sorted(classes, key=lambda mask: (bin(mask).count("1"), mask))
    counts: list[int] = [len(classes[mask]) for mask in order]
    room: Room = tuple(rooms)
    memo: Memo = _memo_of(tuple(order), tuple(counts), room)
    dealt: list[list[i64]] = [[] for _ in groups]
    for step in range(len(order)):
        left: int = counts[step]
        cards: list[i64] = classes[order[step]]
        for g in range(len(groups)):
            up_to: list[int] = _ways_up_to(step, g, left, room, order, counts, memo)
            if up_to[-1] == 0:
                raise ValueError("no deal agrees with the cards seen")
            drawn, x = _big_below(up_to[-1], x)
            share: int = bisect_right(up_to, drawn)
            dealt[g].extend(cards[len(cards) - left : len(cards) - left + share])
            room = _less(room, g, share)
            left -= share
    for g in range(len(groups)):
        mixed: vec[i64] = vec[i64](dealt[g])
        x = _shuffle(mixed, x)
        at: i64 = 0
        taken: i64 = 0
        for k in range(len(sizes)):
            if lacks[k] == groups[g]:
                for i in range(sizes[k]):
                    pool[at + i] = mixed[taken]
                    taken += 1
            at += sizes[k]
    return x


def _shuffle(pool: vec[i64], x: i64) -> i64:
    i: i64 = len(pool) - 1
    while i > 0:
        x = next_random(x)
        j: i64 = below(i + 1, x)
        card: i64 = pool[i]
        pool[i] = pool[j]
        pool[j] = card
        i -= 1
    return x


def _memo_of(order: Room, counts: Room, room: Room) -> Memo:
    """Return what is known of a question: a search asks the same one for every world."""
    question = (order, counts, room)
    if question not in _MEMOS:
        if len(_MEMOS) == _QUESTIONS:
            _MEMOS.clear()
        _MEMOS[question] = {}
    return _MEMOS[question]


def _ways_up_to(
    step: int, group: int, left: int, room: Room, order: list[int], counts: list[int], memo: Memo
) -> list[int]:
    """Count by k the ways in which 0 … k cards of the `left` of class `step` go to this group, others to the
    groups after it, and all later classes to the room left.
    """
    known = memo.get((step, group, left, room))
    if known is not None:
        return known
    most: int = min(left, room[group]) if (order[step] >> group) & 1 else 0
    elsewhere: int = 0  # the room in later groups for this class
    for g in range(group + 1, len(room)):
        if (order[step] >> g) & 1:
            elsewhere += room[g]
    up_to: list[int] = []
    total: int = 0
    for share in range(most + 1):
        if left - share <= elsewhere:
            rest: Room = _less(room, group, share)
            total += comb(left, share) * _ways(step, group + 1, left - share, rest, order, counts, memo)
        up_to.append(total)
    memo[(step, group, left, room)] = up_to
    return up_to


def _ways(
    step: int, group: int, left: int, room: Room, order: list[int], counts: list[int], memo: Memo
) -> int:
    """Count the ways in which `left` cards of class `step` go to the groups from `group` on, and all later
    classes to the room left.
    """
    if group == len(room):
        if left:
            return 0
        if step + 1 == len(order):
            return 1
        return _ways(step + 1, 0, counts[step + 1], room, order, counts, memo)
    return _ways_up_to(step, group, left, room, order, counts, memo)[-1]


def _less(room: Room, group: int, share: int) -> Room:
    return (*room[:group], room[group] - share, *room[group + 1 :])


def _big_below(n: int, x: i64) -> tuple[int, i64]:
    """Draw a number below n, which may be far beyond 64 bits: 30 bits a draw, with 64 bits to spare so that
    the remainder is even enough.
    """
    number: int = 0
    bound: int = 1
    while bound < n << 64:
        x = next_random(x)
        number = (number << 30) | int(x & 0x3FFFFFFF)
        bound <<= 30
    return number % n, x
