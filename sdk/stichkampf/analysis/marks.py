"""The marks of a match: its decisions that cost something, by our search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stichkampf.analysis.costs import DecisionCost, decision_cost
from stichkampf.analysis.estimate import PointsEstimate
from stichkampf.analysis.open_cards import open_cost
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.records import Step, steps


@dataclass(frozen=True)
class Mark:
    """A decision that cost something. The interval of its cost excludes 0.

    >>> cost = PointsEstimate(1.5, 0.4, 2.6)
    >>> mark = Mark(8, 0, 2, "bid 1", "bid 0", cost, 1400, "bid 1", PointsEstimate(0, 0, 0))
    >>> mark.to_json()["cost"], mark.to_json()["open_cards"]["better"]
    ({'points': 1.5, 'low': 0.4, 'high': 2.6}, 'bid 1')

    :ivar decision: its number among all decisions of the match, from 1, as the replay counts.
    :ivar deal: from 0, as the record counts.
    :ivar seat: from 0, as the record counts.
    :ivar chosen: the action that was taken, in the words of the record.
    :ivar better: the best action by our search.
    :ivar cost: in points of the deal above the mean of the table, by what the seat knew.
    :ivar worlds: from which it was estimated.
    :ivar open_better: the best action with all cards open; the chosen one itself where it is the best.
    :ivar open_cost: the cost against that, in the one world that was there. Not for the eyes of a seat.
    """

    decision: int
    deal: int
    seat: int
    chosen: str
    better: str
    cost: PointsEstimate
    worlds: int
    open_better: str
    open_cost: PointsEstimate

    def to_json(self) -> dict[str, Json]:
        return {
            "decision": self.decision,
            "deal": self.deal,
            "seat": self.seat,
            "chosen": self.chosen,
            "better": self.better,
            "cost": self.cost.to_json(),
            "worlds": self.worlds,
            "open_cards": {"better": self.open_better, "cost": self.open_cost.to_json()},
        }


@dataclass(frozen=True)
class MatchAnalysis:
    """The finds of an analysis of a match.

    >>> MatchAnalysis(marks=(), judged=(8, 8, 0)).judged
    (8, 8, 0)

    :ivar marks: in the order of the match.
    :ivar judged: by seat, the number of decisions that were looked at: own ones with a choice.
    """

    marks: tuple[Mark, ...]
    judged: tuple[int, ...]


def judged_decisions(
    record: Mapping[str, Json], seat: int | None = None
) -> Iterator[tuple[int, Step, DecisionCost]]:
    """Yield the decisions of a verified record that had a choice: the number from 1, the step, the cost.

    The moves of a substitute in place of a failing bot are left out.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> [(number, judged.chosen) for number, _, judged in judged_decisions(record)]
    [(1, 'bid 0'), (2, 'bid 0')]

    :param seat: only of this seat, from 0; None for all.
    :raises RecordError: the match has no such seat.
    """
    if seat is not None and not 0 <= seat < len(record["seats"]):
        raise RecordError(f"the match has seats 0 to {len(record['seats']) - 1}, not {seat}")
    for number, step in enumerate(steps(record), start=1):
        move = step.move
        if seat in (None, move.seat) and not move.fault and len(step.legal) > 1:
            yield number, step, decision_cost(step.match.game, step.match.deal, move.seat, move.word)


def analyse_match(record: Mapping[str, Json], seat: int | None = None) -> MatchAnalysis:
    """Find the decisions of a verified record that cost something.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("bold")] * 3, bytes(32)).record
    >>> analysis = analyse_match(record)
    >>> analysis.judged, [(mark.chosen, mark.better) for mark in analysis.marks][:1]
    ((1, 1, 1), [('bid 1', 'bid 0')])

    :param seat: only of this seat, from 0; None for all.
    :raises RecordError: the match has no such seat.
    """
    judged = [0] * len(record["seats"])
    marks = []
    for number, step, found in judged_decisions(record, seat):
        move = step.move
        judged[move.seat] += 1
        if found.is_mistake:
            shown = open_cost(step.match.game, step.match.deal, move.seat, move.word)
            marks.append(
                Mark(
                    *(number, move.deal, move.seat, found.chosen, found.better, found.cost, found.worlds),
                    open_better=shown.better,
                    open_cost=shown.cost,
                )
            )
    return MatchAnalysis(tuple(marks), tuple(judged))
