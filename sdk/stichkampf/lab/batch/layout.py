"""The columns of a batch's observations: which part is where, and its scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from stichkampf.lab.batch.rows import UnpackedRows
from stichkampf.lab.observations.encoder import Encoder

Array = Any
_BYTES = 8  # of a word
_AT_ONCE = 128  # rows unpacked at once, which fit into the cache


class BatchLayout:
    """The parts of an observation by name, first those in bits, then the numbers.

    :ivar size: the number of columns.
    :ivar bits: of these, the columns in bits; the numbers come after them.
    :ivar slices: by name, the columns of a part. Columns of no part are 0; there are at most 7 after a word.
    :ivar scales: by column, 1 for a bit, for a number 1 / its usual greatest value, float32: observations
        times scales lie about between 0 and 1.
    :ivar used: of the bytes of all words, those that hold a part.

    >>> from stichkampf.lab.observations import encoder_of
    >>> layout = BatchLayout(encoder_of("sixes-and-sevens", 4))
    >>> layout.size, layout.slices["table 1"], layout.slices["side points 0"]
    (542, slice(112, 164, None), slice(540, 541, None))
    """

    def __init__(self, encoder: Encoder) -> None:
        self.slices: dict[str, slice] = {}
        used: list[int] = []
        eights: list[int] = []
        for word, parts in enumerate(encoder.words()):
            at = len(used) * _BYTES
            for name, width in parts:
                self.slices[name] = slice(at, at + width)
                at += width
            count = -(-sum(width for _, width in parts) // 8)
            used += range(word * _BYTES, word * _BYTES + count)
            eights.append(count)
        self.used: Array = np.array(used)
        self.bits = len(used) * 8
        self._unpacking = Unpacking(eights)
        numbers = encoder.numbers()
        for column, (name, _) in enumerate(numbers, start=self.bits):
            self.slices[name] = slice(column, column + 1)
        self.size = self.bits + len(numbers)
        self.scales: Array = np.ones(self.size, np.float32)
        self.scales[self.bits :] = [1 / greatest for _, greatest in numbers]

    def unpacked(self, words: Any, numbers: Any, rows: int) -> Array:
        """Return observations, int8, shape (rows, size), a new array.

        :param words: those of all rows, one after the other, in a vec of 64-bit numbers; so are numbers.
        """
        found: Array = np.zeros((rows, self.size), np.int8)
        self.unpack(found, words, numbers_of(numbers, rows))
        return found

    def unpack(self, into: Array, words: Any, numbers: Array) -> None:
        """Write observations into an array of as many rows as there are.

        :param words: those of all rows, one after the other, in a vec.
        :param numbers: as `numbers_of` returns them.
        """
        self._unpacking.unpack(into[:, : self.bits], words)
        into[:, self.bits :] = numbers


class Unpacking:
    """The way from rows of words to arrays with a byte for each bit.

    :param eights: by word of a row, how many times eight of its bits are unpacked, from the lowest up.
    """

    def __init__(self, eights: list[int]) -> None:
        self._rows = UnpackedRows(eights, _AT_ONCE)
        self._bytes: Array = np.asarray(memoryview(self._rows.memory)).view(np.int8).reshape(_AT_ONCE, -1)

    def unpack(self, into: Array, words: Any) -> None:
        """Write the first bits of each row into an array, int8, that may have fewer columns."""
        rows, columns = into.shape
        for first in range(0, rows, _AT_ONCE):
            count = min(_AT_ONCE, rows - first)
            self._rows.unpack(words, first, count)
            into[first : first + count] = self._bytes[:count, :columns]


def words_in_bytes(words: Any, rows: int) -> Array:
    """Show a buffer of 64-bit words as bytes, row by row, the lowest byte of a word first."""
    shown: Array = np.asarray(memoryview(words)).view(np.uint8).reshape(rows, -1)
    return shown


def numbers_of(numbers: Any, rows: int) -> Array:
    """Show a buffer of 64-bit numbers row by row."""
    shown: Array = np.asarray(memoryview(numbers)).reshape(rows, -1)
    return shown
