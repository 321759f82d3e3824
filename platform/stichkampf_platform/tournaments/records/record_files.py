"""Match records: the one way into storage, and the one way out, which knows what is open.

Of a seat that is held back (`queries.held_back`) a record shows neither notes nor thinking times.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from django.core.files.storage import storages
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from stichkampf.match.records import dump

from stichkampf_platform.core.errors import NotOpenYet, RecordUnreadable
from stichkampf_platform.storage import compressed_texts
from stichkampf_platform.tournaments.models import MatchRecord, Seat, Table, Tournament
from stichkampf_platform.tournaments.queries import held_back, revealed_blocks, revealed_tables
from stichkampf_platform.tournaments.visibility import Viewer

logger = logging.getLogger(__name__)


def store(*, table: Table, record: dict[str, Any], text: str) -> MatchRecord:
    """Store the record of a table, as it came; call it in the transaction that stores the results."""
    name, digest, size = compressed_texts.store(
        storages["records"], f"records/{table.idempotency_key}.json.gz", text
    )
    return MatchRecord.objects.create(
        table=table,
        file_name=name,
        digest=digest,
        record_bytes=size,
        deals=len(record["deals"]),
        moves=sum(len(deal["moves"]) for deal in record["deals"]),
        sandbox_level=record.get("sandbox", ""),
    )


def record_text(table_id: int, person: Viewer = None) -> str:
    """The record of a table, one JSON document in one line.

    :raises NotOpenYet: its block has tables that are still to end, or there is no table that the person sees.
    :raises RecordUnreadable: its file is missing or damaged.
    """
    stored = MatchRecord.objects.filter(table__in=revealed_tables(person).filter(pk=table_id)).first()
    if stored is None:
        raise NotOpenYet(
            _("Table {table_id} has no record to show: there is none, or its block is not over yet.").format(
                table_id=table_id
            )
        )
    return _shown(stored, held_back_seats([table_id])[table_id])


def record(table_id: int, person: Viewer = None) -> dict[str, Any]:
    """The record of a table as JSON.

    :raises NotOpenYet, RecordUnreadable: as `record_text`.
    """
    return json.loads(record_text(table_id, person))


def record_without(stored: MatchRecord, held_back: Collection[int]) -> dict[str, Any]:
    """The record of a table that its reader may see, without the output of these seats.

    :raises RecordUnreadable: its file is missing or damaged.
    """
    return json.loads(_shown(stored, held_back))


def open_records(table_ids: Collection[int], person: Viewer = None) -> dict[int, dict[str, Any] | None]:
    """The records of these tables as JSON, by table; `None` where a file is missing or damaged.

    Those that are not open are not among them.
    """
    found: dict[int, dict[str, Any] | None] = {}
    waiting = held_back_seats(table_ids)
    for stored in MatchRecord.objects.filter(table__in=revealed_tables(person), table_id__in=table_ids):
        try:
            found[stored.table_id] = json.loads(_shown(stored, waiting[stored.table_id]))
        except RecordUnreadable:
            found[stored.table_id] = None
    return found


def export(tournament: Tournament) -> Iterator[str]:
    """The open records of a tournament as JSON lines, in the order of the schedule.

    In the place of one whose file is missing or damaged stands `{"table": …, "error": …}`.
    """
    stored = MatchRecord.objects.filter(
        table__state=Table.State.DONE, table__block__in=revealed_blocks(), table__block__tournament=tournament
    )
    ordered = stored.order_by("table__block__number", "table__lane")
    # a query that stays open while somebody reads slowly keeps SQLite's log growing
    records = list(ordered)
    waiting = held_back_seats(ordered.values("table"))
    for each in records:
        try:
            text = _shown(each, waiting[each.table_id])
        except RecordUnreadable as error:
            text = json.dumps({"table": each.table_id, "error": str(error)})
        yield text + "\n"


def held_back_seats(tables: Collection[int] | QuerySet[Any]) -> defaultdict[int, frozenset[int]]:
    """The numbers of the seats that are held back, by table."""
    waiting: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
    seats = Seat.objects.filter(held_back(), table__in=tables)
    for table, number in seats.order_by().values_list("table", "number"):
        waiting[table] |= {number}
    return waiting


def _shown(stored: MatchRecord, waiting: Collection[int]) -> str:
    """Return the text of a record without the output of these seats; `held_back` then names them."""
    text = _read(stored)
    if not waiting:
        return text
    record = json.loads(text)
    moves = [deal["moves"] for deal in record["deals"]]
    if "notes" in record:
        record["notes"] = [
            note for note in record["notes"] if moves[note["deal"]][note["move"]][0] not in waiting
        ]
    for times in {"costs", "wall_times"} & record.keys():
        record[times] = [
            [None if seat in waiting else time for (seat, _), time in zip(deal, times_of_deal, strict=True)]
            for deal, times_of_deal in zip(moves, record[times], strict=False)
        ]
    record["held_back"] = sorted(waiting)
    return dump(record)


def _read(stored: MatchRecord) -> str:
    try:
        return compressed_texts.read(storages["records"], stored.file_name, stored.digest)
    except OSError as error:
        logger.error(
            "the record of table %s, %s, cannot be read: %s", stored.table_id, stored.file_name, error
        )
        raise RecordUnreadable(f"The record of table {stored.table_id} cannot be read.") from error
