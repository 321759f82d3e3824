from types import SimpleNamespace

import pytest
from django.core.exceptions import ValidationError
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.ratings.queries import due, newest_snapshot
from stichkampf_platform.ratings.tasks import publish_tournament
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Seat, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.forms import TournamentForm
from stichkampf_platform.tournaments.running import due_steps, play_block

BOTS = ("thumb", "random", "timid", "bold", "flat")


class TableArbiter:
    """Plays matches as `ended_match` does. `forget` is its restart, `fails` what happens to its matches."""

    def __init__(self, ended_match):
        self.ended_match = ended_match
        self.matches, self.dealt, self.cancelled, self.acknowledged = {}, [], [], []
        self.admits, self.fails, self.gone, self.refuses = 0, "", False, ""

    def status(self, *, seconds):
        return SimpleNamespace(remote_address="bots.example:7100", remote_bots_sha256="another set")

    def admit(self, bots, reasons):
        self.admits += 1

    def upload_missing(self, versions):
        list(versions)

    def start(self, *, key, seed, **asked):
        if self.refuses:
            raise MatchFailed(f"The arbiter refuses (FAILED_PRECONDITION: {self.refuses}).")
        started = key not in self.matches
        self.matches[key] = seed
        if started:
            self.dealt.append(seed)
        return started

    def collect(self, keys, *, seconds):
        if self.gone:
            raise ArbiterGone("no answer")
        return [self.ended(key) for key in keys if key not in self.cancelled]

    def ended(self, key):
        if self.fails:
            status = pb.MatchStatus(match=key, state=pb.MATCH_STATE_FAILED, reason=self.fails)
            return pb.FetchRecordResponse(match=status)
        return self.ended_match(key)

    def acknowledge(self, key):
        self.acknowledged.append(key)

    def cancel(self, key):
        self.cancelled.append(key)

    def forget(self):
        self.matches.clear()


@pytest.fixture
def arbiter(ended_match):
    return TableArbiter(ended_match)


@pytest.fixture
def karl(person):
    """A remote version that may play."""
    submission, _ = create_remote_version(owner=person(), slug="karl", games=["stiche-raten"])
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    RemoteAccess.objects.update(connected_at=clock.now(), last_seen_at=clock.now())
    submission.version.refresh_from_db()
    return submission.version


@pytest.fixture
def tournament(make_tournament, house, karl):
    """One block of six entrants at three seats: one deal at two tables."""
    made = make_tournament(versions=[karl, *(house[name] for name in BOTS)], blocks=1)
    lifecycle.start(tournament=made)
    return made


def newest(tournament):
    return tournament.blocks.order_by("-number").first()


def test_a_remote_block_is_played_and_compares_those_who_held_the_same_hand(tournament, arbiter, karl):
    block = newest(tournament)
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 2
    assert arbiter.admits == 1
    assert len(arbiter.dealt) == 2
    due_steps.advance_tournaments()
    publish_tournament(tournament.pk)
    snapshot = newest_snapshot(tournament.ladder, tournament)
    assert (snapshot.blocks, snapshot.tables, snapshot.comparisons) == (1, 2, 3)
    mine = Seat.objects.get(entrant__version=karl)
    other = Seat.objects.exclude(pk=mine.pk).get(number=mine.number)
    better = snapshot.ratings.get(version=karl).elo - snapshot.ratings.get(version=other.entrant.version).elo
    assert (better > 0) == (mine.result.score > other.result.score)
    assert (better < 0) == (mine.result.score < other.result.score)


def test_a_match_that_the_arbiter_forgot_is_never_played_again_with_the_same_cards(tournament, arbiter):
    block = newest(tournament)
    arbiter.gone = True
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    arbiter.gone = False
    arbiter.forget()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    block.refresh_from_db()
    again = block.replaced_by
    assert set(block.tables.values_list("state", flat=True)) == {"void"}
    assert bytes(again.seed) != bytes(block.seed)
    assert again.dealt_once
    assert arbiter.cancelled
    assert play_block.play_block(block_id=again.pk, arbiter=arbiter) == 2
    assert due_steps.advance_tournaments() == 1


def test_a_match_that_goes_on_at_the_arbiter_is_watched_again(tournament, arbiter):
    block = newest(tournament)
    arbiter.gone = True
    play_block.play_block(block_id=block.pk, arbiter=arbiter)
    arbiter.gone = False
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 2
    assert len(arbiter.dealt) == 2
    assert tournament.blocks.count() == 1


def test_a_worker_that_lost_a_table_leaves_its_record_to_the_next_one(tournament, arbiter):
    block = newest(tournament)
    table = leases.take(block_id=block.pk, owner="w1")[0]
    leases.release(owner="w1")
    leases.take(block_id=block.pk, owner="w2")
    over = arbiter.ended(table.idempotency_key)
    assert play_block._finish([(table, over)], arbiter, "w1") == 0
    assert arbiter.acknowledged == []
    assert play_block._finish([(table, over)], arbiter, "w2") == 1
    assert arbiter.acknowledged == [table.idempotency_key]


def test_a_failed_match_voids_its_block_even_after_the_other_table_was_played(tournament, arbiter):
    block = newest(tournament)
    tables = leases.take(block_id=block.pk, owner="w1")
    arbiter.start(key=tables[0].idempotency_key, seed=b"")
    status = pb.MatchStatus(match=tables[0].idempotency_key, state=pb.MATCH_STATE_CANCELLED)
    failed = pb.FetchRecordResponse(match=status)
    assert play_block._finish([(tables[0], failed)], arbiter, "w1") == 0
    block.refresh_from_db()
    assert block.replaced_by is not None
    assert Table.objects.get(pk=tables[0].pk).trouble == "The match was cancelled at the arbiter."
    assert set(block.tables.values_list("state", flat=True)) == {"void"}


def test_a_block_that_fails_again_and_again_pauses_its_tournament(tournament, arbiter):
    arbiter.fails = "the disk is full"
    for _ in range(play_block.FAILURES_BEFORE_PAUSE):
        play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED
    assert tournament.blocks.count() == 1 + play_block.FAILURES_BEFORE_PAUSE


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("bubblewrap did not start: no answer in 10 s", Tournament.State.RUNNING),
        ("all uids for bots on this machine are in use; wait for a bot to end", Tournament.State.RUNNING),
        ("an error of the arbiter: KeyError('seat')", Tournament.State.PAUSED),
    ],
)
def test_a_machine_without_a_sandbox_pauses_no_tournament(make_tournament, arbiter, reason, state):
    hosted = make_tournament(blocks=1)
    lifecycle.start(tournament=hosted)
    arbiter.fails = reason
    for _ in range(2 * play_block.FAILURES_BEFORE_PAUSE):
        play_block.play_block(block_id=hosted.blocks.get().pk, arbiter=arbiter)
    hosted.refresh_from_db()
    assert hosted.state == state
    assert {trouble for trouble, _ in queries.troubles(hosted)} == {reason}


def test_an_arbiter_that_is_lost_again_and_again_pauses_no_tournament(tournament, arbiter):
    for _ in range(2 * play_block.FAILURES_BEFORE_PAUSE):
        arbiter.gone = True
        play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter)
        arbiter.matches.clear()
        arbiter.gone = False
        play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter)
        tournament.refresh_from_db()
        assert tournament.state == Tournament.State.RUNNING
    assert tournament.blocks.count() == 1 + 2 * play_block.FAILURES_BEFORE_PAUSE
    arbiter.fails = "the bench broke"
    for _ in range(play_block.FAILURES_BEFORE_PAUSE):
        tournament.refresh_from_db()
        assert tournament.state == Tournament.State.RUNNING
        play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED


def test_a_block_for_which_the_arbiter_takes_no_archive_waits_and_says_why(tournament, arbiter, monkeypatch):
    def refuse(versions):
        raise MatchFailed("The arbiter refuses (INVALID_ARGUMENT: no archive).")

    monkeypatch.setattr(arbiter, "upload_missing", refuse)
    assert play_block.play_block(block_id=newest(tournament).pk, arbiter=arbiter) == 0
    tables = Table.objects.all()
    assert {table.trouble for table in tables} == {"The arbiter refuses (INVALID_ARGUMENT: no archive)."}
    assert {(table.state, table.lease_owner) for table in tables} == {("open", "")}


def test_a_block_without_remote_entrants_is_replayed_with_the_same_cards(make_tournament, arbiter):
    hosted = make_tournament(blocks=1)
    lifecycle.start(tournament=hosted)
    block = newest(hosted)
    arbiter.gone = True
    play_block.play_block(block_id=block.pk, arbiter=arbiter)
    arbiter.gone = False
    arbiter.forget()
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 3
    assert hosted.blocks.count() == 1
    assert arbiter.admits == 0


def test_too_few_entrants_for_two_tables_play_unrated_only(make_tournament, house, karl, arbiter):
    versions = [karl, *(house[name] for name in BOTS[:3])]
    with pytest.raises(
        ValidationError, match="two full tables: 6 entrants, not 4; with fewer it cannot be rated"
    ):
        make_tournament(versions=versions)
    friendly = make_tournament(versions=versions, rated=False, blocks=3)
    lifecycle.start(tournament=friendly)
    for block in friendly.blocks.all():
        assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 1
    assert due_steps.advance_tournaments() == 1
    assert len(set(arbiter.dealt)) == 3
    publish_tournament(friendly.pk)
    assert newest_snapshot(friendly.ladder, friendly) is None
    assert not due(friendly.ladder)


def test_moves_too_quick_for_the_network_are_a_form_error(make_tournament, house, karl):
    with pytest.raises(ValidationError) as wrong:
        make_tournament(versions=[karl, *(house[name] for name in BOTS)], move_seconds=0.4)
    said = "A move takes at least 1 s where remote bots play (ann/karl v1), for the way over the network."
    assert wrong.value.message_dict == {"move_seconds": [said]}


def test_the_organisers_form_says_so_under_the_field(house, karl):
    chosen = [karl, *(house[name] for name in BOTS)]
    settings = {
        "name": "Quick", "slug": "quick", "game": "stiche-raten", "seats": 3, "options": "{}",
        "format": "round-robin", "stopping": "fixed", "blocks_planned": 3, "rated": "on", "move_seconds": 0.3,
        "bank_seconds": 10, "cap_seconds": 5, "fault_allowance": 2,
    }  # fmt: skip
    quick = TournamentForm({**settings, "entrants": [version.pk for version in chosen]})
    assert list(quick.errors) == ["move_seconds"]
    few = TournamentForm({**settings, "move_seconds": 2, "entrants": [version.pk for version in chosen[:5]]})
    assert list(few.errors) == ["entrants"]
    assert "6 entrants, not 5" in str(few.errors)
    swiss = {**settings, "move_seconds": 2, "format": "swiss", "rounds": 2}
    refused = TournamentForm({**swiss, "entrants": [version.pk for version in chosen]})
    assert "leave out ann/karl v1, or choose Round robin" in str(refused.errors)


NO_SANDBOX = "no hosted bot runs on this machine: bubblewrap is missing"


@pytest.mark.slow
def test_without_a_sandbox_the_organiser_reads_why_a_tournament_pauses(
    make_tournament, person, submitted, house, arbiter, client
):
    chief = person("chief", is_staff=True, is_superuser=True)
    client.force_login(chief)
    field = [submitted(person()), house["thumb"], house["random"]]
    tournament = make_tournament(versions=field, blocks=1)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.get()
    page = f"/admin/tournaments/tournament/{tournament.pk}/change/"
    assert "At 3 of its tables" not in client.get(page).content.decode()
    arbiter.refuses = NO_SANDBOX
    for _ in range(5):
        assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 0
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.PAUSED
    shown = client.get(page).content.decode()
    assert "At 3 of its tables" in shown
    assert NO_SANDBOX in shown
    assert NO_SANDBOX not in client.get("/tournaments/a-test/").content.decode()
    arbiter.refuses = ""
    lifecycle.resume(tournament=tournament)
    assert play_block.play_block(block_id=block.pk, arbiter=arbiter) == 3
    assert "of its tables" not in client.get(page).content.decode()


def test_the_reason_is_shown_too_after_the_block_is_replaced(tournament, arbiter, client, person):
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    arbiter.fails = "the bench broke"
    play_block.play_block(block_id=tournament.blocks.get().pk, arbiter=arbiter)
    assert queries.troubles(tournament)[0][0] == "the bench broke"
    page = f"/admin/tournaments/tournament/{tournament.pk}/change/"
    assert "the bench broke" in client.get(page).content.decode()
