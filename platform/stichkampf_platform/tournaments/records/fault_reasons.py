"""Reasons of faults: what the server said to an answer, for everybody who may see the decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from stichkampf.match.records import decision_at

from stichkampf_platform.tournaments.models import SeatReport
from stichkampf_platform.tournaments.queries import readable_reports
from stichkampf_platform.tournaments.shown import Viewer


def reasons_at(report: SeatReport, number: int) -> list[str]:
    """Return what was wrong with an answer.

    :param number: the decision among those of the seat, from 1.
    """
    about = zip(report.complaints, report.complaint_decisions or [], strict=False)
    return [reason for reason, decision in about if decision == number]


def faults_with_reasons(table_id: int, record: Mapping[str, Any], person: Viewer) -> list[dict[str, Any]]:
    """Return the faults of a record in its order, each with `reasons`.

    They are empty where none is known, and for a seat whose output is held back.
    """
    reports = readable_reports(person).filter(seat__table=table_id).defer("stderr", "written")
    by_seat = {report.seat.number: report for report in reports.select_related("seat")}
    numbers: Counter[int] = Counter()
    reasons = {}
    for deal, played in enumerate(record["deals"]):
        for move, (seat, _) in enumerate(played["moves"]):
            numbers[seat] += 1
            if seat in by_seat:
                reasons[deal, move] = reasons_at(by_seat[seat], numbers[seat])
    return [
        {
            "decision": decision_at(record, fault["deal"], fault["move"]),
            **fault,
            "reasons": reasons.get((fault["deal"], fault["move"]), []),
        }
        for fault in record["faults"]
    ]
