"""Results: a finished match becomes results and a record, once, in one transaction."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from statistics import median
from typing import Any

from django.db import transaction
from stichkampf.match.records import thinking_times_by_seat
from stichkampf.plain_text import plain_lines
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import verified_record
from stichkampf_platform.core.errors import MatchFailed
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.models import Block, Fault, Result, Seat, SeatReport, Table
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import conduct

STDERR_CHARACTERS = 64 * 1024


def record_result(*, table: Table, owner: str, report: pb.FetchRecordResponse) -> bool:
    """Verify a record and store it with its results; return false if the owner has lost the table's lease.

    :raises MatchFailed: the record is not one of this match.
    """
    record = _checked(table, report)
    with transaction.atomic():
        Block.objects.select_for_update().get(pk=table.block_id)  # two last tables must not miss each other
        mine = Table.objects.filter(pk=table.pk, lease_owner=owner, state=Table.State.PENDING)
        now = clock.now()
        if not mine.update(
            state=Table.State.DONE, finished_at=now, lease_owner="", lease_until=None, trouble=""
        ):
            return False
        _store_results(table, record)
        _store_reports(table, report)
        record_files.store(table=table, record=record, text=report.record_json)
        over = not Table.objects.filter(block_id=table.block_id, state=Table.State.PENDING).exists()
        if over:
            Block.objects.filter(pk=table.block_id).update(over_at=now)
            conduct.review(block=table.block)
        kept_progress.add(table.block.tournament_id, tables_done=1, blocks_over=int(over))
    return True


def _checked(table: Table, report: pb.FetchRecordResponse) -> dict[str, Any]:
    """Verify the record, and check that it is of the match that was asked for."""
    tournament = table.block.tournament
    record = verified_record(report, seed=bytes(table.block.seed))
    asked = {
        "game": tournament.game,
        "options": tournament.options,
        "seats": [_name(seat) for seat in table.seats.all()],
    }
    for field, value in asked.items():
        if record[field] != value:
            raise MatchFailed(
                f"The arbiter's record has {field} {record[field]!r} where {value!r} was asked for."
            )
    return record


def _name(seat: Seat) -> dict[str, Any]:
    version = seat.entrant.version
    return {"bot": version.bot.full_name, "version": version.number}


def _store_results(table: Table, record: dict[str, Any]) -> None:
    faults = Counter(fault["seat"] for fault in record["faults"])
    decisions = Counter(seat for deal in record["deals"] for seat, _ in deal["moves"])
    costs = thinking_times_by_seat(record)
    results = Result.objects.bulk_create(
        Result(
            seat=seat,
            score=record["scores"][seat.number],
            rank=record["ranks"][seat.number],
            faults=faults[seat.number],
            forfeited=faults[seat.number] > table.block.tournament.fault_allowance,
            decisions=decisions[seat.number],
            median_ms=1000 * median(costs[seat.number]) if costs[seat.number] else None,
        )
        for seat in table.seats.all()
    )
    by_seat = {result.seat.number: result for result in results}
    Fault.objects.bulk_create(
        Fault(result=by_seat[fault["seat"]], deal=fault["deal"], move=fault["move"], kind=fault["kind"])
        for fault in record["faults"]
    )


def _store_reports(table: Table, report: pb.FetchRecordResponse) -> None:
    by_number = {entry.seat: entry for entry in report.reports}
    SeatReport.objects.bulk_create(
        SeatReport(
            seat=seat,
            exit_kind=entry.exit_kind[:40],
            exit_code=entry.exit_code,
            stderr="\n".join(plain_lines(entry.stderr[-STDERR_CHARACTERS:])),
            complaints=list(entry.complaints),
            complaint_decisions=list(entry.complaint_decisions),
            written=_spans_of_decisions(entry),
        )
        for seat in table.seats.all()
        if (entry := by_number.get(seat.number)) is not None
    )


def _spans_of_decisions(entry: pb.SeatReport) -> list[tuple[int, int, int]]:
    """Return the lines of decisions, as in `SeatReport.written`; a line belongs where it begins."""
    cut = max(0, len(entry.stderr) - STDERR_CHARACTERS)
    lines = entry.stderr[cut:].splitlines(keepends=True)
    begins = list(accumulate(map(len, lines), initial=cut))[:-1]
    spans = (
        (part.decision, bisect_left(begins, part.begin), bisect_left(begins, part.end))
        for part in entry.written
    )
    return [span for span in spans if span[1] < span[2]]
