"""The charts of a scene: thinking times, and points by trick and by deal."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString

from stichkampf_platform.web import charts
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.scene_parts import SeatOccupant, Text


def decision_times(deal: DealSoFar, query: str) -> SafeString:
    """Draw the thinking times of the deal; in a seat's view up to this decision only."""
    bars, ended = [], 0
    for number, frame in enumerate(deal.deal.frames if deal.all_hands else deal.frames):
        decision = frame.decision
        if decision is None:
            continue
        bars.append(
            charts.DecisionBar(
                number=number,
                seat=decision.seat,
                seconds=decision.seconds,
                fault=bool(decision.fault),
                shaded=ended % 2 == 1,
                address=f"{decision.step}{query}",
            )
        )
        ended += any(event.kind == "trick" for event in frame.events)
    return charts.decision_timeline(bars, decisions=len(deal.deal.frames) - 1, seats=len(deal.deal.scores))


def decision_cursor(deal: DealSoFar) -> SafeString:
    return charts.decision_cursor(
        decisions=len(deal.deal.frames) - 1, seats=len(deal.deal.scores), now=deal.at
    )


def totals(deal: DealSoFar, players: Sequence[SeatOccupant]) -> Text:
    """Draw the totals of the match, from the second deal on; in a seat's view after finished deals only."""
    over = [each for each in deal.replay.deals if deal.all_hands or each.last_step <= deal.step]
    if len(over) < 2:
        return ""
    bots = len(deal.deal.scores)
    rows = [(0,) * bots, *(each.totals for each in over)]
    return charts.score_totals(rows, _names(players[:bots]), now=deal.deal.number + deal.is_over)


def points_by_trick(deal: DealSoFar, players: Sequence[SeatOccupant]) -> Text:
    """Draw the points of the deal, trick by trick, as far as the tricks may be seen."""
    rows = deal.points_by_trick
    if len(rows) < 3:
        return ""
    bots = len(deal.deal.scores)
    complete = sum(trick.winner is not None for trick in deal.tricks)
    return charts.score_totals(
        [row[:bots] for row in rows], _names(players[:bots]), now=complete, unit="trick"
    )


def _names(players: Sequence[SeatOccupant]) -> list[str]:
    return [f"{number} {player.name}" for number, player in enumerate(players, 1)]
