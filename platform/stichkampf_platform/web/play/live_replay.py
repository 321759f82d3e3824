"""An open table, as one seat has seen it so far: a replay whose last deal may not be over.

It is made of the events that the seat was told and of nothing else, so it cannot hold a hidden card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stichkampf.engine.game import Game
from stichkampf.match.events import Event
from stichkampf.match.table import Table

from stichkampf_platform.web.replay.replay import Replay, ReplayDeal, ReplayDecision, ReplayFrame

SHOWN_DEALS = 2
"""The last deals, of which every step can be drawn; of those before, only the last step."""


def live_replay(game: Game, seat: int, events: Sequence[Event]) -> Replay | None:
    """Return the replay of a table so far; None before its first deal.

    Dealing is a step of its own here, so that the end of the deal before is seen as well.
    """
    table = Table(game, seat, bytes(32))
    deals: list[ReplayDeal] = []
    step, totals = 0, (0,) * game.seats
    ranks: tuple[int, ...] = ()
    by_deal = list(_by_deal(events))
    for number, told in enumerate(by_deal):
        dealt, first = told[0][0], step + bool(deals)
        frames, scores = [], None
        for at, group in enumerate(told):
            table.follow(group)
            step = first + at
            for event in group:
                if event.kind == "score":
                    scores, totals = tuple(event.numbers), tuple((event.facts or {})["totals"])
                if event.kind == "end":
                    ranks = tuple(event.numbers)
            if number >= len(by_deal) - SHOWN_DEALS or at == len(told) - 1:
                frames.append(_frame(table, group, step))
        over = scores is not None
        shown = scores or (0,) * game.seats
        deals.append(
            ReplayDeal(
                dealt.numbers[0], dealt.seat, step + 1 - len(frames), tuple(frames), shown, totals, over
            )
        )
    if not deals:
        return None
    return Replay(type(game), seat, game.table_seats, tuple(deals), ranks, game.options)


def _by_deal(events: Sequence[Event]) -> Iterator[list[list[Event]]]:
    """Yield for each deal its events in groups: those of dealing, then those of each move."""
    deal: list[list[Event]] = []
    for event in events:
        if event.kind == "deal":
            if deal:
                yield deal
            deal = [[]]
        elif event.kind == "move" and deal:
            deal.append([])
        if deal:
            deal[-1].append(event)
    if deal:
        yield deal


def _frame(table: Table, events: list[Event], step: int) -> ReplayFrame:
    deal, own = table.deal, table.seat
    seats = range(table.game.table_seats)
    moves = [event for event in events if event.kind == "move"]
    hands = tuple(tuple(deal.hand(seat)) for seat in seats)
    over = deal.is_over() or any(event.kind == "score" for event in events)
    secrets = deal.secrets(own)
    return ReplayFrame(
        decision=ReplayDecision(step, moves[0].seat, moves[0].text) if moves else None,
        events=tuple(events),
        hands=hands,
        hidden=tuple(0 if s == own else max(0, deal.hand_size(s) - len(hands[s])) for s in seats),
        table=tuple(deal.table()),
        facts=deal.facts(),
        secrets={own: secrets} if secrets else {},
        phase="" if over else deal.phase(),
        asked=() if over else tuple(deal.to_act()),
    )
