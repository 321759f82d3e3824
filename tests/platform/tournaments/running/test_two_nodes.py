"""Two nodes, each with an arbiter: what one has begun goes on there, and remote bots miss nothing."""

import sys
from datetime import timedelta

import pytest
from django.utils import timezone
from stichkampf_platform.bots import arbiter_sync
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed
from stichkampf_platform.core.models import Node
from stichkampf_platform.tournaments import leases, queries, tasks
from stichkampf_platform.tournaments.models import Block, Fault, Result, Table
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running.play_block import play_block
from support import Program, running_arbiter

BOT = """
from stichkampf import Bot

class Homer(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""


@pytest.fixture
def on_node(settings, monkeypatch):
    """Be a worker of this node."""

    def be(name, address=None):
        settings.NODE = name
        if address:
            monkeypatch.setattr(tasks, "arbiter", lambda: address)

    return be


@pytest.fixture
def arbiters():
    """Two arbiters, of which the first takes remote bots."""
    words = "-m", "stichkampf_arbiter"
    with (
        running_arbiter(*words, "--remote-listen", "127.0.0.1:0") as (_, gate),
        running_arbiter() as (_, other),
    ):
        clients = [ArbiterClient(gate), ArbiterClient(other)]
        for client in clients:
            client.status(seconds=120)
        yield clients
        for client in clients:
            client.close()


@pytest.fixture
def homer(person, arbiters, monkeypatch, tmp_path):
    """A remote bot that is connected to the gate."""
    gate, _ = arbiters
    monkeypatch.setattr(tasks, "gate", lambda: gate)
    submission, token = create_remote_version(owner=person(), slug="homer", games=["stiche-raten"])
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    submission.version.refresh_from_db()
    arbiter_sync.watch(gate)
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "token").write_text(token)
    command = [sys.executable, "-m", "stichkampf", "connect", "bot.py", "--token-file", "token"]
    command += ["--server", arbiter_sync.remote_address()]
    with Program(command, tmp_path / "bot.log", cwd=tmp_path, ready="connected to"):
        RemoteAccess.objects.update(connected_at=clock.now(), last_seen_at=clock.now())
        yield Version.objects.get(pk=submission.version_id)


class EndedWorker(ArbiterClient):
    """The arbiter as a worker sees it that ends while its tables are played."""

    def __init__(self, real):
        super().__init__(real._address)

    def collect(self, keys, *, seconds):
        raise ArbiterGone("the worker has ended")


class FullArbiter(ArbiterClient):
    """The arbiter as a worker sees it whose disk is full."""

    def __init__(self, real):
        super().__init__(real._address)

    def upload_missing(self, versions):
        raise MatchFailed("the arbiter cannot keep the archive: No space left on device")


@pytest.mark.machine
@pytest.mark.django_db
def test_a_remote_bot_misses_no_match_whichever_node_takes_it(
    make_tournament, house, homer, arbiters, on_node
):
    field = [homer, *(house[name] for name in ("thumb", "random", "timid", "bold", "flat"))]
    tournament = make_tournament(versions=field, blocks=8)
    lifecycle.start(tournament=tournament)
    gate, other = arbiters
    for number, block in enumerate(tournament.blocks.order_by("number")):
        on_node("ab"[number % 2], (gate, other)[number % 2])
        if number == 3:  # a worker of one node ends meanwhile, and one of the other goes on
            on_node("a", gate)
            assert play_block(block_id=block.pk, arbiter=EndedWorker(gate)) == 0
            on_node("b", other)
        tasks._play(block.pk)
    assert Table.objects.filter(state=Table.State.DONE).count() == 16
    assert not Block.objects.exclude(replaced_by=None).exists()
    assert Result.objects.filter(seat__entrant__version=homer).count() == 8
    assert not Fault.objects.exists()


@pytest.fixture
def two_nodes(db):
    """Two nodes that live."""
    return [Node.objects.create(name=name, seen_at=clock.now(), arbiter_answers=True) for name in ("a", "b")]


@pytest.mark.usefixtures("two_nodes")
def test_what_a_node_has_begun_goes_on_there(make_tournament, on_node, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, *ids, queue=None: sent.append((ids, queue)))
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    first, second = tournament.blocks.order_by("number")
    on_node("a")
    assert leases.take(block_id=first.pk, owner="a's")
    leases.begin_here(block_id=first.pk)
    leases.release(owner="a's")
    on_node("b")
    assert leases.take(block_id=first.pk, owner="b's") == []
    assert queries.block_in_turn(first.pk) == second.pk
    tasks.enqueue_blocks(2)
    assert sent == [((first.pk,), "matches.a"), ((second.pk,), None)]
    assert queries.blocks_in_queue() == 1  # the other one waits for its node alone
    on_node("a")
    assert queries.block_in_turn(first.pk) == first.pk
    assert len(leases.take(block_id=first.pk, owner="a's")) == 3


@pytest.mark.parametrize(
    "lost", [{"seen_at": timezone.now() - timedelta(minutes=1)}, {"arbiter_answers": False}]
)
def test_what_a_lost_node_has_begun_is_played_by_others(make_tournament, on_node, two_nodes, lost):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.get()
    on_node("a")
    leases.take(block_id=block.pk, owner="a's")
    leases.begin_here(block_id=block.pk)
    leases.release(owner="a's")
    Node.objects.filter(name="a").update(**lost)
    on_node("b")
    assert queries.block_in_turn(block.pk) == block.pk
    assert len(leases.take(block_id=block.pk, owner="b's")) == 3


@pytest.mark.usefixtures("two_nodes")
def test_a_node_whose_arbiter_takes_no_archives_leaves_the_block_to_others(
    make_tournament, on_node, arbiters
):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.get()
    full, other = arbiters
    on_node("a")
    assert play_block(block_id=block.pk, arbiter=FullArbiter(full)) == 0
    on_node("b")
    assert play_block(block_id=block.pk, arbiter=other) == 3
    block.refresh_from_db()
    assert block.node == "b"


@pytest.mark.usefixtures("two_nodes")
def test_a_node_without_a_sandbox_leaves_submitted_bots_to_one_that_has(
    make_tournament, on_node, submitted, person, house
):
    Node.objects.filter(name="a").update(sandbox_level="refused")
    field = [submitted(person()), house["thumb"], house["random"]]
    tournaments = [make_tournament(blocks=1, versions=field), make_tournament(name="House", blocks=1)]
    for tournament in tournaments:
        lifecycle.start(tournament=tournament)
    with_karl, of_the_house = (tournament.blocks.get().pk for tournament in tournaments)
    on_node("a")
    assert leases.take(block_id=with_karl, owner="a's") == []
    assert queries.block_in_turn(with_karl) == of_the_house
    assert len(leases.take(block_id=of_the_house, owner="a's")) == 3
    Node.objects.filter(name="b").update(sandbox_level="refused")  # now none is better
    assert len(leases.take(block_id=with_karl, owner="a's again")) == 3


@pytest.mark.usefixtures("two_nodes")
def test_the_node_that_plays_void_tables_is_told(
    make_tournament, on_node, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    place = "stichkampf_platform.tournaments.running.voiding.enqueue"
    monkeypatch.setattr(place, lambda task, *ids, queue=None: sent.append((set(ids), queue)))
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.get()
    on_node("a")
    tables = {table.pk for table in leases.take(block_id=block.pk, owner="a's")}
    leases.begin_here(block_id=block.pk)
    on_node("site")
    with django_capture_on_commit_callbacks(execute=True):
        rulings.run_again(block=block)
    assert sent == [(tables, "matches.a")]
