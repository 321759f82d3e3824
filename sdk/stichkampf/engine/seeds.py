"""Chance for deals: a stream of uniform numbers that any language can repeat.

A match has one 256-bit **seed**. Each use of chance names a **label**, so that deal 3 does not depend on how
much chance deal 2 used. The stream for a label is

    block(i) = SHA-256( seed || label as UTF-8 || 0x00 || i as 8 bytes, big-endian )        i = 0, 1, 2, …

read as consecutive 32-bit big-endian words, eight a block. `below(n)` takes the next word w, rejects it while
w >= floor(2**32 / n) * n, and returns w mod n. A shuffle is Fisher-Yates from the top: for i = len-1 … 1 swap
item i with item below(i + 1). Nothing here is fast enough for playouts, nor meant to be: see
`bits.next_random` for those, which in turn must never deal cards, because its 31 bits of state can be found
out from a hand.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

from mypy_extensions import i64, mypyc_attr

from stichkampf.errors import SeedError

T = TypeVar("T")

SEED_BYTES = 32
SHUFFLE = "sha256-counter/1"  # the name of all this in a match record, beside its seed
_WORDS = 2**32
_BLOCK = struct.Struct(">8I")


@mypyc_attr(allow_interpreted_subclasses=True)
class Chance:
    """The stream of one label under one seed.

    :param seed: 32 bytes.
    :param label: the use of the chance: "deal 0", "dealer", …
    :raises SeedError: when the seed is not 32 bytes long.

    >>> Chance(bytes(32), "deal 0").shuffled("ABCDE")
    ['A', 'B', 'E', 'C', 'D']
    """

    def __init__(self, seed: bytes, label: str) -> None:
        if len(seed) != SEED_BYTES:
            raise SeedError(f"a match seed has {SEED_BYTES} bytes, this one has {len(seed)}")
        self._prefix = seed + label.encode() + b"\0"
        self._block = 0
        self._words: list[int] = []

    def _draw_block(self) -> None:
        block = hashlib.sha256(self._prefix + self._block.to_bytes(8, "big")).digest()
        self._words.extend(reversed(_BLOCK.unpack(block)))
        self._block += 1

    def below(self, n: int) -> int:
        """Draw a uniform number in 0 … n-1, for 1 <= n <= 2**32."""
        limit: i64 = _WORDS - _WORDS % n
        while True:
            if not self._words:
                self._draw_block()
            word: i64 = self._words.pop()
            if word < limit:
                return word % n

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return a new list of the items in uniform random order."""
        cards = list(items)
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


def match_seed(text: str) -> bytes:
    """Return the 256-bit seed of a practice match: SHA-256 of the text as UTF-8. Rated seeds come from the
    operating system.

    >>> match_seed("monday").hex()[:16]
    'd618fb157a4b382e'
    """
    return hashlib.sha256(text.encode()).digest()
