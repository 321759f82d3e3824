"""Results: finished matches become results and records, each once, in one transaction."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from stichkampf.faults import forfeits
from stichkampf.match.records import decision_at, thinking_times_by_seat
from stichkampf.plain_text import plain_lines
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import verified_record
from stichkampf_platform.core.errors import MatchFailed
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments import kept_progress
from stichkampf_platform.tournaments.models import Block, Fault, Result, Seat, SeatReport, Table, in_trouble
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import conduct

STDERR_CHARACTERS = 64 * 1024


@dataclass(frozen=True)
class RefereedMatch:
    """A match that is over, whose record was refereed again.

    :ivar report: as it came from the arbiter.
    :ivar record: the record in it.
    """

    table: Table
    report: pb.FetchRecordResponse
    record: dict[str, Any]


def referee(*, table: Table, report: pb.FetchRecordResponse) -> RefereedMatch:
    """Referee a record again, and check that it is of the match that was asked for.

    :raises MatchFailed: the record is not one of this match.
    """
    tournament = table.block.tournament
    record = verified_record(report, seed=bytes(table.block.seed))
    asked = {
        "game": tournament.game,
        "options": tournament.options,
        "seats": [_name(seat) for seat in table.seats.all()],
    }
    for field, value in asked.items():
        if record[field] != value:
            told = Sentence(
                "The arbiter's record has {field} {found} where {asked} was asked for.",
                field=field,
                found=repr(record[field]),
                asked=repr(value),
            )
            raise MatchFailed(told)
    return RefereedMatch(table, report, record)


@transaction.atomic
def store(*, matches: Sequence[RefereedMatch], owner: str) -> set[int]:
    """Store matches of one block; return the ids of the tables whose results are stored now.

    The others are those whose leases the owner has lost.
    """
    block = matches[0].table.block
    # locked, because two last tables must not miss each other
    list(Block.objects.select_for_update().filter(pk=block.pk).values_list("pk"))
    leased = Table.objects.select_for_update().filter(
        pk__in=[match.table.pk for match in matches], lease_owner=owner, state=Table.State.PENDING
    )
    mine = set(leased.values_list("pk", flat=True))
    if not mine:
        return mine
    now = clock.now()
    Table.objects.filter(pk__in=mine).update(
        state=Table.State.DONE, finished_at=now, lease_owner="", lease_until=None, **in_trouble("")
    )
    landed = [match for match in matches if match.table.pk in mine]
    _store_results(landed)
    _store_reports(landed)
    record_files.store((match.table, match.record, match.report.record_json) for match in landed)
    to_play = Table.objects.filter(block=OuterRef("pk"), state=Table.State.PENDING)
    ended = Block.objects.filter(~Exists(to_play), pk=block.pk)
    over = 0
    if block.tournament.holds_back:
        ended.update(played_at=now)
    elif over := ended.update(over_at=now):
        conduct.review(blocks=[block])
    kept_progress.add(block.tournament_id, tables_done=len(landed), blocks_over=over)
    return mine


def _name(seat: Seat) -> dict[str, Any]:
    version = seat.entrant.version
    return {"bot": version.bot.full_name, "version": version.number}


def _store_results(matches: Sequence[RefereedMatch]) -> None:
    results = Result.objects.bulk_create(result for match in matches for result in _results(match))
    by_seat = {(result.seat.table_id, result.seat.number): result for result in results}
    Fault.objects.bulk_create(
        Fault(
            result=by_seat[match.table.pk, fault["seat"]],
            decision=decision_at(match.record, fault["deal"], fault["move"]),
            deal=fault["deal"],
            move=fault["move"],
            kind=fault["kind"],
        )
        for match in matches
        for fault in match.record["faults"]
    )


def _results(match: RefereedMatch) -> Iterator[Result]:
    record, table = match.record, match.table
    faults: defaultdict[int, list[str]] = defaultdict(list)
    for fault in record["faults"]:
        faults[fault["seat"]].append(fault["kind"])
    decisions = Counter(seat for deal in record["deals"] for seat, _ in deal["moves"])
    costs = thinking_times_by_seat(record)
    for seat in table.seats.all():
        yield Result(
            seat=seat,
            score=record["scores"][seat.number],
            rank=record["ranks"][seat.number],
            faults=len(faults[seat.number]),
            forfeited=forfeits(
                faults[seat.number], decisions[seat.number], table.block.tournament.fault_allowance
            ),
            decisions=decisions[seat.number],
            median_ms=1000 * median(costs[seat.number]) if costs[seat.number] else None,
        )


def _store_reports(matches: Sequence[RefereedMatch]) -> None:
    SeatReport.objects.bulk_create(report for match in matches for report in _reports(match))


def _reports(match: RefereedMatch) -> Iterator[SeatReport]:
    by_number = {entry.seat: entry for entry in match.report.reports}
    for seat in match.table.seats.all():
        if (entry := by_number.get(seat.number)) is not None:
            yield SeatReport(
                seat=seat,
                exit_kind=entry.exit_kind[:40],
                exit_code=entry.exit_code,
                stderr="\n".join(plain_lines(entry.stderr[-STDERR_CHARACTERS:])),
                complaints=list(entry.complaints),
                complaint_decisions=list(entry.complaint_decisions),
                written=_spans_of_decisions(entry),
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
