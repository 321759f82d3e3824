"""Match records: the one way into storage, and the one way out, which knows what is open.

Of a seat that is held back (`queries.begun_meanwhile`) a record shows neither notes nor thinking times.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.core.files.storage import storages
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from stichkampf.match.records import dump

from stichkampf_platform.core.errors import NotShown, RecordAway, RecordDeleted, RecordUnreadable, StoreAway
from stichkampf_platform.core.plain_rows import portions
from stichkampf_platform.storage import compressed_texts
from stichkampf_platform.tournaments.models import MatchRecord, Seat, Table, Tournament
from stichkampf_platform.tournaments.queries import begun_meanwhile, shown_tables
from stichkampf_platform.tournaments.shown import Viewer

FOLDER_TABLES = 1000
"""Tables whose records share a folder of the store: folders with very many files are slow to list."""
READ_AT_ONCE = 64
BLOCKS_AT_ONCE = 20
"""Blocks whose records are looked up with one query."""

logger = logging.getLogger(__name__)


def store(matches: Iterable[tuple[Table, Mapping[str, Any], str]]) -> list[MatchRecord]:
    """Store records as they came; call it in the transaction that stores the results.

    :param matches: for each match its table, its record, and the text of that.
    """
    rows, contents = [], []
    for table, record, text in matches:
        content, digest, size = compressed_texts.pack(text)
        contents.append((f"records/{table.pk // FOLDER_TABLES}/{table.idempotency_key}.json.gz", content))
        rows.append(
            MatchRecord(
                table=table,
                digest=digest,
                record_bytes=size,
                deals=len(record["deals"]),
                moves=sum(len(deal["moves"]) for deal in record["deals"]),
                sandbox_level=record.get("sandbox", ""),
            )
        )
    for row, name in zip(rows, storages["records"].save_many(contents), strict=True):  # type: ignore[attr-defined]
        row.file_name = name
    return MatchRecord.objects.bulk_create(rows)


def record_text(table_id: int, person: Viewer = None) -> str:
    """The record of a table, one JSON document in one line.

    :raises NotShown: its block has tables that are still to end, or there is no table that the person sees.
    :raises RecordUnreadable: its file is missing or damaged.
    """
    return _shown(_open(table_id, person), held_back_seats([table_id])[table_id])


def record_key(table_id: int, person: Viewer = None) -> tuple[str, tuple[int, ...]]:
    """Return what the text of a record depends on: the digest of its file, and the seats held back.

    :raises NotShown, RecordDeleted: as `record_text`.
    """
    stored = _open(table_id, person)
    check_kept(stored)
    return stored.digest, tuple(sorted(held_back_seats([table_id])[table_id]))


def _open(table_id: int, person: Viewer) -> MatchRecord:
    stored = MatchRecord.objects.filter(table__in=shown_tables(person).filter(pk=table_id)).first()
    if stored is None:
        raise NotShown(
            _("Table {table_id} has no record to show: there is none, or its block is not over yet.").format(
                table_id=table_id
            )
        )
    return stored


def record(table_id: int, person: Viewer = None) -> dict[str, Any]:
    """The record of a table as JSON.

    :raises NotShown, RecordUnreadable: as `record_text`.
    """
    return json.loads(record_text(table_id, person))


def record_without(stored: MatchRecord, held_back: Collection[int]) -> dict[str, Any]:
    """The record of a table that its reader may see, without the output of these seats.

    :raises RecordUnreadable: its file is missing or damaged, or it was deleted.
    """
    return json.loads(_shown(stored, held_back))


def check_kept(stored: MatchRecord) -> None:
    """Check that a record was not deleted.

    :raises RecordDeleted: saying so.
    """
    if stored.deleted_at is not None:
        raise RecordDeleted(
            _(
                "The record of table {table_id} was deleted on {day}, because records are kept here for"
                " a limited time only. Its result stays."
            ).format(table_id=stored.table_id, day=f"{stored.deleted_at:%Y-%m-%d}")
        )


def open_records(table_ids: Collection[int], person: Viewer = None) -> dict[int, dict[str, Any] | None]:
    """The records of these tables as JSON, by table; `None` where a file is missing or damaged.

    Those that are not open, or were deleted, are not among them.
    """
    stored = MatchRecord.objects.filter(
        table__in=shown_tables(person), table_id__in=table_ids, deleted_at=None
    )
    found: dict[int, dict[str, Any] | None] = {}
    for each, text in _texts(list(stored), held_back_seats(table_ids)):
        found[each.table_id] = None if isinstance(text, RecordUnreadable) else json.loads(text)
    return found


def export(tournament: Tournament) -> Iterator[str]:
    """The open records of a tournament as JSON lines, in the order of the schedule.

    In the place of one that was deleted, or whose file is missing or damaged, stands
    `{"table": …, "error": …}`.
    """
    over = tournament.blocks.exclude(over_at=None).order_by("number").values_list("pk", flat=True)
    # a query that stays open while somebody reads slowly keeps SQLite's log growing
    for portion in portions(list(over), BLOCKS_AT_ONCE):
        stored = MatchRecord.objects.filter(table__state=Table.State.DONE, table__block__in=portion)
        ordered = stored.order_by("table__block__number", "table__lane")
        waiting = held_back_seats(ordered.values("table"))
        yield from (line for _, line in _numbered_texts(list(ordered), waiting))


def open_texts(table_ids: Collection[int]) -> dict[int, str]:
    """The open records of these tables that everybody may see, each as a line of `export`, by table."""
    stored = MatchRecord.objects.filter(table__in=shown_tables(), table_id__in=table_ids)
    return dict(_numbered_texts(list(stored), held_back_seats(table_ids)))


def _numbered_texts(
    records: Sequence[MatchRecord], waiting: Mapping[int, Collection[int]]
) -> Iterator[tuple[int, str]]:
    for each, text in _texts(records, waiting):
        if isinstance(text, RecordUnreadable):
            text = json.dumps({"table": each.table_id, "error": str(text)})
        yield each.table_id, text + "\n"


def held_back_seats(tables: Collection[int] | QuerySet[Any]) -> defaultdict[int, frozenset[int]]:
    """The numbers of the seats that are held back, by table."""
    waiting: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
    begun = begun_meanwhile()
    seats = Seat.objects.filter(table__in=tables, entrant__version__in=begun)
    ended = seats.order_by().values_list("table", "number", "entrant__version", "table__finished_at")
    for table, number, version, at in ended if begun else ():
        if at is not None and begun[version] < at:
            waiting[table] |= {number}
    return waiting


def _texts(
    records: Sequence[MatchRecord], waiting: Mapping[int, Collection[int]]
) -> Iterator[tuple[MatchRecord, str | RecordUnreadable]]:
    """Yield records with their texts as their readers may see them, read many at a time."""
    for start in range(0, len(records), READ_AT_ONCE):
        some = records[start : start + READ_AT_ONCE]
        contents = storages["records"].read_many([each.file_name for each in some])  # type: ignore[attr-defined]
        for each, content in zip(some, contents, strict=True):
            try:
                yield each, _without(_unpacked(each, content), waiting.get(each.table_id, ()))
            except RecordUnreadable as error:
                yield each, error


def _shown(stored: MatchRecord, waiting: Collection[int]) -> str:
    """Return the text of a record without the output of these seats.

    :raises RecordUnreadable: its file is missing or damaged, or it was deleted.
    """
    (content,) = storages["records"].read_many([stored.file_name])  # type: ignore[attr-defined]
    return _without(_unpacked(stored, content), waiting)


def _without(text: str, waiting: Collection[int]) -> str:
    """Leave the output of these seats out of the text of a record; `held_back` then names them."""
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


def _unpacked(stored: MatchRecord, content: bytes | OSError) -> str:
    check_kept(stored)
    try:
        if isinstance(content, OSError):
            raise content
        return compressed_texts.unpack(content, stored.digest)
    except OSError as error:
        logger.error(
            "the record of table %s, %s, cannot be read: %s", stored.table_id, stored.file_name, error
        )
        kind = RecordAway if isinstance(error, StoreAway) else RecordUnreadable
        raise kind(f"The record of table {stored.table_id} cannot be read.") from error
