"""The tricks of a deal: complete ones as the events tell them, the growing one from the table."""

from __future__ import annotations

from dataclasses import dataclass, field

from stichkampf_platform.web.replay.action_texts import card_of
from stichkampf_platform.web.replay.replay import DealStory
from stichkampf_platform.web.replay.scene_parts import Cell, Slot, TrickRow


@dataclass
class ReplayTrick:
    """A trick of the replay, with the steps that played its cards.

    :ivar cards: (seat, card, step that played it) in the order played.
    :ivar winner: None while it grows, -1 where no seat took it.
    """

    cards: list[tuple[int, str, int]] = field(default_factory=list)
    winner: int | None = None


def tricks_until(deal: DealStory, place: int) -> list[ReplayTrick]:
    """The tricks of a deal up to one of its frames, the last one perhaps incomplete."""
    tricks: list[ReplayTrick] = []
    steps: dict[tuple[int, str], int] = {}
    for at, frame in enumerate(deal.frames[: place + 1]):
        step = deal.first_step + at
        for event in frame.events:
            if event.kind == "move":
                steps[event.seat, card_of(event.text)] = step
            if event.kind == "trick":
                cards = zip(event.numbers, event.cards, strict=True)
                tricks.append(ReplayTrick([(s, c, steps.get((s, c), step)) for s, c in cards], event.seat))
    table = deal.frames[place].table
    if table:
        tricks.append(ReplayTrick([(s, c, steps.get((s, c), 0)) for s, c in table]))
    return tricks


def rows(known: list[ReplayTrick], so_far: int, *, seats: int, step: int) -> list[TrickRow]:
    """The table of tricks; `so_far` of those known have begun by this step."""
    return [
        TrickRow(number, _cells(trick, seats, step), number == max(so_far, 1))
        for number, trick in enumerate(known, 1)
    ]


def _cells(trick: ReplayTrick, seats: int, now: int) -> list[Cell | None]:
    cells: list[Cell | None] = [None] * seats
    for order, (seat, word, step) in enumerate(trick.cards):
        cells[seat] = Cell(word, step, order == 0, trick.winner == seat, step > now, step == now)
    return cells


def slots(trick: ReplayTrick, *, seats: int, step: int) -> list[Slot]:
    """A trick laid out in the middle of the table."""
    laid = [Slot(seat) for seat in range(seats)]
    for order, (seat, word, played) in enumerate(trick.cards, 1):
        laid[seat] = Slot(seat, word, order, trick.winner == seat, played == step)
    return laid
