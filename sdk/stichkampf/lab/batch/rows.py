"""Rows of bits as bytes, and one observation by itself, without a batch."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from stichkampf.engine.bits import in_bytes
from stichkampf.engine.deal import Deal
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.lab.observations.encoder import Encoder


class UnpackedRows:
    """Some rows of words, unpacked to a byte of 0 or 1 for each bit.

    :param eights: by word of a row, how many times eight of its bits are unpacked, from the lowest up.
    :param most: how many rows there are at most.
    :ivar memory: the bytes, row by row, eight to a number, the lowest bit first.
    """

    def __init__(self, eights: list[int], most: int) -> None:
        self.eights: vec[i64] = vec[i64]([i64(count) for count in eights])
        self.memory: vec[i64] = vec[i64]([0] * (most * sum(eights)))

    def unpack(self, words: vec[i64], first: i64, rows: i64) -> None:
        """Unpack rows, from this row of the words on."""
        eights, memory = self.eights, self.memory
        each: i64 = len(eights)
        word: i64 = first * each
        at: i64 = 0
        for _row in range(rows):
            for k in range(each):
                at = in_bytes(words[word], eights[k], memory, at)
                word += 1


def row_of(
    encoder: Encoder, deal: Deal, seat: i64, plays: list[tuple[int, int]]
) -> tuple[vec[i64], vec[i64]]:
    """Return the words and numbers of what a seat knows.

    :param plays: seat and card, as the rules count it, of each card played in this deal, in order.
    """
    assert isinstance(deal, TrickDeal)
    played: vec[i64] = vec[i64]([0] * (deal.seats * encoder.planes))
    for mover, card in plays:
        encoder.write_card(card, played, mover * encoder.planes)
    bits: vec[i64] = vec[i64]([0] * len(encoder.words()))
    numbers: vec[i64] = vec[i64]([0] * len(encoder.numbers()))
    encoder.observe(deal, seat, played, 0, bits, 0, numbers, 0)
    return bits, numbers
