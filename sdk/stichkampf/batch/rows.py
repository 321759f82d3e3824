"""One observation by itself, without a batch."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from stichkampf.engine.deal import Deal
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.observations.encoder import Encoder


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
