"""Every task that the beat sends does its work for all items but the broken one, and says why that fails."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery import current_app
from django.db import connection
from stichkampf.wire.agreed import remote_bots_sha256
from stichkampf.wire.v1 import arbiter_pb2
from stichkampf_platform.bots import services as bots
from stichkampf_platform.bots import tasks as bot_tasks
from stichkampf_platform.bots.models import RemoteAccess, Submission, TrialMatch, Version
from stichkampf_platform.celery_app import app
from stichkampf_platform.classes.enrolment import create_class
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import ClosedAccount, SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.core import clock
from stichkampf_platform.core.models import ItemFailure
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.marks.models import Analysis, StoredContinuations
from stichkampf_platform.people import notice_choices
from stichkampf_platform.people.access.audit import note as audit
from stichkampf_platform.people.models import (
    AuditAction,
    AuditEntry,
    Notice,
    NoticeKind,
    NoticeWay,
    RateCount,
)
from stichkampf_platform.play import matches as people_matches
from stichkampf_platform.play import other_bots
from stichkampf_platform.play.models import PlayedTable, SameHand
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.settings.object_store import store_settings
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.tournaments.models import (
    Block,
    MatchRecord,
    OpenDataPart,
    Table,
    Tournament,
)
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import open_data, open_parts
from support import archive

LONG_AGO = timedelta(days=400)


def break_row(model, pk, action="UPDATE", column=None):
    """Have the database refuse to change one row, as a damaged or unforeseen one does."""
    row, table = ("NEW" if action == "INSERT" else "OLD"), model._meta.db_table
    column = column or model._meta.pk.column
    connection.cursor().execute(
        f"CREATE TRIGGER broken_{table} BEFORE {action} ON {table} WHEN {row}.{column} = {pk}"
        " BEGIN SELECT RAISE(ABORT, 'this row is broken'); END"
    )


@pytest.fixture
def queued(monkeypatch):
    """The tasks that are sent, by their last word and arguments, instead of a queue."""
    sent = []
    monkeypatch.setattr(
        current_app, "send_task", lambda task, ids, **_: sent.append((task.rpartition(".")[2], *ids))
    )
    return sent


@pytest.fixture
def world(
    make_tournament, play_out, person, submitted, house, teacher, settings, monkeypatch, queued, tmp_path
):
    app.loader.import_default_modules()
    return SimpleNamespace(**locals())


def sweep(world):
    bad, good = (world.make_tournament(name=name, blocks=1) for name in ("Bad", "Good"))
    due = world.make_tournament(name="Due", blocks=1)
    for tournament in (bad, good):
        lifecycle.start(tournament=tournament)
    Tournament.objects.filter(pk=bad.pk).update(format="of-a-release-that-is-gone")
    Block.objects.filter(tournament=bad).update(over_at=clock.now())
    Tournament.objects.filter(pk=due.pk).update(starts_at=clock.now())
    yield
    due.refresh_from_db()
    yield due.state == "running" and ("play_block", good.blocks.get().pk) in world.queued


def enqueue_publications(world):
    bad, good = (world.play_out(world.make_tournament(name=name, blocks=1)) for name in ("Bad", "Good"))
    for tournament in (bad, good):
        ratings.publish(ladder=tournament.ladder, tournament=tournament)
    break_row(Tournament, bad.pk)
    yield
    good.refresh_from_db()
    yield good.highlights is not None and ("publish_ladder", good.ladder_id) in world.queued


def watch_remote_bots(world):
    admitted = {}
    digests = ("no digest", "ab" * 32)
    for number, digest in enumerate(digests):
        owner = world.person(f"remote-{number}")
        bot = owner.bots.create(slug="karl", name="karl")
        version = bot.versions.create(number=1, remote=True, games=["sticheln"], state="approved")
        RemoteAccess.objects.create(
            version=version, token_digest=digest, issued_at=clock.now(), issued_by=owner
        )
    arbiter = SimpleNamespace(
        status=lambda seconds: SimpleNamespace(remote_address="", remote_bots_sha256=remote_bots_sha256({})),
        admit=lambda bots, reasons: admitted.update(bots),
        remote_bots=dict,
    )
    world.monkeypatch.setattr(bot_tasks, "gate", lambda: arbiter)
    yield
    yield list(admitted.values()) == [b"\xab" * 32]


def thin_snapshots(world):
    ladder = main_ladders().first()
    made = [
        Snapshot.objects.create(
            ladder=ladder, block_spans=[], blocks=1, tables=1, comparisons=1, digest=""
        ).pk
        for _ in range(3)
    ]
    Snapshot.objects.update(at=clock.now().replace(hour=12) - LONG_AGO)
    break_row(Snapshot, made[0], "DELETE")
    yield
    yield list(Snapshot.objects.order_by("pk").values_list("pk", flat=True)) == [made[0], made[2]]


def tell_ranks(world):
    ladder = main_ladders().first()
    people = [world.person(name) for name in ("ann", "bob")]
    snapshot = Snapshot.objects.create(
        ladder=ladder, block_spans=[], blocks=20, tables=80, comparisons=9, digest=""
    )
    for rank, owner in enumerate(people, start=1):
        notice_choices.choose(person=owner, kind=NoticeKind.RANK, way=NoticeWay.SITE)
        Rating.objects.create(
            snapshot=snapshot, version=world.submitted(owner), elo=1500, blocks=20, comparisons=9, rank=rank,
            provisional=False,
        )  # fmt: skip
    break_row(Notice, people[0].pk, "INSERT", column="person_id")
    yield
    yield list(Notice.objects.values_list("person__username", flat=True)) == ["bob"]


def delete_rejected(world):
    versions = []
    for name in ("ann", "bob"):
        submission = bots.submit_version(
            owner=world.person(name), slug="karl", content=archive(f"pass  # {name}")
        )
        bots.reject(version=submission.version, reason="It does not start.")
        versions.append(submission.version)
    Submission.objects.update(finished_at=clock.now() - LONG_AGO)
    break_row(Version, versions[0].pk)
    yield
    yield [bool(Version.objects.get(pk=version.pk).archive) for version in versions] == [True, False]


def copy_files(world):
    stores = {**world.settings.STORAGES, "store": store_settings({}, world.tmp_path / "store")}
    world.settings.STORAGES = stores
    bad = StoredFile.objects.create(name="../outside.txt", content=b"bad")
    good = StoredFile.objects.create(name="inside.txt", content=b"good")
    yield
    copied = [StoredFile.objects.get(pk=file.pk).copied_at is not None for file in (bad, good)]
    yield copied == [False, True]


def write_open_data(world):
    tournament = world.play_out(world.make_tournament(blocks=2))
    Block.objects.update(over_at=clock.now() - LONG_AGO)
    world.monkeypatch.setattr(open_data, "BLOCKS_AT_ONCE", 1)
    open_parts.write_on()
    bad, good = OpenDataPart.objects.all()
    Tournament.objects.filter(pk=tournament.pk).update(rated=False)
    break_row(OpenDataPart, bad.pk)
    yield
    written = OpenDataPart.objects.order_by("last_block")
    yield [part.facts == old.facts for part, old in zip(written, (bad, good), strict=True)] == [True, False]


def delete_old_records(world):
    world.settings.RECORD_DAYS = 90
    world.play_out(world.make_tournament(blocks=1))
    Table.objects.update(finished_at=clock.now() - LONG_AGO)
    Block.objects.update(over_at=clock.now() - LONG_AGO)
    bad, *_ = MatchRecord.objects.order_by("pk")
    break_row(MatchRecord, bad.pk)
    yield
    yield list(MatchRecord.objects.filter(deleted_at=None)) == [bad]


def forget(world):
    RateCount.objects.create(scope="tokens", who="ann", ends_at=clock.now() - LONG_AGO)
    audit(AuditAction.values[0], person=world.person("ann"))
    AuditEntry.objects.update(at=clock.now() - 3 * LONG_AGO)
    break_row(RateCount, RateCount.objects.get().pk, "DELETE")
    yield
    yield not AuditEntry.objects.exists()


def forget_trials(world):
    submission = bots.submit_version(owner=world.person("ann"), slug="karl", content=archive("pass"))
    trials = [
        TrialMatch.objects.create(submission=submission, game=game, file_name=game, record_bytes=1)
        for game in ("sticheln", "meinz")
    ]
    TrialMatch.objects.update(created_at=clock.now() - LONG_AGO)
    break_row(TrialMatch, trials[0].pk, "DELETE")
    yield
    yield list(TrialMatch.objects.all()) == trials[:1]


def enqueue_marks(world):
    world.play_out(world.make_tournament(blocks=1))
    table = Table.objects.first()
    wanted = {"table": table, "requested_at": clock.now()}
    bad = Analysis.objects.create(**wanted, reason=Analysis.Reason.REQUEST)
    good = StoredContinuations.objects.create(**wanted, decision=1, action="a", bot="thumb")
    break_row(Analysis, bad.pk)
    yield
    yield world.queued[-1:] == [("play_continuations", good.pk)]


def choose_matches(world):
    author = world.submitted(world.person("ann"))
    field = [author, world.house["thumb"], world.house["random"]]
    world.play_out(world.make_tournament(versions=field, blocks=4))
    from stichkampf_platform.tournaments.featured import featured_table

    break_row(Analysis, featured_table().pk, "INSERT", column="table_id")
    yield
    yield Analysis.objects.filter(reason=Analysis.Reason.COSTLY).exists()


def compare_code(world):
    teacher = world.teacher()
    classes = []
    for name in ("Bad", "Good"):
        made = create_class(
            teacher=teacher, name=name, games=["sticheln"], names=[ListedName("Ada")], key=new_key()
        )
        bots.submit_version(owner=made.pupils.get().person, slug="karl", content=archive("pass"))
        classes.append(made)
    break_row(SchoolClass, classes[0].pk)
    yield
    compared = [SchoolClass.objects.get(pk=made.pk).compared_at is not None for made in classes]
    yield compared == [False, True]


def delete_leftovers(world):
    closed = [
        ClosedAccount.objects.create(person=world.person(name), pseudonym=f"gone-{name}")
        for name in ("ann", "bob")
    ]
    break_row(ClosedAccount, closed[0].pk)
    yield
    yield set(ClosedAccount.objects.values_list("person__username", flat=True)) == {"ann", "gone-bob"}


def mark_stale(world):
    versions = []
    for name, games in (("ann", ["a-game-that-is-gone"]), ("bob", ["sticheln"])):
        owner = world.person(name)
        submission = bots.submit_version(owner=owner, slug="karl", content=archive(f"pass  # {name}"))
        Version.objects.filter(pk=submission.version_id).update(
            state="approved", games=games, validated_against={"wire": 0, **dict.fromkeys(games, 0)}
        )
        versions.append(submission.version)
    yield
    yield [Version.objects.get(pk=version.pk).state for version in versions] == ["approved", "stale"]


def sweep_tables(world):
    tables = [
        PlayedTable.objects.create(
            public_id=name, game_name="mue", seats_count=4, seed=bytes(32), arbiter="here"
        )
        for name in ("bad", "good")
    ]
    version = world.submitted(world.person("ann"))
    hands = [
        SameHand.objects.create(table=table, version=version, seat=0, state="playing") for table in tables
    ]
    break_row(PlayedTable, tables[0].pk)
    break_row(SameHand, hands[0].pk)
    ended = {people_matches: arbiter_pb2.MATCH_STATE_FAILED, other_bots: arbiter_pb2.MATCH_STATE_CANCELLED}
    for module, state in ended.items():
        answer = arbiter_pb2.FetchRecordResponse(
            match=arbiter_pb2.MatchStatus(state=state, reason="a process ended")
        )
        arbiter = SimpleNamespace(
            status=lambda seconds: SimpleNamespace(process_id="here"),
            collect=lambda matches, seconds, answer=answer: [answer],
            acknowledge=lambda match: None,
        )
        world.monkeypatch.setattr(module, "gate", lambda arbiter=arbiter: arbiter)
    yield
    states = [
        list(model.objects.order_by("pk").values_list("state", flat=True))
        for model in (PlayedTable, SameHand)
    ]
    yield states == [["open", "void"], ["playing", "waiting"]]


BROKEN = (
    sweep, enqueue_publications, watch_remote_bots, thin_snapshots, tell_ranks, delete_rejected, copy_files,
    write_open_data, delete_old_records, forget, forget_trials, enqueue_marks, choose_matches,
    compare_code, delete_leftovers, mark_stale, sweep_tables,
)  # fmt: skip
"""For each task that the beat sends, a world in which one item is broken: what is done with the others."""
PERIODIC = {entry["task"].rpartition(".")[2]: entry["task"] for entry in app.conf.beat_schedule.values()}


def test_every_periodic_task_is_tried_with_a_broken_item():
    assert {broken.__name__ for broken in BROKEN} == set(PERIODIC)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_periodic_task_goes_on_behind_a_broken_item_and_keeps_its_reason(broken, world):
    story = broken(world)
    next(story)
    current_app.tasks[PERIODIC[broken.__name__]]()
    assert next(story)
    assert ItemFailure.objects.exclude(reason="").exists()


DAMAGED = (
    {"options": "text"}, {"options": [1]}, {"options": {"length": "deals:99999999999"}}, {"game": "gone"},
    {"seats": 0}, {"seats": 99}, {"format": ""}, {"blocks_planned": 0}, {"lot_seed": b"x"}, {"stopping": "x"},
    {"rounds": 0}, {"time_zone": "Mars/Olympus"}, {"move_seconds": 1e300}, {"entry": "x"}, {"name": ""},
)  # fmt: skip


@pytest.mark.parametrize("started", [True, False])
def test_the_sweep_goes_on_behind_tournaments_with_any_damaged_column(world, started):
    good, due = (world.make_tournament(name=name, blocks=1) for name in ("Good", "Due"))
    bad = [world.make_tournament(name=f"Bad {number}", blocks=1) for number in range(len(DAMAGED))]
    for tournament in (good, *bad * started):
        lifecycle.start(tournament=tournament)
    Tournament.objects.filter(pk__in=[due.pk, *(each.pk for each in bad if not started)]).update(
        starts_at=clock.now()
    )
    Block.objects.filter(tournament__in=bad).update(over_at=clock.now())
    for tournament, columns in zip(bad, DAMAGED, strict=True):
        Tournament.objects.filter(pk=tournament.pk).update(**columns)
    for _ in range(2):
        current_app.tasks[PERIODIC["sweep"]]()
    due.refresh_from_db()
    assert due.state == "running"
    assert ("play_block", good.blocks.get().pk) in world.queued
