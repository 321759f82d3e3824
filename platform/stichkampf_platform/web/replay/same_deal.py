"""One deal at all tables of a block: what each bot made of the same hands, and where two tables part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from stichkampf_platform.web.replay import pieces, seat_views
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.replay import Replay, ReplayDeal
from stichkampf_platform.web.replay.scene_parts import SeatOccupant, SeatView, Text


@dataclass(frozen=True)
class DealAtTable:
    """A deal as it ended at one table.

    :ivar number: the number of the table, from 1.
    :ivar start: its first decision in the replay.
    :ivar difference: the first decision that another table made differently; None without one.
    """

    number: int
    table_id: int
    start: int
    seats: list[SeatView]
    terms: list[tuple[str, Text]]
    difference: int | None


def deal_of(replay: Replay, number: int) -> ReplayDeal | None:
    return replay.deals[number] if number < len(replay.deals) else None


def first_difference(deal: ReplayDeal, other: ReplayDeal) -> int | None:
    """Return how many decisions two tables made alike from the first on; None if they made all alike."""
    for at, (ours, theirs) in enumerate(zip_longest(_moves(deal), _moves(other))):
        if ours != theirs:
            return at
    return None


def at_table(
    number: int,
    table_id: int,
    replay: Replay,
    deal: ReplayDeal,
    players: Sequence[SeatOccupant],
    other: ReplayDeal,
) -> DealAtTable:
    """Return a deal as it ended at a table; `other` is the same deal at the table to compare it with."""
    end = DealSoFar(replay, deal.last_step)
    alike = first_difference(deal, other)
    return DealAtTable(
        number=number,
        table_id=table_id,
        start=deal.first_step + bool(deal.number),
        seats=seat_views.seat_views(end, players)[: len(deal.scores)],
        terms=list(pieces.terms(end)),
        difference=None if alike is None else min(deal.first_step + alike + 1, deal.last_step),
    )


def _moves(deal: ReplayDeal) -> list[tuple[int, str]]:
    return [(f.decision.seat, f.decision.word) for f in deal.frames if f.decision]
