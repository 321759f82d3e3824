"""The columns of a batch's observations: which part is where, and its scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from stichkampf.observations.encoder import Encoder

Array = Any
_BYTES = 8  # of a word
_AT_ONCE = 256  # rows unpacked at once, which fit into the cache


class BatchLayout:
    """The parts of an observation by name, first those in bits, then the numbers.

    :ivar size: the number of columns.
    :ivar bits: of these, the columns in bits; the numbers come after them.
    :ivar slices: by name, the columns of a part. Columns of no part are 0; there are at most 7 after a word.
    :ivar scales: by column, 1 for a bit, for a number 1 / its usual greatest value, float32: observations
        times scales lie about between 0 and 1.
    :ivar used: of the bytes of all words, those that hold a part.

    >>> from stichkampf.observations import encoder_of
    >>> layout = BatchLayout(encoder_of("sixes-and-sevens", 4))
    >>> layout.size, layout.slices["table 1"], layout.slices["side points 0"]
    (542, slice(112, 164, None), slice(540, 541, None))
    """

    def __init__(self, encoder: Encoder) -> None:
        self.slices: dict[str, slice] = {}
        used: list[int] = []
        for word, parts in enumerate(encoder.words()):
            at = len(used) * _BYTES
            for name, width in parts:
                self.slices[name] = slice(at, at + width)
                at += width
            count = -(-sum(width for _, width in parts) // 8)
            used += range(word * _BYTES, word * _BYTES + count)
        self.used: Array = np.array(used)
        self.bits = len(used) * 8
        numbers = encoder.numbers()
        for column, (name, _) in enumerate(numbers, start=self.bits):
            self.slices[name] = slice(column, column + 1)
        self.size = self.bits + len(numbers)
        self.scales: Array = np.ones(self.size, np.float32)
        self.scales[self.bits :] = [1 / greatest for _, greatest in numbers]

    def unpacked(self, words: Any, numbers: Any, rows: int) -> Array:
        """Return observations, int8, shape (rows, size), a new array.

        :param words: those of all rows, one after the other, as a buffer of 64-bit numbers; so are numbers.
        """
        found: Array = np.zeros((rows, self.size), np.int8)
        self.unpack(found, words_in_bytes(words, rows), numbers_of(numbers, rows))
        return found

    def unpack(self, into: Array, words: Array, numbers: Array) -> None:
        """Write observations into an array of the same rows.

        :param words: as `words_in_bytes` returns them, numbers as `numbers_of`.
        """
        for first in range(0, len(into), _AT_ONCE):
            rows = slice(first, first + _AT_ONCE)
            packed = words[rows].take(self.used, axis=1)
            into[rows, : self.bits] = np.unpackbits(packed, axis=1, bitorder="little")
        into[:, self.bits :] = numbers


def words_in_bytes(words: Any, rows: int) -> Array:
    """Show a buffer of 64-bit words as bytes, row by row, the lowest byte of a word first."""
    shown: Array = np.asarray(memoryview(words)).view(np.uint8).reshape(rows, -1)
    return shown


def numbers_of(numbers: Any, rows: int) -> Array:
    """Show a buffer of 64-bit numbers row by row."""
    shown: Array = np.asarray(memoryview(numbers)).reshape(rows, -1)
    return shown
