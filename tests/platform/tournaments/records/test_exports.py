"""Exports of large tournaments: they need no more memory than those of small ones."""

import gc
import tracemalloc
from datetime import timedelta

import pytest
from django.db.models import F
from stichkampf_platform.tournaments.models import Block, MatchRecord, OpenDataPart, Result, Seat, Table
from stichkampf_platform.tournaments.records import exports, open_data, open_parts, record_files

pytestmark = [pytest.mark.slow, pytest.mark.queries]


@pytest.fixture
def grow():
    """Add copies of a tournament's first block, with tables, seats, results and records."""

    def copy(row, **changed):
        row.pk = None
        for name, value in changed.items():
            setattr(row, name, value)
        row.save(force_insert=True)
        return row

    def grown(tournament, number):
        first = tournament.blocks.get(number=0)
        for to_come in range(tournament.blocks.count(), number):
            block = copy(Block.objects.get(pk=first.pk), number=to_come)
            for table in first.tables.order_by("lane"):
                own = copy(Table.objects.get(pk=table.pk), block=block)
                copy(MatchRecord.objects.get(table=table), table=own)
                for seat in Seat.objects.filter(table=table):
                    copy(Result.objects.get(seat=seat), seat=copy(Seat.objects.get(pk=seat.pk), table=own))
        return tournament

    return grown


def peak_bytes(parts):
    """Return the size of all parts, and the most memory that was held meanwhile, without garbage."""
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        size = most = 0
        for part in parts:
            size += len(part)
            gc.collect()
            most = max(most, tracemalloc.get_traced_memory()[0])
        return size, most
    finally:
        tracemalloc.stop()
        gc.unfreeze()


def test_the_file_of_a_large_tournament_takes_the_memory_of_a_small_one(
    make_tournament, play_out, grow, monkeypatch
):
    for module in (exports, record_files, open_data):
        monkeypatch.setattr(module, "BLOCKS_AT_ONCE", 5)
    tournament = play_out(make_tournament(blocks=1))
    Block.objects.update(over_at=F("over_at") - timedelta(hours=1))
    exported = {
        **{name: row.lines for name, row in exports.EXPORTS.items() if name != "standings.csv"},
        "open data": lambda _: open_parts.texts("records", None),
        "open data as rows": lambda _: (str(rows) for rows in open_parts.rows("results", None)),
    }
    sizes = {}
    for blocks in (15, 60):
        grow(tournament, blocks)
        for name, lines in exported.items():
            sizes[name, blocks] = peak_bytes(lines(tournament))
    open_parts.write_on()
    assert OpenDataPart.objects.count() == 12
    sizes["open data", "in files"] = peak_bytes(open_parts.texts("records", None))
    assert sizes["open data", "in files"][0] == sizes["open data", 60][0]
    for (name, blocks), (size, peak) in sizes.items():
        least, before = sizes[name, 15]
        assert blocks == 15 or size > 3.5 * least, name
        assert peak < 1.2 * before + 100_000, f"{name}: {before:,} bytes, then {peak:,}"
