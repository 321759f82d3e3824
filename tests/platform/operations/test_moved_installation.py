"""An installation with SQLite moves into another database and store, with all that it holds."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from stichkampf_platform.core import clock
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.settings.object_store import store_settings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from storages.backends.s3 import S3Storage
from support import wait_until

MOVE = "move_installation"


class Server:
    """A new installation, in which commands are given."""

    def __init__(self, address, folder):
        self.store = folder / "new store"
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": address,
            "STICHKAMPF_STATE_DIR": str(folder),
            "STICHKAMPF_STORE": str(self.store),
            "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.base",
        }

    def says(self, *words):
        command = [sys.executable, "-m", "stichkampf_platform", *map(str, words)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


@pytest.fixture
def old(make_tournament, play_out, land, tmp_path):
    """Write the database of an installation with a ladder and a running tournament; its store has files."""
    publish(ladder=play_out(make_tournament(blocks=3)).ladder)
    running = make_tournament(name="Goes on", blocks=3)
    lifecycle.start(tournament=running)
    (table, *_) = leases.take(block_id=running.blocks.first().pk, owner="w1", seconds=600)
    land(table)
    store = tmp_path / "store"
    (store / "records" / "0").mkdir(parents=True)
    (store / "records" / "0" / "one.gz").write_bytes(b"one record")
    (store / "archive.zip").write_bytes(b"an archive")

    def written(name):
        (tmp_path / name).write_bytes(connection.connection.serialize())
        return f"sqlite:///{tmp_path / name}", store

    return written


def test_a_moved_installation_has_every_row_and_file_and_goes_on_where_it_was_broken_off(old, tmp_path):
    server = Server(f"sqlite:///{tmp_path / 'new.sqlite3'}", tmp_path)
    assert "under way there. Run its `drain`" in server.says(MOVE, *old("busy.sqlite3"))
    Table.objects.update(lease_until=clock.now() - timedelta(minutes=1))
    place = old("old.sqlite3")
    (server.store / "records" / "0").mkdir(parents=True)
    (server.store / "records" / "0" / "one.gz").write_bytes(b"one re")  # a move that was broken off
    told = server.says(MOVE, *place)
    assert "rows are here, as many as there, and 2 files were copied.\n1 ladders have the ratings" in told
    assert "Left out: sessions" in told
    assert (server.store / "records" / "0" / "one.gz").read_bytes() == b"one record"
    assert "and 0 files were copied" in server.says(MOVE, *place), "all is there"
    assert "snapshots are equal to the ratings that their results give" in server.says("verify_ratings")
    Table.objects.first().delete()
    assert "name a new, empty database in DATABASE_URL" in server.says(MOVE, *old("another.sqlite3"))


def test_a_move_into_a_bucket_that_was_killed_is_taken_up_again(old, bucket, tmp_path):
    Table.objects.update(lease_until=clock.now() - timedelta(minutes=1))
    place = old("old.sqlite3")
    files = {f"records/1/{number}.gz": f"record {number}".encode() for number in range(60)}
    for name, content in files.items():
        (tmp_path / "store" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "store" / name).write_bytes(content)
    server = Server(f"sqlite:///{tmp_path / 'new.sqlite3'}", tmp_path)
    server.environment |= bucket | {name: os.environ[name] for name in os.environ if name.startswith("AWS_")}
    there = S3Storage(**store_settings(bucket, tmp_path)["OPTIONS"])
    command = [sys.executable, "-m", "stichkampf_platform", MOVE, *map(str, place)]
    with subprocess.Popen(command, env=server.environment) as broken_off:
        wait_until(lambda: any(there.exists(name) for name in files), goal="the first file is there")
        broken_off.kill()
    assert "rows are here, as many as there" in server.says(MOVE, *place)
    for name, content in files.items():
        with there.open(name) as file:
            assert file.read() == content
    assert "and 0 files were copied" in server.says(MOVE, *place), "all is there"
    assert "snapshots are equal to the ratings that their results give" in server.says("verify_ratings")


@pytest.mark.parametrize(
    ("url", "store", "told"),
    [
        ("sqlite:////nowhere/a.sqlite3", "/tmp", "There is no file /nowhere/a.sqlite3"),
        ("sqlite:////nowhere/a.sqlite3", "/nowhere", "There is no folder /nowhere"),
        ("postgres://nobody@localhost/x", "/tmp", "is of another kind than DATABASE_URL"),
    ],
)
def test_what_is_no_such_installation_is_refused(url, store, told, tmp_path):
    assert told in Server(f"sqlite:///{tmp_path / 'new.sqlite3'}", tmp_path).says(MOVE, url, store)
