"""A backup restored elsewhere: the same ladder to the last bit, and no deal that may have been open again."""

import json
import os
import tarfile

import pytest
from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from documents import typed_lines
from stichkampf_platform.operations.backups import restore as restoring
from stichkampf_platform.operations.backups.backup import make_backup
from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.restore import deal_again, restore
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.services import publish
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from terminal import Terminal

pytestmark = [pytest.mark.database, pytest.mark.machine]

STATE = """
import json
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Block, Tournament
ratings = list(Rating.objects.order_by("pk").values_list("version", "elo", "plus_minus", "rank"))
running = Tournament.objects.get(slug="goes-on")
seeds = [bytes(seed).hex() for seed in running.blocks.filter(over_at=None).values_list("seed", flat=True)]
void = running.blocks.exclude(replaced_by=None).count()
print(json.dumps([[[v, e.hex(), p and p.hex(), r] for v, e, p, r in ratings], seeds, void, running.state]))
"""


@pytest.fixture
def begun(make_tournament, play_out, land):
    """A ladder with ratings, and a tournament with one block over, one under way and one to come."""
    over = play_out(make_tournament(blocks=3))
    publish(ladder=over.ladder)
    tournament = make_tournament(name="Goes on", slug="goes-on", blocks=3)
    lifecycle.start(tournament=tournament)
    first, second, _ = tournament.blocks.order_by("number")
    for table in leases.take(block_id=first.pk, owner="w1"):
        assert land(table)
    under_way, *_ = leases.take(block_id=second.pk, owner="w1")
    assert land(under_way)
    return tournament


@pytest.fixture
def empty(tmp_path):
    """The address of an empty database of the same kind."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{tmp_path / 'restored.sqlite3'}"
        return
    place, name = connection.settings_dict, f"restored_{os.getpid()}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    host = place["HOST"].replace("/", "%2F")
    yield f"postgres://{place['USER']}:{place['PASSWORD']}@{host}:{place['PORT']}/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")


def terminal(address, folder, backup):
    """Open a terminal with this database, and with this file for the backup of the document."""
    return Terminal(
        folder,
        stands_for={"/var/backups/stichkampf-2026-11-22.tar": str(backup)},
        DATABASE_URL=address,
        STICHKAMPF_STATE_DIR=str(folder),
        DJANGO_SETTINGS_MODULE="stichkampf_platform.settings.base",
    )


@pytest.mark.django_db(transaction=True)
def test_a_restored_installation_has_the_same_ladder_and_other_cards(begun, empty, tmp_path):
    file = tmp_path / "backup.tar"
    call_command("backup", str(file))
    assert file.stat().st_mode & 0o077 == 0
    server = terminal(empty, tmp_path, file)
    (line,) = typed_lines("docs/operators.md", "python -m stichkampf_platform restore")
    assert "2 blocks that were unfinished are void and dealt from new seeds" in server.type(line)
    assert "is not empty" in server.type(f"{line} 2>&1", statuses=[1])
    told = server.type(f"python -m stichkampf_platform shell --verbosity 0 --command '{STATE}'")
    ratings, seeds, void, state = json.loads(told.splitlines()[-1])
    rows = Rating.objects.order_by("pk").values_list("version", "elo", "plus_minus", "rank")
    assert ratings == [[v, e.hex(), p and p.hex(), r] for v, e, p, r in rows]
    assert ratings
    known = {bytes(seed).hex() for seed in Block.objects.values_list("seed", flat=True)}
    assert (len(seeds), void, state) == (2, 2, "running")
    assert known.isdisjoint(seeds)


@pytest.mark.django_db(transaction=True)
def test_a_backup_says_that_the_secret_key_is_not_in_it_and_it_is_not(tmp_path, settings, capsys):
    settings.SECRET_KEY = "a key that stands nowhere else 8c1f0b52"
    file = tmp_path / "backup.tar"
    call_command("backup", str(file))
    assert "SECRET_KEY is not in it" in capsys.readouterr().out
    with tarfile.open(file) as archive:
        parts = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    assert len(parts) >= 2
    assert [name for name, content in parts.items() if b"8c1f0b52" in content] == []


@pytest.mark.django_db
def test_unfinished_blocks_are_void_and_the_tournament_ends_all_the_same(begun, play_out, land):
    seeds = set(map(bytes, Block.objects.values_list("seed", flat=True)))
    assert deal_again() == 2
    fresh = begun.blocks.filter(over_at=None)
    assert len(fresh) == 2
    assert seeds.isdisjoint(bytes(block.seed) for block in fresh)
    assert not Table.objects.filter(block__replaced_by__isnull=False, state=Table.State.PENDING).exists()
    for block in fresh:
        for table in leases.take(block_id=block.pk, owner="w2"):
            assert land(table, owner="w2")
    assert due_steps.advance_tournaments() == 1
    assert Tournament.objects.get(pk=begun.pk).state == Tournament.State.FINISHED


@pytest.mark.django_db
def test_experiments_which_count_nowhere_keep_their_cards(begun):
    Tournament.objects.filter(pk=begun.pk).update(experiment=True)
    seeds = set(begun.blocks.values_list("pk", "seed"))
    assert deal_again() == 0
    assert set(begun.blocks.values_list("pk", "seed")) == seeds


@pytest.mark.django_db
def test_files_outside_the_database_are_in_a_backup(settings, tmp_path, monkeypatch):
    folder = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {}}
    monkeypatch.setattr("stichkampf_platform.operations.backups.databases.dump", lambda path: path.touch())
    monkeypatch.setattr("stichkampf_platform.operations.backups.databases.load", lambda path: None)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    settings.STORAGES = {
        **django_settings.STORAGES, "store": {**folder, "OPTIONS": {"location": tmp_path / "old"}}
    }  # fmt: skip
    storages["store"].save("records/table-1-0.json.gz", ContentFile(b"a record"))
    make_backup(tmp_path / "backup.tar")
    settings.STORAGES = {
        **django_settings.STORAGES, "store": {**folder, "OPTIONS": {"location": tmp_path / "new"}}
    }  # fmt: skip
    assert restore(tmp_path / "backup.tar").files == 1
    assert (tmp_path / "new/records/table-1-0.json.gz").read_bytes() == b"a record"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": 2}, "is no backup of format 1"),
        ({"database": "oracle"}, "is of oracle, and DATABASE_URL names"),
        ({"migrations": ["bots.9999_later"]}, "whose migration bots.9999_later this program does not know"),
    ],
)
def test_a_backup_that_does_not_fit_is_refused(tmp_path, monkeypatch, change, complaint):
    told = {"format": 1, "made_at": "", "version": "9", "database": connection.vendor, "migrations": []}
    (tmp_path / "manifest.json").write_text(json.dumps({**told, **change}))
    with tarfile.open(tmp_path / "backup.tar", "w") as archive:
        archive.add(tmp_path / "manifest.json", "manifest.json")
    monkeypatch.setattr(restoring.databases, "load", pytest.fail)
    with pytest.raises(BackupFailed, match=complaint):
        restore(tmp_path / "backup.tar")


@pytest.mark.django_db
def test_what_is_no_backup_is_refused_and_nothing_is_overwritten(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(BackupFailed, match=r"notes\.txt is no backup that can be read"):
        restore(tmp_path / "notes.txt")
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", str(tmp_path / "notes.txt"))
