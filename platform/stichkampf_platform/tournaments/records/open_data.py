"""All open results and records of the site, as JSON lines and Parquet: what everybody may see, and no more.

Blocks come in the order in which they ended. A portion of them is read at a time, with queries of its own, so
that neither a long answer nor a slow reader keeps more than that in memory, or a query open. What is written
of them in files (`open_parts`) is not read again.
"""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy

from stichkampf_platform.tournaments.models import Block, Result
from stichkampf_platform.tournaments.queries import begun_meanwhile, shown_blocks, shown_results
from stichkampf_platform.tournaments.records.record_files import open_texts
from stichkampf_platform.tournaments.shown import shown_to

BLOCKS_AT_ONCE = 50


class DataColumn(NamedTuple):
    """A column: its name, its type by pyarrow's name, and its meaning."""

    name: str
    type: str
    meaning: Any


TABLE_COLUMNS = (
    DataColumn("table", "int64", gettext_lazy("the match, as in the address of its replay, /r/17/")),
    DataColumn("block", "int64", gettext_lazy("the block: the same deals at all its tables")),
    DataColumn("over_at", "string", gettext_lazy("when the block ended, in UTC; rows come in this order")),
    DataColumn("tournament", "string", gettext_lazy("the tournament or ladder that it was played in")),
    DataColumn("game", "string", gettext_lazy("the game")),
)
RESULT_COLUMNS = (
    *TABLE_COLUMNS,
    DataColumn("lane", "int16", gettext_lazy("the number of the seating in its block, from 0")),
    DataColumn("rated", "bool", gettext_lazy("whether it counts for a ladder")),
    DataColumn("seats", "int16", gettext_lazy("the number of seats")),
    DataColumn("options", "string", gettext_lazy("the options of the game, as JSON")),
    DataColumn("seed", "string", gettext_lazy("the deal seed of the block, in hexadecimal")),
    DataColumn("seat", "int16", gettext_lazy("the seat, from 0; the same seat of a block is the same hand")),
    DataColumn("bot", "string", gettext_lazy("the bot, with its author")),
    DataColumn("version", "int32", gettext_lazy("its version")),
    DataColumn("score", "int32", gettext_lazy("its score in the match")),
    DataColumn("rank", "int16", gettext_lazy("its rank at the table, 1 is the best; equal scores share one")),
    DataColumn("faults", "int32", gettext_lazy("its faults: moves that the platform made for it")),
    DataColumn("forfeited", "bool", gettext_lazy("whether it lost to its substitute, after too many faults")),
    DataColumn("decisions", "int32", gettext_lazy("its decisions")),
    DataColumn("median_ms", "double", gettext_lazy("median thinking time in milliseconds; may be missing")),
)
RECORD = "record"
RECORD_COLUMNS = (*TABLE_COLUMNS, DataColumn(RECORD, "string", gettext_lazy("the match record, as JSON")))


class Position(NamedTuple):
    """A place in the order of blocks: behind one of this time and number."""

    time: datetime
    block: int


START = Position(datetime(1970, 1, 1, tzinfo=UTC), 0)


def position_of(block: Block) -> Position:
    return Position(block.over_at, block.pk)


def open_blocks(after: Position, until: Position | None = None) -> QuerySet[Block]:
    """Return the blocks that everybody may see, in the order in which they ended.

    :param until: the last place; None for the end.
    """
    found = shown_blocks().filter(
        Q(over_at__gt=after.time) | Q(over_at=after.time, pk__gt=after.block),
        shown_to(None, "tournament__"),
        replaced_by=None,
    )
    if until is not None:
        found = found.filter(Q(over_at__lt=until.time) | Q(over_at=until.time, pk__lte=until.block))
    return found.order_by("over_at", "pk")


def block_portions(after: Position, until: Position | None = None) -> Iterator[list[Block]]:
    """Yield portions of these blocks, as the functions of rows take them."""
    while portion := list(
        open_blocks(after, until).select_related("tournament").prefetch_related("tables")[:BLOCKS_AT_ONCE]
    ):
        yield portion
        after = position_of(portion[-1])


def result_rows(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Return the results of these blocks."""
    found = shown_results().filter(seat__table__block__in=blocks)
    results = found.select_related("seat__table__block__tournament", "seat__entrant__version__bot__owner")
    begun = begun_meanwhile()
    return [_result_row(result, begun) for result in sorted(results, key=_order)]


def record_rows(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Return the records of these blocks."""
    tables = {table.pk: block for block in blocks for table in block.tables.all()}
    lines = open_texts(list(tables))
    return [
        {**_table_row(block, pk), RECORD: lines[pk].rstrip("\n")}
        for pk, block in tables.items()
        if pk in lines
    ]


def writes_parquet() -> bool:
    """Tell whether pyarrow is here; an image may leave it out."""
    return importlib.util.find_spec("pyarrow") is not None


def parquet(rows: Iterator[list[dict[str, Any]]], columns: tuple[DataColumn, ...]) -> Iterator[bytes]:
    """Yield the parts of a Parquet file with a group of rows for each portion."""
    # large, and only this needs it
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = pyarrow.schema([(column.name, column.type) for column in columns])
    sent = _SentBytes()
    with ParquetWriter(pyarrow.PythonFile(sent, mode="w"), schema, compression="zstd") as writer:
        for portion in rows:
            writer.write_table(pyarrow.Table.from_pylist(portion, schema=schema))
            yield sent.take()
    yield sent.take()


class OpenDataSet(NamedTuple):
    """One set of rows that can be fetched."""

    columns: tuple[DataColumn, ...]
    rows: Callable[[Sequence[Block]], list[dict[str, Any]]]


DATA_SETS = {
    "results": OpenDataSet(RESULT_COLUMNS, result_rows),
    "records": OpenDataSet(RECORD_COLUMNS, record_rows),
}


class _SentBytes(io.RawIOBase):
    """A file that hands on what was written to it."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._length

    def write(self, content: Any) -> int:
        kept = bytes(content)
        self._waiting.append(kept)
        self._length += len(kept)
        return len(kept)

    def take(self) -> bytes:
        taken = b"".join(self._waiting)
        self._waiting.clear()
        return taken


def _order(result: Result) -> tuple[datetime, int, int, int]:
    table = result.seat.table
    return table.block.over_at, table.block_id, table.lane, result.seat.number


def _table_row(block: Block, table: int) -> dict[str, Any]:
    return {
        "table": table,
        "block": block.pk,
        "over_at": block.over_at.isoformat(),
        "tournament": block.tournament.slug,
        "game": block.tournament.game,
    }


def _result_row(result: Result, begun: Mapping[int, datetime]) -> dict[str, Any]:
    seat, table = result.seat, result.seat.table
    tournament, version = table.block.tournament, seat.entrant.version
    held_back = version.pk in begun and begun[version.pk] < table.finished_at
    return {
        **_table_row(table.block, table.pk),
        "lane": table.lane,
        "rated": tournament.rated and tournament.released,
        "seats": tournament.seats,
        "options": json.dumps(tournament.options, sort_keys=True),
        "seed": bytes(table.block.seed).hex(),
        "seat": seat.number,
        "bot": version.bot.full_name,
        "version": version.number,
        "score": result.score,
        "rank": result.rank,
        "faults": result.faults,
        "forfeited": result.forfeited,
        "decisions": result.decisions,
        "median_ms": None if held_back else result.median_ms,
    }
