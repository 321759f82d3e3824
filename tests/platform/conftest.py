import json
import os
import random
import secrets
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import connection, transaction
from migrated_database import migrated_databases
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.services import seed_house
from stichkampf_platform.core import queue
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.services import seed_main_ladders
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token, sign_up
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps, results
from support import PASSWORD

OTHER_SERVER = os.environ.get("STICHKAMPF_S3_SERVER", "")
"""The address of a server of buckets that is tried instead of moto's, with the keys in the environment."""


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker):
    """Make the test database, in place of pytest-django's fixture of this name."""
    with ExitStack() as databases:
        with django_db_blocker.unblock():
            databases.enter_context(migrated_databases())
        yield
        with django_db_blocker.unblock():
            databases.close()


@pytest.fixture(scope="session", autouse=True)
def kept_priority():
    """Keep the priority of this process where tests run tasks that would lower it for good: all tests after
    them would starve on a busy machine.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue, "LOWEST_PRIORITY", os.getpriority(os.PRIO_PROCESS, 0))
        yield


@pytest.fixture(autouse=True)
def cards_of_the_test(request, monkeypatch):
    """Draw the seeds of blocks from the name of the test, so that each run deals the same cards."""
    monkeypatch.setattr(secrets, "token_bytes", random.Random(request.node.nodeid).randbytes)


@pytest.fixture(autouse=True)
def empty_cache():
    """Empty the cache after each test: unlike the database, it is not rolled back."""
    yield
    cache.clear()


@pytest.fixture(scope="session")
def seeded_rows(django_db_setup, django_db_blocker):
    """The games there are, and rows of main ladders and house bots, which the services make once.

    By model: a statement and its values.
    """
    with django_db_blocker.unblock(), transaction.atomic(), connection.cursor() as cursor:
        seed_main_ladders()
        seed_house()
        rows = {model: _inserted(model, cursor) for model in (Ladder, User, Bot, Version)}
        transaction.set_rollback(True)
    return tuple(GAMES), rows


def _inserted(model, cursor):
    """Return the statement that inserts rows of a model, and the values of those that it has."""
    names = [field.column for field in model._meta.concrete_fields]
    cursor.execute(f"SELECT {', '.join(names)} FROM {model._meta.db_table}")
    places = ", ".join(["%s"] * len(names))
    return f"INSERT INTO {model._meta.db_table} ({', '.join(names)}) VALUES ({places})", cursor.fetchall()


@pytest.fixture
def add_house(db, seeded_rows):
    """Make the house bots where they are missing; copies of rows take a tenth of the time of making them."""
    return lambda: _copied(seeded_rows, User, Bot, Version) or seed_house()


def _copied(seeded_rows, *models):
    """Insert the rows of these models; tell whether: ids may be taken, or a test has brought another game."""
    games, rows = seeded_rows
    if tuple(GAMES) != games or models[0].objects.exists():
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        for model in models:
            cursor.executemany(*rows[model])
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
    return True


@pytest.fixture
def house(seeded_rows, add_house):
    """The house bots by name, and the main ladders."""
    if not _copied(seeded_rows, Ladder):
        seed_main_ladders()
    add_house()
    versions = Version.objects.exclude(house="").select_related("bot__owner").order_by("pk")
    return {version.house: version for version in versions}


@pytest.fixture
def person(db):
    """Make people: an account, which can be staff."""

    def make(name="ann", **fields):
        made = sign_up(username=name, password=PASSWORD)
        for field, value in fields.items():
            setattr(made, field, value)
        made.save()
        return made

    return make


@pytest.fixture
def make_organiser(db):
    """Put people into the group of organisers."""

    def make(person):
        person.groups.add(Group.objects.get(name="Organisers"))

    return make


@pytest.fixture
def teacher(person):
    """Make a teacher, as a superuser does: by the group."""

    def make(name="tina"):
        made = person(name)
        made.groups.add(Group.objects.get(name="Teachers"))
        return made

    return make


@pytest.fixture
def token(person):
    """Make a person and a token of theirs: the header that carries it."""

    def make(name="ann", **fields):
        _, text = create_token(owner=person(name, **fields), name="a test")
        return {"authorization": f"Bearer {text}"}

    return make


@pytest.fixture
def make_tournament(house):
    """Make tournaments of house bots that have not started."""

    def make(*bots, name="A test", versions=(), **fields):
        settings = {
            "game": "stiche-raten", "seats": 3, "options": {"length": "deals:1"}, "blocks": 2, **fields
        }  # fmt: skip
        versions = versions or [house[bot] for bot in bots or ("thumb", "random", "timid")]
        return lifecycle.create_tournament(name=name, versions=versions, **settings)

    return make


@pytest.fixture
def submitted(person):
    """Make a version of somebody's bot that may play, without the trouble of validating it."""

    def make(owner, slug="karl", state=Version.State.APPROVED, games=("stiche-raten",)):
        bot = owner.bots.filter(slug=slug).first() or owner.bots.create(slug=slug, name=slug)
        number = bot.versions.count() + 1
        return bot.versions.create(number=number, digest=f"{number:064}", games=list(games), state=state)

    return make


@pytest.fixture
def played_record():
    """Play the match of a table, each version in a simple way of its own; its record.

    The referee makes the moves of seats in `faulting`, or the first `faults` of them, as after a timeout.
    """

    def play(table, *, faulting=(), faults=None, seed=None):
        tournament = table.block.tournament
        game = new_game(tournament.game, tournament.seats, tournament.options)
        match = Match(game, seed=seed or bytes(table.block.seed))
        versions = [seat.entrant.version for seat in table.seats.all()]
        faulted = Counter()
        while not match.over:
            seat = match.to_act()[0]
            if seat in faulting and faulted[seat] != faults:
                match.fault(seat, "timeout")
                faulted[seat] += 1
            legal = match.legal(seat)
            match.play(seat, legal[versions[seat].pk % len(legal)], cost_seconds=0.001 * (seat + 1))
        return match.record([{"bot": v.bot.full_name, "version": v.number} for v in versions])

    return play


@pytest.fixture
def land(played_record):
    """Land a table as a worker would, here w1, with the record that the arbiter sent; whether it landed."""

    def landed(table, record=None, owner="w1", reports=()):
        text = json.dumps(record or played_record(table))
        report = pb.FetchRecordResponse(record_json=text, reports=reports)
        return bool(results.store(matches=[results.referee(table=table, report=report)], owner=owner))

    return landed


@pytest.fixture
def leased(make_tournament):
    """Start a tournament of one block and lease its tables to worker w1."""

    def lease(*bots, **fields):
        tournament = make_tournament(*bots, **{"blocks": 1, **fields})
        lifecycle.start(tournament=tournament)
        return leases.take(block_id=tournament.blocks.get().pk, owner="w1")

    return lease


@pytest.fixture
def at_once():
    """Do all of these at the same moment, each in a thread; return for each what it raised, or `None`.

    The test must not run in a transaction of its own.
    """

    def do_all(*actions):
        together = Barrier(len(actions))

        def do(action):
            try:
                together.wait(timeout=60)
                action()
            except (RequestRefused, ValidationError) as error:
                return " ".join(getattr(error, "messages", [str(error)]))
            finally:
                connection.close()
            return None

        with ThreadPoolExecutor(len(actions)) as people:
            return list(people.map(do, actions))

    return do_all


@pytest.fixture
def play_out(land, played_record):
    """Play a whole tournament; versions in `faulting` fault at every move."""

    def play(tournament, faulting=()):
        lifecycle.start(tournament=tournament)
        for block in tournament.blocks.all():
            for table in leases.take(block_id=block.pk, owner="w1"):
                seats = {seat.number for seat in table.seats.all() if seat.entrant.version in faulting}
                assert land(table, played_record(table, faulting=seats))
        assert due_steps.advance_tournaments() == 1
        tournament.refresh_from_db()
        return tournament

    return play


@pytest.fixture(scope="session")
def s3_server():
    """A server that speaks S3's language."""
    if OTHER_SERVER:
        yield OTHER_SERVER
        return
    from moto.server import ThreadedMotoServer  # takes a second, which only processes of these tests need

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture
def keys(monkeypatch):
    if not OTHER_SERVER:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "its-secret")


@pytest.fixture
def bucket(s3_server, keys, request):
    """The settings of a bucket of its own."""
    import boto3  # takes half a second, which only processes of these tests need

    client = boto3.client("s3", endpoint_url=s3_server, region_name="eu-central-1")
    name = f"test-{abs(hash(request.node.nodeid)):x}"
    client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    environ = {
        "STICHKAMPF_STORE": f"s3://{name}/cards",
        "STICHKAMPF_STORE_ENDPOINT": s3_server,
        "STICHKAMPF_STORE_REGION": "eu-central-1",
    }
    yield environ
    client.close()
