"""Whatever stops the work of an installation is told within three minutes, by its kind; what rests is not."""

from datetime import timedelta
from errno import ENOSPC

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from stichkampf.local_play.log_text import LogText
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.core import arbiter_client, clock, errors
from stichkampf_platform.core.machines import draining, failures, nodes
from stichkampf_platform.core.models import ItemFailure, Node
from stichkampf_platform.marks import work_queue
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.operations import moving, state_texts
from stichkampf_platform.operations.doctor.database import check_database
from stichkampf_platform.operations.metrics import exposition
from stichkampf_platform.people.models import Notice
from stichkampf_platform.people.sentences import sentence_of
from stichkampf_platform.ratings import services
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.tournaments import leases, tasks
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.troubles import PLAY, ROUNDS

pytestmark = pytest.mark.django_db

TRUE_NOW = timezone.now
TOLD = 150
"""Seconds after which a planted fault stands in figures, so that an alert is there within three minutes."""


class World:
    """An installation in which time passes, and something may be wrong."""

    def __init__(self, monkeypatch, make_tournament, play_out, submitted, person, land):
        self.monkeypatch, self.make, self.play_out, self.land = monkeypatch, make_tournament, play_out, land
        self.submitted, self.person = submitted, person

    def pass_by(self, seconds):
        self.monkeypatch.setattr(
            clock, "_database", clock.SharedClock(lambda: TRUE_NOW() + timedelta(seconds=seconds))
        )

    def started(self, **fields):
        tournament = self.make(**{"blocks": 2, **fields})
        lifecycle.start(tournament=tournament)
        return tournament

    def submission(self, **fields):
        version = self.submitted(self.person("karla"), state=Version.State.SUBMITTED)
        if fields.pop("remote", False):
            Version.objects.filter(pk=version.pk).update(remote=True, digest="")
        return Submission.objects.create(
            version=version, submitted_by=version.bot.owner, file_name="karl.zip", **fields
        )

    def standing(self):
        return {kind.name for kind in moving.kinds_of_work() if kind.stands}


@pytest.fixture
def world(monkeypatch, make_tournament, play_out, submitted, person, land):
    return World(monkeypatch, make_tournament, play_out, submitted, person, land)


def no_worker(world):
    world.started()


def stopped_pool(world):
    leases.take(block_id=world.started().blocks.first().pk, owner="a worker that is stopped")


def forgotten_drain(world):
    world.started()
    draining.begin()


def matches_that_never_end(world):
    leases.take(block_id=world.started(move_seconds=0.2, bank_seconds=1).blocks.first().pk, owner="w1")
    Table.objects.filter(lease_owner="w1").update(lease_until=clock.now() + timedelta(minutes=30))


def blocks_that_fail_again_and_again_at_their_end(world):
    tournament = world.started(move_seconds=5, bank_seconds=60)
    leases.take(block_id=tournament.blocks.first().pk, owner="w1", seconds=600)
    for _ in range(2):
        failures.note(PLAY, tournament, ValueError("could not extend the file"))


def blocks_whose_results_find_no_room(world):
    tournament = world.started(move_seconds=5, bank_seconds=60)
    leases.take(block_id=tournament.blocks.first().pk, owner="w1", seconds=600)
    failures.note(PLAY, tournament, OSError(ENOSPC, "No space left on device"))
    ItemFailure.objects.update(next_try_at=clock.now() + timedelta(seconds=TOLD))


def match_that_hangs_at_its_arbiter(world):
    block = world.started(move_seconds=5, bank_seconds=60).blocks.first()
    leases.take(block_id=block.pk, owner="w1", seconds=600)
    leases.begin_here(block_id=block.pk)
    failures.note(nodes.MATCHES, nodes.this_node(), ValueError("match x has had no move for 61 s"))


def round_that_is_never_drawn(world):
    tournament = world.started(blocks=1)
    for table in leases.take(block_id=tournament.blocks.get().pk, owner="w1"):
        world.land(table)


def start_that_never_comes(world):
    Tournament.objects.filter(pk=world.make().pk).update(starts_at=clock.now())


def start_behind_many_that_wait(world):
    coming = world.submitted(world.person("karla"), state=Version.State.SUBMITTED)
    for number in range(9):
        draft = world.make(name=f"Waits {number}")
        draft.entries.create(bot=coming.bot)
        Tournament.objects.filter(pk=draft.pk).update(starts_at=clock.now())
    start_that_never_comes(world)


def parked_tournament(world):
    tournament = world.started()
    for _ in range(failures.PARKED_AFTER):
        failures.note(ROUNDS, tournament, ValueError("no such format"))
    due_steps.park_playing(tournament.pk, "no such format")


def parked_tournament_for_which_messages_come(world):
    tournament = world.started()
    for _ in range(failures.PARKED_AFTER):
        failures.note(PLAY, tournament, ValueError("no such column"))
    due_steps.park_playing(tournament.pk, "no such column")
    tasks.play_block(tournament.blocks.first().pk)


def tables_that_fail(world):
    tournament = world.started()
    (table, *_) = leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    leases.give_up(table=table, owner="w1", trouble="all uids for bots on this machine are in use")
    lifecycle.pause_for_trouble(tournament=tournament)


def experiment_without_worker(world):
    Tournament.objects.filter(pk=world.started().pk).update(experiment=True)


def unvalidated(world):
    world.submission()


def validation_set_aside(world):
    world.submission(set_aside_at=clock.now(), trials=3)


def validation_whose_worker_died(world):
    world.submission(lease_owner="w1", lease_until=clock.now() + timedelta(seconds=30))


def validation_that_fails_again_and_again_at_its_end(world):
    world.submission(trials=2, lease_owner="w1", lease_until=clock.now() + timedelta(seconds=TOLD + 30))


def unpublished(world):
    world.play_out(world.make(blocks=3))


def unpublished_behind_many_without_a_ladder(world):
    for number in range(9):
        world.play_out(world.make(name=f"Over {number}"))
    last = Tournament.objects.latest("finished_at")
    Tournament.objects.update(rated=False)
    Tournament.objects.exclude(pk=last.pk).update(ladder=None)


def unmarked(world):
    world.play_out(world.make())
    Analysis.objects.create(table=Table.objects.first(), reason="request", requested_at=clock.now())


def marks_that_fail_again_and_again_at_their_end(world):
    unmarked(world)
    Analysis.objects.update(lease_until=clock.now() + timedelta(seconds=work_queue.LEASE_SECONDS))
    failures.note(Analysis._meta.label, Analysis.objects.get(), ValueError("could not extend the file"))


def unmailed(world):
    fields = {"mail_to": "karla@example.org", "mail_due_at": clock.now() + timedelta(minutes=5)}
    Notice.objects.create(person=world.person("karla"), title="Hello", text="Hello.", **fields)


def uncopied(world):
    StoredFile.objects.create(name="records/0/table-0-0.json.gz", content=b"a record")


def archive_that_the_store_does_not_give(world):
    block = world.started().blocks.first()
    leases.take(block_id=block.pk, owner="w1")
    away = errors.ArchiveAway(LogText(arbiter_client.ARCHIVE_AWAY, bot="karl", error="no such file"))
    leases.release(owner="w1", trouble=sentence_of(away))
    return block


STANDS = {
    no_worker: "matches",
    stopped_pool: "matches",
    forgotten_drain: "matches",
    matches_that_never_end: "matches",
    blocks_that_fail_again_and_again_at_their_end: "matches",
    blocks_whose_results_find_no_room: "matches",
    match_that_hangs_at_its_arbiter: "matches",
    round_that_is_never_drawn: "matches",
    start_that_never_comes: "matches",
    start_behind_many_that_wait: "matches",
    parked_tournament: "matches",
    parked_tournament_for_which_messages_come: "matches",
    tables_that_fail: "matches",
    experiment_without_worker: "experiments",
    unvalidated: "validations",
    validation_set_aside: "validations",
    validation_whose_worker_died: "validations",
    validation_that_fails_again_and_again_at_its_end: "validations",
    unpublished: "publications",
    unpublished_behind_many_without_a_ladder: "publications",
    unmarked: "marks",
    marks_that_fail_again_and_again_at_their_end: "marks",
    unmailed: "mails",
    uncopied: "files",
    archive_that_the_store_does_not_give: "archives",
}


@pytest.mark.parametrize("plant", STANDS, ids=lambda plant: plant.__name__)
def test_work_that_stands_still_is_told_by_its_kind(world, plant):
    plant(world)
    assert STANDS[plant] not in world.standing(), "it has only just begun to wait"
    world.pass_by(TOLD)
    assert STANDS[plant] in world.standing()


def slow_match(world):
    world.pass_by(TOLD - 30)
    leases.take(block_id=world.started(move_seconds=2).blocks.first().pk, owner="w1", seconds=600)


def another_table_that_ended(world):
    tournament = world.started()
    world.pass_by(TOLD - 10)
    (table, *_) = leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    assert world.land(table)


def pause_of_an_organiser(world):
    lifecycle.pause(tournament=world.started())


def start_that_waits_for_a_validation(world):
    Tournament.objects.filter(pk=world.make().pk).update(starts_at=clock.now() + timedelta(hours=1))


def author_who_is_away(world):
    world.submission(remote=True)


def submission_for_staff_to_approve(world):
    fields = {"seen_at": clock.now() + timedelta(hours=1), "sandbox_level": "development"}
    Node.objects.create(name="north", arbiter_answers=True, **fields)
    world.submission()


def long_validation(world):
    world.submission(trials=1, lease_owner="w1", lease_until=clock.now() + timedelta(seconds=TOLD + 30))


def nothing_that_compares(world):
    services.publish(ladder=world.play_out(world.make(blocks=3)).ladder)
    for tournament in Tournament.objects.all():
        services.publish(ladder=tournament.ladder, tournament=tournament)


def archive_that_came_back(world):
    block = archive_that_the_store_does_not_give(world)
    world.pass_by(TOLD - 10)
    for table in leases.take(block_id=block.pk, owner="w1"):
        assert world.land(table)


def marks_in_hand(world):
    nothing_that_compares(world)
    Analysis.objects.create(table=Table.objects.first(), reason="request", requested_at=clock.now())
    Analysis.objects.update(lease_until=clock.now() + timedelta(seconds=work_queue.LEASE_SECONDS))


RESTS = (
    *(slow_match, another_table_that_ended, pause_of_an_organiser, start_that_waits_for_a_validation),
    *(author_who_is_away, submission_for_staff_to_approve, long_validation, nothing_that_compares),
    *(archive_that_came_back, marks_in_hand),
)


@pytest.mark.parametrize("plant", RESTS, ids=lambda plant: plant.__name__)
def test_work_that_moves_or_may_rest_is_not_told(world, plant):
    plant(world)
    StoredFile.objects.update(copied_at=clock.now())
    world.pass_by(TOLD)
    assert world.standing() == set()


def test_all_faces_read_the_same_and_operators_read_the_cause(world, client):
    forgotten_drain(world)
    assert {each.state for each in state_texts.part_states(state_texts.measure())} == {"good", "bad"}
    world.pass_by(TOLD)
    said = {
        tuple(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(exposition().decode())
        for sample in family.samples
        if sample.name in ("stichkampf_work_still_seconds", "stichkampf_drained")
    }
    assert said["matches",] > moving.STILL_SECONDS
    assert (said["mails",], said[()]) == (0, 1)
    assert "Work waits, and for 3 min none has ended." in client.get("/status/").text
    parts = {part["name"]: part["state"] for part in client.get("/api/v1/status/").json()["parts"]}
    assert (parts["Matches"], parts["Ratings"]) == ("bad", "good")
    assert [cause.cause for cause in check_database()] == ["the installation is drained", "work stands still"]
    client.force_login(world.person("ruth", is_staff=True, is_superuser=True))
    page = client.get("/admin/operations/").text
    assert "Matches: work waits, and for 3 min none has ended." in page
    assert "nothing begins until `drain --off`" in page
