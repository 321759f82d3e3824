"""Files of open rows, written on as blocks end: a download reads them instead of results and records.

A part has the rows of some blocks that ended one after the other. Almost nothing of them changes any more;
what can, such as that their tournament becomes private, an author's name or that a block is void, is in the
facts of the part. A download compares these first, and reads a part whose facts are others from the database,
until it is written again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.files.storage import storages
from django.db import transaction
from django.db.models import Q

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.storage import compressed_texts
from stichkampf_platform.tournaments.models import Block, MatchRecord, OpenDataPart, Participation, Table
from stichkampf_platform.tournaments.records import open_data
from stichkampf_platform.tournaments.records.open_data import DATA_SETS, RECORD, START, Position
from stichkampf_platform.tournaments.records.record_files import held_back_seats

SETTLED = timedelta(minutes=1)
"""The time after which no transaction lands a block that ended earlier."""
LAST_BLOCK = (1 << 63) - 1
WRITTEN_AT_ONCE = 20
CHECKED_AT_ONCE = 50
"""Parts whose facts are compared in a run, those first that were compared longest ago."""
WORK = "open data"
BETWEEN = "\t"
"""Between the columns of a record and itself; JSON has none."""

Rows = list[dict[str, Any]]

logger = logging.getLogger(__name__)


class _Stretch(NamedTuple):
    """Blocks of a download: of a part whose facts hold, or to be read from the database."""

    part: OpenDataPart | None
    after: Position
    until: Position | None


def texts(what: str, after: datetime | None) -> Iterator[str]:
    """Yield a data set as JSON lines, a portion at a time; of a record only itself, as `verify` reads it.

    :param after: only of blocks that ended later.
    """
    for stretch in _stretches(after):
        if (text := _text(what, stretch.part)) is None:
            for blocks in open_data.block_portions(stretch.after, stretch.until):
                yield _without_columns(_text_of(DATA_SETS[what].rows(blocks)))
        else:
            yield _without_columns(text)


def rows(what: str, after: datetime | None) -> Iterator[Rows]:
    """Yield the rows of a data set, a portion at a time."""
    for stretch in _stretches(after):
        if (text := _text(what, stretch.part)) is None:
            yield from map(DATA_SETS[what].rows, open_data.block_portions(stretch.after, stretch.until))
        else:
            yield [_row(line) for line in text.split("\n") if line]


def write_on() -> None:
    """Write parts of the blocks that have ended since the last one; write those again whose facts changed."""
    oldest = OpenDataPart.objects.order_by("checked_at", "pk")
    each_by_itself(WORK, oldest[:CHECKED_AT_ONCE], _check)
    with transaction.atomic():
        last = OpenDataPart.objects.select_for_update().order_by("last_time", "last_block").last()
        begin = START if last is None else _end(last)
    before = clock.now() - SETTLED
    for written, blocks in enumerate(open_data.block_portions(begin)):
        enough = len(blocks) == open_data.BLOCKS_AT_ONCE and written < WRITTEN_AT_ONCE
        if not enough or blocks[-1].over_at > before or _held_back(blocks):
            return
        _write(begin, open_data.position_of(blocks[-1]), blocks)
        begin = open_data.position_of(blocks[-1])


def _stretches(after: datetime | None) -> Iterator[_Stretch]:
    begin = START if after is None else max(START, Position(after, LAST_BLOCK))
    behind = OpenDataPart.objects.order_by("last_time", "last_block")
    while part := behind.filter(
        Q(last_time__gt=begin.time) | Q(last_time=begin.time, last_block__gt=begin.block)
    ).first():
        if begin < _begin(part):
            yield _Stretch(None, begin, _begin(part))
            begin = _begin(part)
        holds = begin == _begin(part) and _facts(begin, _end(part)) == part.facts
        yield _Stretch(part if holds else None, begin, _end(part))
        begin = _end(part)
    yield _Stretch(None, begin, None)


def _begin(part: OpenDataPart) -> Position:
    return Position(part.after_time, part.after_block)


def _end(part: OpenDataPart) -> Position:
    return Position(part.last_time, part.last_block)


def _facts(after: Position, until: Position) -> str:
    """Return a digest of all that rows of these blocks depend on and that can change once they are over."""
    blocks = list(
        open_data.open_blocks(after, until).values_list(
            *("pk", "over_at", "tournament__slug", "tournament__rated", "tournament__released")
        )
    )
    keys = [pk for pk, *_ in blocks]
    tables = Table.objects.filter(block__in=keys).order_by("pk").values_list("pk", "state")
    version = "entrant__version"
    names = Participation.objects.filter(block__in=keys).order_by("entrant").distinct()
    named = names.values_list("entrant", f"{version}__bot__slug", f"{version}__bot__owner__username")
    gone = MatchRecord.objects.filter(table__block__in=keys, deleted_at__isnull=False)
    deleted = gone.order_by("table").values_list("table", flat=True)
    facts = repr((blocks, list(tables), list(named), list(deleted)))
    return hashlib.sha256(facts.encode()).hexdigest()


def _held_back(blocks: Sequence[Block]) -> bool:
    return bool(held_back_seats([table.pk for block in blocks for table in block.tables.all()]))


def _check(part: OpenDataPart) -> bool:
    """Note that the facts of a part are compared; where they are others now, write its blocks again."""
    OpenDataPart.objects.filter(pk=part.pk).update(checked_at=clock.now())
    if _facts(_begin(part), _end(part)) == part.facts:
        return False
    with transaction.atomic():
        OpenDataPart.objects.filter(pk=part.pk).delete()
        for name in (part.results_file, part.records_file):
            storages["records"].delete(name)
        begin = _begin(part)
        for blocks in open_data.block_portions(begin, _end(part)):
            if _held_back(blocks):  # of a tournament that everybody sees only now
                break
            full = len(blocks) == open_data.BLOCKS_AT_ONCE
            end = open_data.position_of(blocks[-1]) if full else _end(part)
            _write(begin, end, blocks)
            begin = end
    return True


def _write(after: Position, until: Position, blocks: Sequence[Block]) -> None:
    facts = _facts(after, until)  # before the rows: of a change between the two, the facts are the old ones
    texts = [_text_of(DATA_SETS[what].rows(blocks)) for what in ("results", "records")]
    packed = [compressed_texts.pack(text) for text in texts]
    name = f"open-data/{until.block}-{secrets.token_hex(8)}"
    with transaction.atomic():
        results, records = storages["records"].save_many(  # type: ignore[attr-defined]
            [(f"{name}-{what}.gz", content) for what, (content, *_) in zip(DATA_SETS, packed, strict=True)]
        )
        OpenDataPart.objects.create(
            after_time=after.time,
            after_block=after.block,
            last_time=until.time,
            last_block=until.block,
            blocks=len(blocks),
            facts=facts,
            checked_at=clock.now(),
            results_file=results,
            results_digest=packed[0][1],
            records_file=records,
            records_digest=packed[1][1],
        )


def _text(what: str, part: OpenDataPart | None) -> str | None:
    """Return the rows of a part as they are stored; None where its file cannot be read now."""
    if part is None:
        return None
    name, digest = getattr(part, f"{what}_file"), getattr(part, f"{what}_digest")
    try:
        return compressed_texts.read(storages["records"], name, digest)
    except OSError as error:
        logger.error("the open data in %s cannot be read: %s", name, error)
        return None


def _text_of(rows: Rows) -> str:
    """Write rows as lines of JSON, a record as it is behind its columns."""
    return "".join(f"{_row_text(**row)}\n" for row in rows)


def _row_text(record: str | None = None, **columns: Any) -> str:
    text = json.dumps(columns)
    return text if record is None else f"{text}{BETWEEN}{record}"


def _row(line: str) -> dict[str, Any]:
    columns, _, record = line.partition(BETWEEN)
    return {**json.loads(columns), RECORD: record} if record else json.loads(columns)


def _without_columns(text: str) -> str:
    if BETWEEN not in text:
        return text
    return "\n".join(line.partition(BETWEEN)[2] for line in text.split("\n"))
