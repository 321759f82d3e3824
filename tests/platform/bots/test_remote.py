import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import grpc
import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from stichkampf.errors import UnknownGame
from stichkampf.wire.agreed import remote_bots_sha256
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc
from stichkampf_platform.bots import arbiter_sync, queries, remote, services
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.validation import run
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone, RequestRefused

pytestmark = pytest.mark.database


class Memory(arbiter_pb2_grpc.ArbiterServicer):
    """An arbiter of which only the remote bots are asked: it remembers whom it was told to admit."""

    def __init__(self):
        self.admitted, self.calls, self.bots, self.reasons = None, 0, [], {}

    def GetStatus(self, request, context):
        known = "" if self.admitted is None else remote_bots_sha256(self.admitted, self.reasons)
        return pb.GetStatusResponse(remote_bots_sha256=known, remote_address="bots.example:7100")

    def AdmitRemoteBots(self, request, context):
        self.admitted = {bot.name: bot.token_sha256 for bot in request.bots}
        self.reasons = {bot.name: bot.plays_no_more for bot in request.bots if bot.plays_no_more}
        self.calls += 1
        return pb.AdmitRemoteBotsResponse()

    def ListBots(self, request, context):
        return pb.ListBotsResponse(bots=self.bots)


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def arbiter(memory, tmp_path):
    server = grpc.server(ThreadPoolExecutor(2))
    arbiter_pb2_grpc.add_ArbiterServicer_to_server(memory, server)
    server.add_insecure_port(f"unix:{tmp_path}/arbiter")
    server.start()
    arbiter = ArbiterClient(f"unix:{tmp_path}/arbiter")
    arbiter.status()  # connected from here on, however busy this machine is
    yield arbiter
    arbiter.close()
    server.stop(None).wait()


@pytest.fixture
def made(person):
    """A remote version of ann's, and its token."""
    submission, token = remote.create_remote_version(owner=person(), slug="karl", games=["sticheln"])
    return submission.version, token


def digest(token):
    return hashlib.sha256(token.encode()).digest()


def connected(version, **fields):
    settings = {"program": f"remote:{version.remote_name}", "connected_seconds": 60, **fields}
    return pb.ConnectedBot(**settings)


def test_a_remote_version_is_named_and_its_token_kept_as_a_digest_only(made):
    version, token = made
    assert version.remote_name == "ann/karl@1"
    assert version.games == ["sticheln"]
    assert arbiter_sync.admitted() == {"ann/karl@1": digest(token)}
    assert token not in str(RemoteAccess.objects.values())


def test_a_new_token_takes_the_old_ones_place(made):
    version, old = made
    new = remote.new_token(version=version, by=version.bot.owner)
    assert new != old
    assert arbiter_sync.admitted() == {"ann/karl@1": digest(new)}


def test_a_revoked_token_connects_no_bot_but_the_version_stays_known(made):
    version, token = made
    remote.revoke(version=version, by=version.bot.owner)
    assert arbiter_sync.admitted() == {}, "it has never played"
    Version.objects.filter(pk=version.pk).update(state=Version.State.APPROVED)
    assert set(arbiter_sync.admitted()) == {"ann/karl@1"}
    assert arbiter_sync.admitted()["ann/karl@1"] != digest(token)
    with pytest.raises(RequestRefused, match="already revoked"):
        remote.revoke(version=version, by=version.bot.owner)
    new = remote.new_token(version=version, by=version.bot.owner)
    assert arbiter_sync.admitted() == {"ann/karl@1": digest(new)}


def test_the_arbiter_hears_of_a_suspension_and_of_its_end(made, arbiter, memory, person):
    version, token = made
    Version.objects.filter(pk=version.pk).update(state=Version.State.APPROVED)
    arbiter_sync.watch(arbiter)
    assert (memory.reasons, memory.calls) == ({}, 1)
    version.refresh_from_db()
    services.suspend(
        version=version, reason="Of its last 8 matches,\n8 had a fault." + "x" * 2000, cause="staff"
    )
    arbiter_sync.watch(arbiter)
    arbiter_sync.watch(arbiter)
    assert (set(memory.reasons), memory.calls) == ({"ann/karl@1"}, 2)
    assert memory.reasons["ann/karl@1"].startswith("suspended: Of its last 8 matches, 8 had a fault.")
    assert len(memory.reasons["ann/karl@1"]) <= 1000
    assert memory.admitted == {"ann/karl@1": digest(token)}, "to play its open tables to their end"
    version.refresh_from_db()
    services.approve(version=version, staff=person("chief", is_staff=True))
    arbiter_sync.watch(arbiter)
    assert (memory.reasons, memory.calls) == ({}, 3)


def test_changes_of_a_token_stand_in_the_log(made):
    version, _ = made
    remote.new_token(version=version, by=version.bot.owner)
    remote.revoke(version=version, by=version.bot.owner)
    texts = [line.text for line in version.submission.lines.all()]
    assert texts[0].startswith("It waits until it is connected: stichkampf connect bot.py --server")
    assert texts[1:] == [
        "ann made a new token; the old one is no longer valid.",
        "ann revoked its token: it cannot connect until it has a new one.",
    ]


def test_only_owner_and_staff_have_a_say_over_the_token(made, person):
    version, _ = made
    with pytest.raises(RequestRefused, match="belongs to someone else"):
        remote.new_token(version=version, by=person("bob"))
    assert remote.new_token(version=version, by=person("chief", is_staff=True))


def test_a_hosted_version_has_no_token(submitted, person):
    karl = submitted(person())
    with pytest.raises(RequestRefused, match="not a remote version"):
        remote.new_token(version=karl, by=karl.bot.owner)


@pytest.mark.parametrize(
    ("games", "error", "message"),
    [
        ([], RequestRefused, "Name the games"),
        (["skat"], UnknownGame, "skat"),
        (["sticheln", "sixes-and-sevens"], RequestRefused, "would hold both hands"),
    ],
)
def test_games_that_a_remote_version_cannot_play_are_refused(games, error, message, person):
    with pytest.raises(error, match=message):
        remote.create_remote_version(owner=person(), slug="karl", games=games)
    assert not Version.objects.exists()


def test_two_authors_may_each_have_a_remote_bot_of_one_name(made, person):
    submission, _ = remote.create_remote_version(owner=person("bob"), slug="karl", games=["sticheln"])
    assert submission.version.remote_name == "bob/karl@1"
    assert made[0].bot.versions.count() == 1


def test_a_person_has_a_limited_number_of_remote_versions(made, monkeypatch):
    version, _ = made
    owner = version.bot.owner
    monkeypatch.setattr(remote, "REMOTE_PER_PERSON", 1)
    with pytest.raises(RequestRefused, match="revoke the token"):
        remote.create_remote_version(owner=owner, slug="karl", games=["sticheln"])
    remote.revoke(version=version, by=owner)
    submission, _ = remote.create_remote_version(owner=owner, slug="karl", games=["sticheln"])
    assert submission.version.number == 2


def test_no_remote_versions_are_made_if_the_arbiter_takes_none(person):
    cache.set(arbiter_sync.ADDRESS_KEY, "", timeout=None)
    with pytest.raises(RequestRefused, match="accepts no remote bots"):
        remote.create_remote_version(owner=person(), slug="karl", games=["sticheln"])


def test_a_version_is_exactly_one_of_house_bot_archive_and_remote(made):
    bot = made[0].bot
    for fields in ({}, {"remote": True, "digest": "1"}, {"remote": True, "house": "thumb"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            bot.versions.create(number=9, **fields)


def test_the_arbiter_gets_the_admitted_bots_once_after_each_restart_or_change(made, arbiter, memory):
    version, token = made
    arbiter_sync.watch(arbiter)
    arbiter_sync.watch(arbiter)
    assert memory.admitted == {"ann/karl@1": digest(token)}
    assert memory.calls == 1
    memory.admitted = None
    arbiter_sync.watch(arbiter)
    assert memory.admitted == {"ann/karl@1": digest(token)}
    new = remote.new_token(version=version, by=version.bot.owner)
    arbiter_sync.watch(arbiter)
    assert memory.admitted == {"ann/karl@1": digest(new)}
    services.reject(version=version, reason="no")
    arbiter_sync.watch(arbiter)
    assert memory.admitted == {}


def test_presence_comes_and_goes_and_the_last_sight_stays(made, arbiter, memory):
    version, _ = made
    memory.bots = [pb.ConnectedBot(program="house"), connected(version, latency_seconds=0.03, tables=2)]
    arbiter_sync.watch(arbiter)
    access = RemoteAccess.objects.get()
    assert access.connected
    assert (access.latency_seconds, access.tables) == (0.03, 2)
    assert timedelta(seconds=59) < clock.now() - access.connected_at < timedelta(seconds=70)
    memory.bots = []
    arbiter_sync.watch(arbiter)
    access.refresh_from_db()
    assert not access.connected
    assert (access.connected_at, access.latency_seconds, access.tables) == (None, None, 0)
    assert access.last_seen_at is not None


def test_no_bot_counts_as_connected_long_after_the_arbiter_last_answered(made, arbiter, memory):
    version, _ = made
    memory.bots = [connected(version)]
    arbiter_sync.watch(arbiter)
    RemoteAccess.objects.update(last_seen_at=clock.now() - timedelta(minutes=1))
    assert not RemoteAccess.objects.get().connected
    assert not queries.connected().exists()


def test_a_remote_submission_is_due_when_it_is_connected(made, arbiter, memory):
    version, _ = made
    assert not queries.due_submissions()
    version.submission.lease_until = clock.now() + timedelta(seconds=30)
    version.submission.save()
    memory.bots = [connected(version)]
    arbiter_sync.watch(arbiter)
    assert queries.due_submissions() == [version.submission]


def test_the_address_for_remote_bots_comes_from_the_arbiter(arbiter, db):
    assert arbiter_sync.remote_address() is None
    arbiter_sync.watch(arbiter)
    assert arbiter_sync.remote_address() == "bots.example:7100"
    assert arbiter_sync.connect_command() == "stichkampf connect bot.py --server bots.example:7100"


def test_without_an_arbiter_presence_is_unknown(db, tmp_path):
    gone = ArbiterClient(f"unix:{tmp_path}/nowhere")
    with pytest.raises(ArbiterGone):
        arbiter_sync.watch(gone)
    gone.close()


def test_a_disconnected_version_waits_and_its_log_shows_the_command_to_connect(made, arbiter):
    version, _ = made
    arbiter_sync.watch(arbiter)
    run.validate(submission_id=version.submission.pk, arbiter=arbiter)
    version.refresh_from_db()
    assert version.state == "submitted"
    assert version.submission.lines.last().text == (
        "Waiting. It is not connected: stichkampf connect bot.py --server bots.example:7100, with its token."
    )


def test_without_a_sandbox_remote_bots_play_all_the_same(made, arbiter, memory):
    version, _ = made
    assert arbiter.status().sandbox_level <= pb.SANDBOX_LEVEL_REFUSED
    memory.bots = [connected(version)]
    assert run.reason_to_wait(version.submission, arbiter) == ""


def test_each_sweep_looks_after_remote_bots_only_where_there_may_be_any(arbiter, person):
    assert arbiter_sync.may_have_remote_bots(), "no arbiter has said yet where they dial in"
    arbiter_sync.watch(arbiter)
    assert not arbiter_sync.may_have_remote_bots()
    remote.create_remote_version(owner=person(), slug="karl", games=["sticheln"])
    assert arbiter_sync.may_have_remote_bots()
