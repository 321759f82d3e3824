"""Small integer arithmetic for the hot path: single bits, counting them, and the playout generator.

Everything here gives the same result compiled and interpreted: values stay below 2**62 and never negative,
and powers of two come from a table, because mypyc compiles `1 << k` as a 32-bit shift. In hot loops no
variable is called `_`: mypy takes that for `Any`, which is boxed. Where the processor has an instruction for
one of these functions, the compiled one uses it (`sdk/quick_bits.h`).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec as vec
from mypy_extensions import i64

BIT: Final = vec[i64]([2**k for k in range(63)])
# By number of eight bits: the bits as bytes of 0 or 1, the lowest first.
_IN_BYTES: Final = vec[i64]([sum((k >> bit & 1) << 8 * bit for bit in range(8)) for k in range(256)])
# In each of twelve counters of five bits, 15 and 1.
_FIFTEENS: Final[i64] = sum(15 << 5 * k for k in range(12))
_ONES: Final[i64] = sum(1 << 5 * k for k in range(12))
# 2 is a primitive root modulo 67, so the 63 powers of two leave different remainders: a table instead of a
# loop.
_INDEX: Final = vec[i64]([next((k for k in range(63) if 2**k % 67 == r), 0) for r in range(67)])


def index_of(bit: i64) -> i64:
    """Return k, for bit = 2**k."""
    return _INDEX[bit % 67]


def bit_count(mask: i64) -> i64:
    """Count the set bits."""
    x: i64 = mask - ((mask >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    return (x + (x >> 32)) & 0x7F


def either(condition: bool, yes: i64, no: i64) -> i64:
    """Return one of two numbers, compiled without a jump, for conditions that no processor can foresee."""
    return yes if condition else no


def below(n: i64, x: i64) -> i64:
    """Return a number in 0 … n-1 from a state of the playout generator, for n < 2**31; high bits are the
    best.
    """
    return (x * n) >> 31


def any_of(mask: i64, x: i64) -> i64:
    """Return the position of a set bit, drawn by a state of the playout generator."""
    if mask & (mask - 1):
        mask = nth_bit(mask, below(bit_count(mask), x))
    return index_of(mask)


def nth_of_both(low: i64, high: i64, n: i64, half: i64) -> i64:
    """Return the position of the n-th set bit of two masks, counted from 0; the bits of `high` come after
    those of `low`, their positions counted from `half`.
    """
    lower: i64 = bit_count(low)
    if n < lower:
        return index_of(nth_bit(low, n))
    return half + index_of(nth_bit(high, n - lower))


def nth_bit(mask: i64, n: i64) -> i64:
    """Return the n-th lowest set bit, counted from 0, as a mask of one bit."""
    while n > 0:
        mask &= mask - 1
        n -= 1
    return mask & -mask


def top_bit(mask: i64) -> i64:
    """Return the highest set bit as a mask of one bit; 0 for 0."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    return mask ^ (mask >> 1)


def five_bits(packed: i64, k: i64) -> i64:
    """Return counter k of a number that packs counters of five bits each."""
    return (packed >> (5 * k)) & 31


def filled(packed: i64) -> i64:
    """Return bit 5 * k for each counter k that is not 0, in a number that packs twelve of five bits each."""
    return (((packed & _FIFTEENS) + _FIFTEENS | packed) >> 4) & _ONES


def indices(mask: i64, first: i64 = 0) -> list[int]:
    """List the positions of the set bits, ascending, counted from `first`."""
    found: list[int] = []
    while mask:
        found.append(first + index_of(mask & -mask))
        mask &= mask - 1
    return found


def indices_of_both(low: i64, high: i64, first: i64, half: i64) -> list[int]:
    """List the positions of the set bits of two masks, ascending, counted from `first`, those of `high` from
    `first + half`.
    """
    found: list[int] = indices(low, first)
    found.extend(indices(high, first + half))
    return found


def indices_into(mask: i64, first: i64, into: vec[i64], at: i64) -> i64:
    """Write the positions of the set bits, ascending, counted from `first`, into a vec from entry `at` on;
    returns the entry after the last.
    """
    while mask:
        into[at] = first + index_of(mask & -mask)
        mask &= mask - 1
        at += 1
    return at


def in_bytes(mask: i64, eights: i64, into: vec[i64], at: i64) -> i64:
    """Write the lowest bits of a mask as bytes of 0 or 1, eight to a number, the lowest bit first, into a vec
    from entry `at` on; returns the entry after the last.

    :param eights: how many numbers are written.
    """
    while eights > 0:
        into[at] = _IN_BYTES[mask & 255]
        mask >>= 8
        eights -= 1
        at += 1
    return at


def vec_of(numbers: list[int]) -> vec[i64]:
    """Make a vec of numbers."""
    return vec[i64]([i64(number) for number in numbers])


def single_bits(mask: i64, more: i64 = 0) -> vec[i64]:
    """List the set bits of a mask, then those of another, each as a mask of one bit."""
    found: vec[i64] = vec[i64]([0] * (bit_count(mask) + bit_count(more)))
    at: i64 = 0
    while mask:
        found[at] = mask & -mask
        mask &= mask - 1
        at += 1
    while more:
        found[at] = more & -more
        more &= more - 1
        at += 1
    return found


def start_random(seed: int) -> i64:
    """Return a generator state 1 … 2**31-2 for any integer; neighbouring seeds give unrelated states."""
    return spread(i64(seed % 2305843009213693951))


def spread(x: i64) -> i64:
    """Return a generator state as `start_random` does, for a number below 2**61 - 1."""
    x = (x ^ (x >> 32)) & 0x7FFFFFFF ^ (x >> 31 & 0x3FFFFFFF)
    for _k in range(3):
        x = ((x ^ (x >> 15)) * 0x2C1B3C6D) & 0x7FFFFFFF
        x = ((x ^ (x >> 12)) * 0x297A2D39) & 0x7FFFFFFF
    return (x ^ (x >> 15)) % 2147483646 + 1


def next_random(x: i64) -> i64:
    """Return the next state of the playout generator (Lehmer's, 48271 modulo 2**31-1). Never for dealing
    cards: see `seeds`.
    """
    return x * 48271 % 2147483647


if __file__.endswith(".py"):
    # Not compiled: lists are quicker to index than vecs, and Python's own ways to count bits beat the
    # arithmetic above.
    import stichkampf.engine.interpreted_bits as quicker

    globals().update(
        vec=list,
        BIT=tuple(BIT),
        bit_count=quicker.bit_count,
        index_of=quicker.index_of,
        top_bit=quicker.top_bit,
        any_of=quicker.any_of,
        indices=quicker.indices,
    )
