"""Exports of a tournament: CSV for `stichkampf rate`, JSON with everything. Only blocks that are over.

Blocks, rounds, seats and entrants count from 1, as on the pages. A bot has its author's name before its own
in every file, as in match records.
"""

from __future__ import annotations

import csv
import io
import json
import textwrap
from collections.abc import Iterator
from typing import Any

from stichkampf_platform.core.actions import Export
from stichkampf_platform.core.plain_rows import portions
from stichkampf_platform.tournaments.entry.protests import listed
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS
from stichkampf_platform.tournaments.models import Result, Table, Tournament
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.scheduling.played_rounds import rests

BLOCKS_AT_ONCE = 20
"""Blocks whose results are read with one query: of a thousand seats each takes some kilobytes meanwhile."""


def results_csv(tournament: Tournament) -> Iterator[str]:
    """Yield the results that count, line by line, as `stichkampf rate` reads them."""
    yield "block,hand,bot,score\r\n"
    names = {
        entrant.pk: f"{entrant.version.bot.full_name} v{entrant.version.number}"
        for entrant in tournament.entrants.select_related("version__bot__owner")
    }
    blocks = tournament.blocks.exclude(over_at=None).order_by("number").values_list("pk", "number")
    for portion in map(dict, portions(list(blocks), BLOCKS_AT_ONCE)):
        rows = Result.objects.filter(seat__table__block__in=portion, seat__table__state=Table.State.DONE)
        found = rows.values_list(
            "seat__table__block_id", "seat__table__lane", "seat__number", "seat__entrant_id", "score"
        )
        in_order = sorted((portion[block], *row) for block, *row in found)
        for number, _lane, hand, entrant, score in in_order:
            line = io.StringIO()
            csv.writer(line).writerow([number + 1, hand + 1, names[entrant], score])
            yield line.getvalue()


def everything_json(tournament: Tournament) -> Iterator[str]:
    """Yield settings, entrants and every result, void ones marked, as one JSON document in parts."""
    head = {
        **{name: getattr(tournament, name) for name in (*COLUMNS, *OUTCOME)},
        "lot_seed_sha256": tournament.lot_digest,
        "lot_seed": tournament.open_lot_seed,
        "entrants": [
            _entrant(entrant) for entrant in tournament.entrants.select_related("version__bot__owner")
        ],
        "rests": [
            {"round": number, "entrant": each.entrant.number + 1, "worth": each.worth}
            for number, each in rests(tournament)
        ],
        "rulings": _rulings(tournament),
        "results": [],
    }
    yield json.dumps(head, default=str, indent=1).removesuffix("]\n}")
    before = ""
    for result in _results(tournament):
        text = json.dumps(result, default=str, indent=1)
        yield f"{before}\n{textwrap.indent(text, '  ')}"
        before = ","
    yield "\n ]\n}" if before else "]\n}"


EXPORTS = {
    "results.csv": Export(
        "text/csv", results_csv,
        "`block,hand,bot,score`, the results that count, as `stichkampf rate` reads them;"
        " a bot is `ann/karl v3`",
        long=True,
    ),
    "tournament.json": Export(
        "application/json", everything_json, "settings, entrants, rulings and every result, void ones marked",
        long=True,
    ),
    "records.jsonl": Export(
        "application/x-ndjson", record_files.export, "the match record of each table that counts, one a line",
        long=True,
    ),
}  # fmt: skip
"""By file name; those of ratings stand in `ratings.organising`, with these."""

OUTCOME = ("state", "outcome", "started_at", "finished_at", "rounds_over")


def _results(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """Yield results in the order of the schedule."""
    blocks = tournament.blocks.exclude(over_at=None).order_by("number").values_list("pk", flat=True)
    for portion in portions(list(blocks), BLOCKS_AT_ONCE):
        waiting = record_files.held_back_seats(Table.objects.filter(block__in=portion).values("pk"))
        rows = Result.objects.filter(seat__table__block__in=portion).values_list(
            *("seat__table__block__number", "seat__table__block__round", "seat__table", "seat__table__state"),
            *("seat__number", "seat__entrant__number"),
            *("score", "rank", "faults", "forfeited", "decisions", "median_ms"),
        )
        ordered = rows.order_by("seat__table__block__number", "seat__table__lane", "seat__number")
        for number, round_, table, state, seat, entrant, *counts, median_ms in ordered:
            yield {
                "block": number + 1,
                "round": round_ + 1,
                "table": table,
                "void": state == Table.State.VOID,
                "seat": seat + 1,
                "entrant": entrant + 1,
                **dict(zip(("score", "rank", "faults", "forfeited", "decisions"), counts, strict=True)),
                "median_ms": None if seat in waiting.get(table, ()) else median_ms,
            }


def _entrant(entrant) -> dict[str, Any]:  # type: ignore[no-untyped-def]
    return {
        "number": entrant.number + 1,
        "bot": entrant.version.bot.full_name,
        "version": entrant.version.number,
        "out_at": entrant.out_at,
        "out_as": entrant.out_as,
        "out_for": entrant.out_for,
        "place": entrant.place,
        "points": entrant.points,
        "tie_breaks": entrant.tie_breaks,
        "round_reached": entrant.round_reached,
    }


def _rulings(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the public list, oldest first; places by the number of the entrant."""
    numbers = {str(pk): number + 1 for pk, number in tournament.entrants.values_list("pk", "number")}
    return [
        {
            "kind": ruling.kind,
            "made_at": ruling.made_at,
            "role": ruling.role,
            "reason": "" if ruling.waits else ruling.reason,
            "fault": ruling.fault,
            "block": ruling.block.number + 1 if ruling.block else None,
            "table": ruling.table_id,
            "round": None if ruling.round is None else ruling.round + 1,
            "bot": ruling.version.bot.full_name if ruling.version else None,
            "version": ruling.version.number if ruling.version else None,
            "changed": {str(numbers.get(key, key)): list(both) for key, both in ruling.changed.items()},
            "answer": ruling.answer,
            "answered_at": ruling.answered_at,
        }
        for ruling in reversed(listed(tournament, None))
    ]
