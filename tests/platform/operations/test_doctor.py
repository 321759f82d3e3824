"""The doctor names the cause of each planted fault, and finds nothing in a healthy installation."""

import json
import os
import resource
import socket
import subprocess
import sys
import threading
from datetime import timedelta
from time import time

import pytest
from celery import current_app
from celery.app.trace import build_tracer
from django.core.management import CommandError, call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from stichkampf import __version__
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.core.machines import draining
from stichkampf_platform.core.models import ItemFailure, Node
from stichkampf_platform.operations import beat_signs, figures
from stichkampf_platform.operations.doctor import database, diagnosis, machine, programs
from stichkampf_platform.operations.doctor.machine import Machine
from stichkampf_platform.operations.redis_access import redis_client
from stichkampf_platform.operations.state_texts import concerns
from stichkampf_platform.settings.queues import QUEUES
from stichkampf_platform.storage.models import StoredFile, StoreLabel
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.services import redis
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.tasks import sweep
from support import Program

pytestmark = [pytest.mark.machine, pytest.mark.django_db, pytest.mark.xdist_group("doctor")]

HEALTHY_FILES = {
    "proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB\n",
    "proc/sys/user/max_user_namespaces": "15000",
    "proc/sys/kernel/unprivileged_userns_clone": "1",
    "sys/fs/cgroup/cgroup.controllers": "cpu memory pids",
    "sys/fs/cgroup/memory.max": "max",
}


class FakeArbiter:
    def __init__(self, level=pb.SANDBOX_LEVEL_HOSTED, version=__version__, away=False):
        self.answer = pb.GetStatusResponse(sandbox_level=level, version=version, sandbox_reason="no group")
        self.away = away

    def status(self, *, seconds):
        if self.away:
            raise ArbiterGone("it is away")
        return self.answer


class Patient:
    """A healthy installation with a real Redis, in which a test plants a fault."""

    def __init__(self, folder, monkeypatch, settings):
        self.folder, self.monkeypatch, self.settings = folder, monkeypatch, settings
        self.machine = {"root": folder, "open_files": 65_536, "rules": folder / "deal.so"}
        for path, text in HEALTHY_FILES.items():
            self.write(path, text)
        settings.SECRET_KEY = "k" * 60
        self.arbiter = FakeArbiter()
        monkeypatch.setattr(programs, "arbiter", lambda: self.arbiter)
        self.queues = set(QUEUES)
        names = lambda _: {"worker@here": [{"name": queue} for queue in self.queues]}  # noqa: E731
        monkeypatch.setattr(current_app.control.inspect, "active_queues", names)

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def beat(self, *senders, installation=None):
        with redis_client() as client:
            client.zadd(
                beat_signs.BEATS,
                {f"{installation or beat_signs.installation()} {each}": time() for each in senders},
            )

    def redis(self, **config):
        with redis_client() as client:
            for name, value in config.items():
                client.config_set(name.replace("_", "-"), value)

    def findings(self):
        return list(diagnosis.diagnose(Machine(**self.machine)))


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("r")
    installation = Installation.from_environment({"STICHKAMPF_VAR": str(folder)}, checkout())
    installation.prepare_folders()
    service = redis(installation)
    with Program(service.command, folder / "redis.log", ready=service.ready):
        yield f"redis+socket://{installation.redis_socket}"


@pytest.fixture
def patient(tmp_path, monkeypatch, settings, redis_server):
    settings.REDIS_URL = redis_server
    patient = Patient(tmp_path, monkeypatch, settings)
    patient.redis(maxmemory="100mb", maxmemory_policy="noeviction", min_replicas_to_write=0)
    with redis_client() as client:
        client.acl_setuser("default", enabled=True, commands=["+@all"])
        client.flushall()
    patient.beat("gen1@here")
    return patient


def full_disk(patient):
    patient.settings.FREE_DISK_BYTES = 2**62


def little_memory(patient):
    patient.write("proc/meminfo", "MemTotal: 900000 kB\nMemAvailable: 700000 kB\n")


def small_container(patient):
    patient.write("sys/fs/cgroup/memory.max", str(600 * 1024**2))


def no_namespaces(patient):
    patient.write("proc/sys/user/max_user_namespaces", "0")


def no_namespaces_for_users(patient):
    patient.write("proc/sys/kernel/unprivileged_userns_clone", "0")


def old_groups(patient):
    (patient.folder / "sys/fs/cgroup/cgroup.controllers").unlink()


def few_files(patient):
    patient.machine["open_files"] = 1024


def interpreted(patient):
    patient.machine["rules"] = patient.folder / "deal.py"


def no_static_files(patient):
    patient.settings.STATIC_ROOT = patient.folder / "static"
    patient.settings.STORAGES = {
        **patient.settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }


def short_key(patient):
    no_beat(patient)
    patient.settings.SECRET_KEY = "geheim"
    patient.beat("gen1@here")


def wrong_database(patient):
    def refuse(_):
        raise database.DatabaseError('could not translate host name "dp" to address\nmore')

    patient.monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", refuse)


def old_schema(patient):
    MigrationRecorder.Migration.objects.filter(app="tournaments").latest("id").delete()


def newer_schema(patient):
    MigrationRecorder.Migration.objects.create(app="bots", name="9999_from_tomorrow")


def clock_behind(patient):
    patient.monkeypatch.setattr(
        database.timezone, "now", lambda now=timezone.now: now() - timedelta(days=400)
    )


def no_redis(patient):
    patient.settings.REDIS_URL = f"redis+socket://{patient.folder}/none.sock"


def evicting_redis(patient):
    patient.redis(maxmemory_policy="allkeys-lru")


def full_redis(patient):
    patient.redis(maxmemory="1")


def refusing_redis(patient):
    with redis_client() as client:
        client.acl_setuser("default", enabled=True, commands=["-brpop"])
        # as Celery reads the answers of workers
        patient.monkeypatch.setattr(
            current_app.control.inspect, "active_queues", lambda _: client.brpop("answers", timeout=1)
        )


def redis_that_waits_for_a_replica(patient):
    patient.redis(min_replicas_to_write=1)


def no_beat(patient):
    with redis_client() as client:
        client.delete(beat_signs.BEATS)


def two_beats(patient):
    patient.beat("gen2@there")


def two_installations(patient):
    patient.beat("gen2@there", installation="another")


def no_validation(patient):
    patient.queues.remove("validation")


def no_arbiter(patient):
    patient.arbiter = FakeArbiter(away=True)


def weak_sandbox(patient):
    patient.arbiter = FakeArbiter(level=pb.SANDBOX_LEVEL_DEVELOPMENT)


def older_arbiter(patient):
    patient.arbiter = FakeArbiter(version="0.0.1")


def unreadable_store(patient):
    StoredFile.objects.filter(name__startswith="records/").update(content=b"not gzip")


def another_store(patient):
    StoreLabel.objects.create(text="ours")


def full_store(patient):
    file = StoredFile.objects.create(name="records/0/table-0-0.json.gz", content=b"a record")
    StoredFile.objects.filter(pk=file.pk).update(created_at=timezone.now() - timedelta(minutes=5))


def silent_node(patient):
    Node.objects.create(name="south", seen_at=clock.now() - timedelta(minutes=1), version=__version__)


def arbiter_of_another_node(patient):
    Node.objects.create(name="south", seen_at=clock.now(), version=__version__)


def older_worker(patient):
    Node.objects.create(name="south", seen_at=clock.now(), version="0.0.1", arbiter_answers=True)


def forgotten_drain(patient):
    draining.begin()


def refused_mail(patient):
    listener = socket.create_server(("127.0.0.1", 0))

    def refuse():
        with listener:
            client, _ = listener.accept()
            with client:
                client.sendall(b"554 no service for you\r\n")

    threading.Thread(target=refuse, daemon=True).start()
    patient.settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    patient.settings.EMAIL_HOST, patient.settings.EMAIL_PORT = listener.getsockname()


PLANTED = {
    full_disk: "full disk",
    little_memory: "too little memory",
    small_container: "too little memory",
    no_namespaces: "no user namespaces",
    no_namespaces_for_users: "no user namespaces",
    old_groups: "control groups of version 1",
    few_files: "low limit of open files",
    interpreted: "interpreted rules",
    no_static_files: "no static files",
    short_key: "a short secret key",
    wrong_database: "the database cannot be reached",
    old_schema: "an old schema",
    newer_schema: "a schema newer than this program",
    clock_behind: "a wrong clock",
    no_redis: "Redis cannot be reached",
    evicting_redis: "Redis evicts",
    full_redis: "Redis is full",
    refusing_redis: "Redis refuses a command",
    redis_that_waits_for_a_replica: "Redis refuses a command",
    no_beat: "no beat",
    two_beats: "two beats",
    two_installations: "two installations on one Redis",
    no_validation: "no worker",
    no_arbiter: "the arbiter is away",
    weak_sandbox: "the sandbox is too weak for strangers' bots",
    older_arbiter: "the arbiter is of another version",
    unreadable_store: "the store cannot be read",
    another_store: "another store",
    full_store: "work stands still",
    silent_node: "a node is silent",
    arbiter_of_another_node: "the arbiter of a node is away",
    older_worker: "a node of another version",
    forgotten_drain: "the installation is drained",
    refused_mail: "mail is refused",
}


def test_nothing_is_found_in_a_healthy_installation(patient, make_tournament, play_out):
    play_out(make_tournament())
    patient.beat("gen1@here")  # a beat is silent for longer than it may be while this machine is busy
    assert patient.findings() == []


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_the_cause_of_a_planted_fault_is_named_with_what_to_do(patient, make_tournament, play_out, plant):
    if plant in (unreadable_store, clock_behind):
        play_out(make_tournament())
        patient.beat("gen1@here")
    plant(patient)
    (finding,) = patient.findings()
    assert finding.cause == PLANTED[plant]
    assert finding.advice.endswith(".") or "secrets.token" in finding.advice


def test_what_is_wrong_with_redis_is_told_to_monitors_and_operators(patient):
    patient.monkeypatch.setattr(figures, "arbiter", lambda: patient.arbiter)
    assert (figures.measure().redis_evicts, figures.measure().redis_installations) == (False, 1)
    evicting_redis(patient)
    two_installations(patient)
    now = figures.measure()
    assert (now.redis_evicts, now.redis_installations) == (True, 2)
    assert [text.partition(":")[0] for text in concerns(now)] == [
        "Two installations use one Redis",
        "A full Redis would drop work",
    ]


def test_a_sweep_that_succeeds_tells_who_sent_it(patient, monkeypatch):
    with redis_client() as client:
        client.delete(beat_signs.BEATS)
    traced = build_tracer(sweep.name, sweep, app=sweep.app)
    request = {"id": "1", "origin": "gen77@here", "args": (), "kwargs": {}}
    with monkeypatch.context() as broken:
        broken.setattr(due_steps, "start_due", lambda: 1 / 0)
        traced("1", (), {}, request)
    assert beat_signs.beats() == []
    assert ItemFailure.objects.get().work == sweep.name
    traced("1", (), {}, request)
    assert not ItemFailure.objects.exists()
    (sign,) = beat_signs.beats()
    assert (sign.sender, sign.installation) == ("gen77@here", beat_signs.installation())


def test_the_command_ends_with_an_error_and_can_speak_json(patient, capsys, monkeypatch):
    full_disk(patient)
    command = "stichkampf_platform.operations.management.commands.doctor.Machine"
    monkeypatch.setattr(command, lambda: Machine(**patient.machine))
    with pytest.raises(CommandError, match="1 cause of trouble"):
        call_command("doctor", as_json=True)
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["cause"], finding["grave"]) == ("full disk", True)


def test_missing_settings_are_one_line():
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.production",
        "DATABASE_URL": "postgres://nowhere/x",
    }
    run = subprocess.run(
        [sys.executable, "-m", "stichkampf_platform", "doctor"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert "SECRET_KEY (a long random text" in line


def test_the_limit_of_this_process_is_read():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert Machine().open_files == (hard if hard != resource.RLIM_INFINITY else 2**31)
    assert machine.Machine().rules.name.startswith("deal.")
