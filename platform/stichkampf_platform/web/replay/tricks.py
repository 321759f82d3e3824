"""The tricks of a deal: complete ones from the events, the incomplete one from the cards on the table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stichkampf_platform.web.replay.action_texts import card_of
from stichkampf_platform.web.replay.replay import ReplayDeal
from stichkampf_platform.web.replay.scene_parts import SeatSlot, TrickCell, TrickRow


@dataclass
class ReplayTrick:
    """A trick of a deal, complete or not.

    :ivar cards: (seat, card, decision that played it) in the order played.
    :ivar winner: the seat that took it; None while it is incomplete, -1 if no seat took it.
    :ivar ended: the index of the frame that completed it.
    """

    cards: list[tuple[int, str, int]] = field(default_factory=list)
    winner: int | None = None
    ended: int = 0


def tricks_until(deal: ReplayDeal, frame_number: int) -> list[ReplayTrick]:
    """Return the tricks of a deal up to one of its frames; the last one may be incomplete."""
    tricks: list[ReplayTrick] = []
    steps: dict[tuple[int, str], int] = {}
    for at, frame in enumerate(deal.frames[: frame_number + 1]):
        step = deal.first_step + at
        for event in frame.events:
            if event.kind == "move":
                steps[event.seat, card_of(event.text)] = step
            if event.kind == "trick":
                cards = zip(event.numbers, event.cards, strict=True)
                tricks.append(
                    ReplayTrick([(s, c, steps.get((s, c), step)) for s, c in cards], event.seat, at)
                )
    table = deal.frames[frame_number].table
    if table:
        tricks.append(ReplayTrick([(s, c, steps.get((s, c), 0)) for s, c in table]))
    return tricks


def captured(tricks: list[ReplayTrick], seat: int) -> list[str]:
    """List the cards of the tricks that a seat took."""
    return [card for trick in tricks if trick.winner == seat for _, card, _ in trick.cards]


def rows(
    known: list[ReplayTrick], so_far: int, points: list[int | None], *, seats: int, step: int
) -> list[TrickRow]:
    """Return the rows of the table of tricks; by this step `so_far` of the known tricks have begun.

    :param points: the points that each complete trick brought its winner.
    """
    return [
        TrickRow(
            number,
            _cells(trick, seats, step, all_later=number > max(so_far, 1)),
            number == max(so_far, 1),
            number > max(so_far, 1),
            points[number - 1] if number <= len(points) else None,
        )
        for number, trick in enumerate(known, 1)
    ]


def _cells(trick: ReplayTrick, seats: int, now: int, *, all_later: bool) -> list[TrickCell | None]:
    cells: list[TrickCell | None] = [None] * seats
    for order, (seat, word, step) in enumerate(trick.cards):
        cells[seat] = TrickCell(
            word, step, order == 0, trick.winner == seat, step > now and not all_later, step == now
        )
    return cells


def slots(
    trick: ReplayTrick,
    stacks: dict[int, tuple[str, ...]],
    answers: dict[int, str],
    *,
    seats: int,
    step: int,
    first: int = 0,
) -> list[SeatSlot]:
    """Return a trick as cards in the middle of the table, one slot a seat.

    :param first: the seat from which their places are counted.
    """
    laid = [
        SeatSlot(seat, stack=stacks.get(seat, ()), answer=answers.get(seat, ""), at=(seat - first) % seats)
        for seat in range(seats)
    ]
    for order, (seat, word, played) in enumerate(trick.cards, 1):
        laid[seat] = replace(
            laid[seat], word=word, order=order, wins=trick.winner == seat, fresh=played == step, stack=()
        )
    return laid
