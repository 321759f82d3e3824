"""Archives and records leave the database for a store, and whatever happens to it none is lost."""

import socket
from contextlib import closing
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArchiveAway, StoreAway
from stichkampf_platform.settings.object_store import store_settings
from stichkampf_platform.storage import copying
from stichkampf_platform.storage.models import StoredFile, StoreLabel
from stichkampf_platform.storage.store_label import WrongStore, check_label
from stichkampf_platform.tournaments.models import MatchRecord, Result
from stichkampf_platform.tournaments.records import record_files

pytestmark = [pytest.mark.database, pytest.mark.django_db]

NOW = timedelta(0)


@pytest.fixture(autouse=True)
def _no_pause():
    cache.delete(copying.TROUBLE)
    yield
    cache.delete(copying.TROUBLE)


def unused_address():
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def away(use_store):
    use_store({"STICHKAMPF_STORE": "s3://away", "STICHKAMPF_STORE_ENDPOINT": unused_address()})


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_records_are_the_same_to_the_byte_outside_the_database(make_tournament, play_out, client):
    tournament = play_out(make_tournament(blocks=2))
    export = client.get("/api/v1/tournaments/a-test/records/").getvalue()
    assert copying.copy_files(kept=timedelta(hours=1)) == StoredFile.objects.count() > 0
    assert client.get("/api/v1/tournaments/a-test/records/").getvalue() == export
    copying.copy_files(kept=NOW)
    assert not StoredFile.objects.exists()
    assert client.get("/api/v1/tournaments/a-test/records/").getvalue() == export
    first = MatchRecord.objects.filter(table__block__tournament=tournament).earliest("pk")
    assert record_files.record_text(first.table_id) + "\n" == export.decode().splitlines(keepends=True)[0]
    assert client.get(f"/r/{first.table_id}/").status_code == 200


@pytest.mark.usefixtures("store")
def test_a_deleted_file_leaves_the_store_as_well():
    name = storages["archives"].save("archives/1-abc", ContentFile(b"a program"))
    copying.copy_files(kept=NOW)
    storages["archives"].delete(name)
    assert not storages["archives"].exists(name)
    with pytest.raises(FileNotFoundError, match="is deleted"):
        storages["archives"].open(name)
    copying.copy_files()
    assert not storages["store"].exists(name)
    assert not StoredFile.objects.exists()
    with pytest.raises(FileNotFoundError, match="the store has no file 'archives/1-abc'"):
        storages["archives"].open(name)


@pytest.mark.slow
@pytest.mark.usefixtures("store")
def test_a_store_that_takes_all_the_time_to_answer_gets_a_batch():
    for number in range(2 * copying.AT_ONCE):
        storages["archives"].save(f"archives/{number}-abc", ContentFile(b"a program"))
    assert copying.copy_files(seconds=0) == copying.AT_ONCE
    assert copying.copy_files() == copying.AT_ONCE


@pytest.mark.slow
def test_while_the_store_is_away_results_land_and_everything_follows_later(
    use_store, make_tournament, play_out, client, bucket
):
    away(use_store)
    play_out(make_tournament(blocks=1))
    assert copying.copy_files() == 0
    assert cache.get(copying.TROUBLE).startswith("the store does not give or take")
    results, waiting = Result.objects.count(), StoredFile.objects.count()
    assert (results, waiting) == (9, 3)
    export = client.get("/api/v1/tournaments/a-test/records/").getvalue()  # from the database
    use_store(bucket)
    cache.delete(copying.TROUBLE)
    assert copying.copy_files(kept=NOW) == waiting
    assert (Result.objects.count(), StoredFile.objects.count()) == (results, 0)
    assert client.get("/api/v1/tournaments/a-test/records/").getvalue() == export
    away(use_store)
    record = MatchRecord.objects.earliest("pk")
    answer = client.get(f"/r/{record.table_id}/record.json")
    assert (answer.status_code, answer.json()) == (
        503, {"error": f"The record of table {record.table_id} cannot be read."},
    )  # fmt: skip


@pytest.mark.usefixtures("store")
def test_what_the_store_lost_is_copied_again_while_the_database_has_it(caplog):
    name = storages["records"].save("records/0/table-1-0.json.gz", ContentFile(b"a record"))
    copying.copy_files(kept=timedelta(hours=1))
    storages["store"].delete(name)
    copying.copy_files(kept=NOW)
    assert f"the store has lost {name}" in caplog.text
    copying.copy_files(kept=NOW)
    assert not StoredFile.objects.exists()
    assert storages["records"].open(name).read() == b"a record"


@pytest.mark.usefixtures("store")
def test_a_file_that_is_deleted_while_it_is_copied_does_not_come_back(monkeypatch):
    name = storages["archives"].save("archives/1-abc", ContentFile(b"a program"))
    put = copying._put

    def put_late(file):
        if not file.deleted:
            StoredFile.objects.filter(name=name).delete()  # as another worker does, which was quicker
        put(file)

    monkeypatch.setattr(copying, "_put", put_late)
    files = copying._waiting()
    copying._settle(files, map)  # in this thread, as SQLite lets no second one write
    assert not storages["store"].exists(name)


def test_two_installations_are_not_given_one_store(use_store):
    use_store({})
    copying.copy_files()
    check_label()
    StoreLabel.objects.update(text="another")
    storages["records"].save("records/0/table-1-0.json.gz", ContentFile(b"a record"))
    assert copying.copy_files() == 0
    with pytest.raises(WrongStore, match="belongs to another installation"):
        check_label()
    assert StoredFile.objects.filter(copied_at=None).count() == 1


def test_a_block_waits_for_an_archive_that_the_store_does_not_give(use_store, submitted, person):
    away(use_store)
    version = submitted(person())
    version.archive = "archives/1-abc"

    class LacksAll:
        def HasBots(self, request, **_):
            return type("Answer", (), {"missing_sha256s": request.archive_sha256s})

    arbiter = ArbiterClient("unix:/nowhere")
    arbiter._stub = LacksAll()
    with pytest.raises(ArchiveAway, match="cannot be read: the store does not give"):
        arbiter.upload_missing([version])
    arbiter.close()
    with pytest.raises(StoreAway):
        version.archive.open("rb").read()


@pytest.mark.parametrize(
    ("environ", "complaint"),
    [
        (
            {"STICHKAMPF_STORE": "files"},
            "STICHKAMPF_STORE is 'files'; it must be s3://bucket/folder, or a path",
        ),
        ({"STICHKAMPF_STORE": "s3://"}, "STICHKAMPF_STORE is 's3://'; it must be"),
        (
            {"STICHKAMPF_STORE": "s3://cards", "STICHKAMPF_STORE_ENDPOINT": "s3.example"},
            "STICHKAMPF_STORE_ENDPOINT is 's3.example'; it must be an address such as https://s3.example",
        ),
        ({"STICHKAMPF_STORE_ENDPOINT": "https://s3.example"}, "STICHKAMPF_STORE names no bucket"),
    ],
)
def test_a_store_that_is_named_wrongly_stops_the_start(environ, complaint, tmp_path):
    with pytest.raises(ImproperlyConfigured, match=complaint):
        store_settings(environ, tmp_path)
