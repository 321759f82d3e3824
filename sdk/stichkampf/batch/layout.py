"""The columns of a batch's observations: which part is where, and its scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from stichkampf.observations.encoder import Encoder

Array = Any
_BYTES = 8  # of a word


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
