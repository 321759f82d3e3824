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

from math import comb
from typing import Final

from mypy_extensions import i64

from stichkampf.engine.bits import below, next_random, vec

_TRIES: Final = 200

# The counts made last: a search needs the same ones for every world.
_WAYS: list[Ways] = []
_KEPT: Final = 4
_SMALL: Final = 1 << 32


def arrange(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> i64:
    """Permute the pool in place; returns the advanced state of the playout generator.

    :param pool: one entry a physical card: a mask with the bit of its kind.
    :param sizes: the number of cards in each hidden pile; their sum is the length of the pool. Piles with
        most ruled out come first, for speed.
    :param lacks: for each pile the kinds that it cannot hold.
    :raises ValueError: when no deal is possible.
    """
    return _arrange(pool, sizes, lacks, len(pool), x)


def split(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], x: i64) -> None:
    """Permute the pool as `arrange` does, for callers that draw nothing afterwards and to whom the order of
    the last pile is nothing: where that pile lacks no kind, it takes what the others leave.
    """
    last: i64 = len(sizes) - 1
    while last > 0 and sizes[last] == 0:
        last -= 1
    drawn: i64 = len(pool)
    if lacks[last] == 0:
        drawn -= sizes[last]
    _arrange(pool, sizes, lacks, drawn, x)


def _arrange(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], drawn: i64, x: i64) -> i64:
    """Permute the pool; only the first `drawn` cards, some whole piles, need be drawn."""
    tries: i64 = 0
    while tries < _TRIES:
        tries += 1
        x = _draw(pool, sizes, lacks, drawn, x)
        if x > 0:
            return x
        x = -x
    return _arrange_by_counting(pool, sizes, lacks, x)


def _draw(pool: vec[i64], sizes: vec[i64], lacks: vec[i64], drawn: i64, x: i64) -> i64:
    """Try once: a Fisher-Yates shuffle from the front; the generator state comes back negative when a card
    does not fit.
    """
    size: i64 = len(pool)
    at: i64 = 0
    pile: i64 = 0
    while at < drawn:
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
    ways to deal the rest. Within classes and groups the cards are shuffled.
    """
    ways = _ways(pool, sizes, lacks)
    x = _shuffle(pool, 0, len(pool), x)
    cards: vec[i64] = ways.by_class(pool)
    dealt: vec[i64] = vec[i64]([0] * len(pool))
    ends: vec[i64] = ways.starts[:]
    room: int = ways.room
    at: i64 = 0
    for step in range(ways.classes):
        left: i64 = ways.counts[step]
        for group in range(ways.groups):
            up_to: list[int] = ways.ways_up_to(step, group, left, room)
            if up_to[-1] == 0:
                raise ValueError("no deal agrees with the cards seen")
            drawn, x = _big_below(up_to[-1], x)
            share: i64 = 0
            while up_to[share] <= drawn:
                share += 1
            room -= share << (ways.width * group)
            left -= share
            end: i64 = at + share
            while at < end:
                dealt[ends[group]] = cards[at]
                ends[group] += 1
                at += 1
    for group in range(ways.groups):
        x = _shuffle(dealt, ways.starts[group], ends[group], x)
        ends[group] = ways.starts[group]
    at = 0
    for pile in range(len(sizes)):
        group = ways.group_of[pile]
        end = at + sizes[pile]
        while at < end:
            pool[at] = dealt[ends[group]]
            ends[group] += 1
            at += 1
    return x


def _ways(pool: vec[i64], sizes: vec[i64], lacks: vec[i64]) -> Ways:
    """Return the ways to deal the pool, with the counts that were kept of them."""
    for kept in _WAYS:
        if kept.are_of(pool, sizes, lacks):
            return kept
    if len(_WAYS) == _KEPT:
        _WAYS.clear()
    ways = Ways(pool, sizes, lacks)
    _WAYS.append(ways)
    return ways


class Ways:
    """The ways to deal the cards of some classes to some groups of piles: a counting problem, and the counts
    that were made.

    Cards that the same groups may hold form a class; piles that lack the same kinds form a group. The
    arguments are those of `arrange`.

    >>> ways = Ways(vec[i64]([1, 2, 4, 8]), vec[i64]([2, 2]), vec[i64]([1, 0]))
    >>> ways.ways(0, 0, ways.counts[0], ways.room)  # two of the three kinds that the first pile may hold
    3

    :ivar group_of: by pile: its group.
    :ivar starts: by group: the number of cards that go to the groups before it.
    :ivar counts: by class: its cards. The most restricted classes come first: they leave the fewest ways to
        count.
    :ivar room: the room of every group, `width` bits each.
    """

    def __init__(self, pool: vec[i64], sizes: vec[i64], lacks: vec[i64]) -> None:
        self.sizes: vec[i64] = sizes[:]
        self.lacks: vec[i64] = lacks[:]
        different: list[int] = []
        self.group_of: vec[i64] = vec[i64]([0] * len(sizes))
        for pile in range(len(sizes)):
            if lacks[pile] not in different:
                different.append(lacks[pile])
            self.group_of[pile] = different.index(lacks[pile])
        self.groups: i64 = len(different)
        kinds_of: dict[int, int] = {}  # by the groups that may hold them, a bit each
        count_of: dict[int, int] = {}
        for i in range(len(pool)):
            card: int = pool[i]
            may_hold: int = 0
            for group, lack in enumerate(different):
                if not card & lack:
                    may_hold |= 2**group
            kinds_of[may_hold] = kinds_of.get(may_hold, 0) | card
            count_of[may_hold] = count_of.get(may_hold, 0) + 1
        self.holders: list[int] = sorted(kinds_of, key=lambda groups: (bin(groups).count("1"), groups))
        self.classes: i64 = len(self.holders)
        self.kinds: vec[i64] = vec[i64]([i64(kinds_of[groups]) for groups in self.holders])
        self.counts: vec[i64] = vec[i64]([i64(count_of[groups]) for groups in self.holders])
        most: int = len(pool)
        self.width: int = most.bit_length()
        self.full: int = 2**self.width - 1
        self.room: int = 0
        self.starts: vec[i64] = vec[i64]([0] * self.groups)
        for pile in range(len(sizes)):
            self.room += int(sizes[pile]) << (self.width * self.group_of[pile])
            for group in range(self.group_of[pile] + 1, self.groups):
                self.starts[group] += sizes[pile]
        # By class and group: the counts by the room left.
        self.known: list[dict[int, list[int]]] = [{} for _ in range(self.classes * self.groups)]

    def are_of(self, pool: vec[i64], sizes: vec[i64], lacks: vec[i64]) -> bool:
        """Tell whether these arguments pose the same problem."""
        if len(sizes) != len(self.sizes):
            return False
        for pile in range(len(sizes)):
            if sizes[pile] != self.sizes[pile] or lacks[pile] != self.lacks[pile]:
                return False
        others: i64 = len(pool)
        for step in range(self.classes):
            kinds: i64 = self.kinds[step]
            left: i64 = self.counts[step]
            others -= left
            for i in range(len(pool)):
                if pool[i] & kinds:
                    left -= 1
            if left:
                return False
        return others == 0

    def by_class(self, pool: vec[i64]) -> vec[i64]:
        """List the cards class by class, each class in the order of the pool."""
        found: vec[i64] = vec[i64]([0] * len(pool))
        at: i64 = 0
        for step in range(self.classes):
            kinds: i64 = self.kinds[step]
            for i in range(len(pool)):
                if pool[i] & kinds:
                    found[at] = pool[i]
                    at += 1
        return found

    def ways_up_to(self, step: i64, group: i64, left: int, room: int) -> list[int]:
        """Count by k the ways in which 0 … k cards of the `left` of class `step` go to this group, others to
        the groups after it, and all later classes to the room left.
        """
        known = self.known[step * self.groups + group]
        found = known.get(room)
        if found is not None:
            return found
        most: int = min(left, self.room_in(room, group)) if self.holders[step] >> group & 1 else 0
        elsewhere: int = 0  # the room in later groups for this class
        for later in range(group + 1, self.groups):
            if self.holders[step] >> later & 1:
                elsewhere += self.room_in(room, later)
        up_to: list[int] = []
        total: int = 0
        for share in range(most + 1):
            if left - share <= elsewhere:
                rest: int = room - (share << self.width * group)
                total += comb(left, share) * self.ways(step, group + 1, left - share, rest)
            up_to.append(total)
        known[room] = up_to
        return up_to

    def ways(self, step: i64, group: i64, left: int, room: int) -> int:
        """Count the ways in which `left` cards of class `step` go to the groups from `group` on, and all
        later classes to the room left.
        """
        while group < self.groups and not self.holders[step] >> group & 1:
            group += 1
        if group < self.groups:
            return self.ways_up_to(step, group, left, room)[-1]
        if left:
            return 0
        if step + 1 == self.classes:
            return 1
        return self.ways(step + 1, 0, self.counts[step + 1], room)

    def room_in(self, room: int, group: i64) -> int:
        """Return the room of one group."""
        return room >> self.width * group & self.full


def _shuffle(cards: vec[i64], first: i64, end: i64, x: i64) -> i64:
    """Shuffle the entries from `first` to before `end`; returns the advanced state."""
    i: i64 = end - first - 1
    while i > 0:
        x = next_random(x)
        j: i64 = first + below(i + 1, x)
        card: i64 = cards[first + i]
        cards[first + i] = cards[j]
        cards[j] = card
        i -= 1
    return x


def _big_below(n: int, x: i64) -> tuple[int, i64]:
    """Draw a number below n, which may be far beyond 64 bits: 30 bits a draw, with 64 bits to spare so that
    the remainder is even enough.
    """
    if n <= _SMALL:
        return _small_below(n, x)
    number: int = 0
    bound: int = 1
    while bound < n << 64:
        x = next_random(x)
        number = (number << 30) | int(x & 0x3FFFFFFF)
        bound <<= 30
    return number % n, x


def _small_below(n: i64, x: i64) -> tuple[int, i64]:
    """Draw as `_big_below` does, for n up to 2**32, so that remainders with 30 bits more stay below 2**62."""
    remainder: i64 = 0
    draws: i64 = 3 if n <= 1 << 26 else 4
    while draws > 0:
        x = next_random(x)
        remainder = (remainder << 30 | x & 0x3FFFFFFF) % n
        draws -= 1
    return remainder, x
