"""The export of all open results and records, and what it leaves out."""

import io
import json
import sys
from datetime import timedelta

import pytest
from django.db.models import F
from pyarrow import parquet
from stichkampf.match.verify import verify
from stichkampf_platform.core import clock
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.tournaments.models import Block, MatchRecord, OpenDataPart, Result, Table
from stichkampf_platform.tournaments.records import open_data, open_parts

pytestmark = [pytest.mark.slow, pytest.mark.queries]

DATA = "/api/v1/data/"


def fetched(client, address):
    answer = client.get(DATA + address)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def lines_of(client, address):
    return [json.loads(line) for line in fetched(client, address).splitlines()]


@pytest.fixture
def cups(make_tournament, play_out, monkeypatch):
    """An open tournament, a private one, an unpublished one and one that is running; small portions."""
    monkeypatch.setattr(open_data, "BLOCKS_AT_ONCE", 2)
    play_out(make_tournament(name="Private", blocks=1, private=True))
    hidden = play_out(make_tournament(name="Hidden", blocks=1))
    hidden.published = False
    hidden.save()
    shown = play_out(make_tournament(name="Shown", blocks=5))
    running = play_out(make_tournament(name="Running", blocks=2))
    Block.objects.filter(tournament=running, number=1).update(over_at=None)
    return shown, running


def test_both_forms_hold_every_open_result_once_and_no_other(client, cups):
    shown, running = cups
    rows = lines_of(client, "results.jsonl")
    open_now = Result.objects.filter(seat__table__block__tournament__in=cups).exclude(
        seat__table__block__over_at=None
    )
    assert sorted((row["table"], row["seat"]) for row in rows) == sorted(
        open_now.values_list("seat__table", "seat__number")
    )
    assert {row["tournament"] for row in rows} == {shown.slug, running.slug}
    assert rows == sorted(rows, key=lambda row: (row["over_at"], row["block"], row["lane"], row["seat"]))
    table = parquet.read_table(io.BytesIO(fetched(client, "results.parquet")))
    assert table.column_names == [column.name for column in open_data.RESULT_COLUMNS]
    assert table.to_pylist() == rows
    assert set(rows[0]) == set(table.column_names)


def test_records_verify_and_a_missing_one_is_named(client, cups):
    records = lines_of(client, "records.jsonl")
    assert len(records) == (5 + 1) * 3
    for record in records:
        verify(record)
    lost = MatchRecord.objects.filter(table__block__tournament=cups[0]).first()
    MatchRecord.objects.filter(pk=lost.pk).update(file_name="records/lost.json.gz")
    table = parquet.read_table(io.BytesIO(fetched(client, "records.parquet"))).to_pylist()
    assert len(table) == len(records)
    assert [row["table"] for row in table if "error" in json.loads(row["record"])] == [lost.table_id]


def test_a_copy_is_kept_up_to_date_by_a_time(client, cups):
    rows = lines_of(client, "results.jsonl")
    times = sorted({row["over_at"] for row in rows})
    later = lines_of(client, f"results.jsonl?after={times[2].replace('+', '%2B')}")
    assert later == [row for row in rows if row["over_at"] > times[2]]
    assert lines_of(client, "results.jsonl?after=2100-01-01T00:00:00Z") == []
    for wrong in ("yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00%2B14:00", "%00"):
        answer = client.get(f"{DATA}results.jsonl?after={wrong}")
        assert answer.status_code == 400, wrong
        assert "after must be a time such as" in answer.json()["detail"]
    assert client.get(f"{DATA}bots.jsonl").status_code == 404


@pytest.fixture
def written(cups):
    """The same tournaments, and their blocks in files, but for the last one."""
    Block.objects.exclude(over_at=None).update(over_at=F("over_at") - timedelta(hours=1))
    open_parts.write_on()
    assert OpenDataPart.objects.count() == 3
    return cups


DATA_FILES = ("results.jsonl", "records.jsonl", "results.parquet", "records.parquet")


def of_data(client, query=""):
    """The whole open data, Parquet as its rows."""
    found = [fetched(client, address + query) for address in DATA_FILES]
    return [*found[:2], *(parquet.read_table(io.BytesIO(content)).to_pylist() for content in found[2:])]


def without_files(client, monkeypatch, query=""):
    with monkeypatch.context() as patch:
        patch.setattr(open_parts, "_text", lambda what, part: None)
        return of_data(client, query)


def test_blocks_that_have_ended_are_in_files_which_say_the_same(client, cups, monkeypatch):
    Block.objects.exclude(over_at=None).update(over_at=F("over_at") - timedelta(hours=1))
    before = of_data(client)
    open_parts.write_on()
    assert [part.blocks for part in OpenDataPart.objects.all()] == [2, 2, 2]
    with monkeypatch.context() as patch:
        patch.setattr(open_data, "open_texts", None)  # no record is read, and no result
        patch.setattr(open_data, "shown_results", None)
        assert of_data(client) == before
    third = json.loads(before[0].splitlines()[30])["over_at"]
    query = f"?after={third.replace('+', '%2B')}"
    assert of_data(client, query) == without_files(client, monkeypatch, query)
    open_parts.write_on()
    assert OpenDataPart.objects.count() == 3


def test_a_file_whose_blocks_changed_is_not_read_and_written_again(client, written, monkeypatch):
    shown, _ = written
    author = shown.entrants.first().version.bot.owner

    def rename():
        author.username = "gone-ann"
        author.save()

    for change in (
        rename,
        lambda: Table.objects.filter(block__tournament=shown, block__number=1, lane=0).update(state="void"),
        lambda: shown.blocks.filter(number=3).update(over_at=None),
        lambda: MatchRecord.objects.filter(table__block__tournament=shown).update(deleted_at=clock.now()),
        lambda: type(shown).objects.filter(pk=shown.pk).update(private=True),
    ):
        old = of_data(client)
        change()
        now = of_data(client)
        assert now != old
        assert now == without_files(client, monkeypatch)
        open_parts.write_on()
        assert of_data(client) == now
    assert shown.slug.encode() not in now[0]
    files = {name for part in OpenDataPart.objects.all() for name in (part.results_file, part.records_file)}
    kept = StoredFile.objects.filter(name__startswith="open-data/", deleted=False)
    assert set(kept.values_list("name", flat=True)) == files


def test_blocks_that_are_held_back_or_have_just_ended_are_in_no_file(client, cups):
    open_parts.write_on()
    assert not OpenDataPart.objects.exists()
    _, running = cups
    Block.objects.exclude(over_at=None).update(over_at=F("over_at") - timedelta(hours=1))
    begun = Table.objects.filter(block__tournament=running, block__over_at=None)
    begun.update(state="open", started_at=clock.now() - timedelta(hours=2))
    open_parts.write_on()
    assert not OpenDataPart.objects.exists()


def test_a_file_that_is_lost_is_no_loss(client, written):
    before = of_data(client)
    StoredFile.objects.filter(name__startswith="open-data/").delete()
    assert of_data(client) == before


def test_the_data_sheet_names_every_column_and_file(client, db):
    page = client.get("/docs/data/").content.decode()
    for column in (*open_data.RESULT_COLUMNS, *open_data.RECORD_COLUMNS):
        assert f"<code>{column.name}</code>" in page
    assert f'href="{DATA}records.parquet"' in page


def test_a_server_without_pyarrow_offers_lines_alone(client, db, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    page = client.get("/docs/data/").content.decode()
    assert ("records.jsonl" in page, "records.parquet" in page) == (True, False)
    answer = client.get(f"{DATA}results.parquet")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "This server writes no Parquet; results.jsonl has the same rows."
