"""Match records: the one way into storage, and the one way out, which knows what is open."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import zlib
from collections.abc import Collection, Iterator
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from stichkampf_platform.errors import NotOpenYet, RecordUnreadable
from stichkampf_platform.tournaments.models import MatchRecord, Table, Tournament
from stichkampf_platform.tournaments.queries import open_blocks, open_tables

logger = logging.getLogger(__name__)


def store(*, table: Table, record: dict[str, Any], text: str) -> MatchRecord:
    """Store the record of a table, as it came; call it in the transaction that lands the results."""
    content = text.encode()
    name = storages["records"].save(
        f"records/{table.idempotency_key}.json.gz", ContentFile(gzip.compress(content, mtime=0))
    )
    return MatchRecord.objects.create(
        table=table,
        file_name=name,
        digest=hashlib.sha256(content).hexdigest(),
        record_bytes=len(content),
        deals=len(record["deals"]),
        moves=sum(len(deal["moves"]) for deal in record["deals"]),
        sandbox_level=record.get("sandbox", ""),
    )


def record_text(table_id: int) -> str:
    """The record of a table, one JSON document in one line.

    :raises NotOpenYet: its block has tables that are still to end, or there is no such table.
    :raises RecordUnreadable: its file is missing or damaged.
    """
    stored = MatchRecord.objects.filter(table__in=open_tables().filter(pk=table_id)).first()
    if stored is None:
        raise NotOpenYet(
            f"Table {table_id} has no record to show: there is none, or its block is not over yet."
        )
    return _read(stored)


def record(table_id: int) -> dict[str, Any]:
    """The record of a table as JSON.

    :raises NotOpenYet, RecordUnreadable: as `record_text`.
    """
    return json.loads(record_text(table_id))


def open_records(table_ids: Collection[int]) -> dict[int, dict[str, Any] | None]:
    """The records of these tables as JSON, by table; `None` where a file is missing or damaged.

    Those that are not open are not among them.
    """
    found: dict[int, dict[str, Any] | None] = {}
    for stored in MatchRecord.objects.filter(table__in=open_tables(), table_id__in=table_ids):
        try:
            found[stored.table_id] = json.loads(_read(stored))
        except RecordUnreadable:
            found[stored.table_id] = None
    return found


def export(tournament: Tournament) -> Iterator[str]:
    """The open records of a tournament as JSON lines, in the order of the schedule.

    In the place of one whose file is missing or damaged stands `{"table": …, "error": …}`.
    """
    stored = MatchRecord.objects.filter(
        table__state=Table.State.DONE, table__block__in=open_blocks(), table__block__tournament=tournament
    )
    ordered = stored.order_by("table__block__number", "table__lane")
    for each in list(
        ordered
    ):  # a query that stays open while somebody reads slowly keeps SQLite's log growing
        try:
            text = _read(each)
        except RecordUnreadable as error:
            text = json.dumps({"table": each.table_id, "error": str(error)})
        yield text + "\n"


def _read(stored: MatchRecord) -> str:
    try:
        with storages["records"].open(stored.file_name) as file:
            content = gzip.decompress(file.read())
        if hashlib.sha256(content).hexdigest() != stored.digest:
            raise OSError("its content is not what was stored")
    except (OSError, EOFError, zlib.error) as error:
        logger.error(
            "the record of table %s, %s, cannot be read: %s", stored.table_id, stored.file_name, error
        )
        raise RecordUnreadable(f"The record of table {stored.table_id} cannot be read.") from error
    return content.decode()
