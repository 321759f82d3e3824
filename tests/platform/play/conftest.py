"""Real parts of a table: Redis, an arbiter and the hub, each of which a test may kill."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.play import matches, other_bots, services
from stichkampf_platform.supervisor.health import accepts, answers_ping
from stichkampf_platform.supervisor.redis import newest_server
from support import Program, wait_until

ORDINARY_UID = 54_321


class Parts:
    """The programs behind a table, and a client of the arbiter.

    :ivar programs: by name, those that run.
    """

    def __init__(self, folder, python):
        self.folder, self.python = folder, python
        self.redis_url = f"redis+socket://{folder / 'redis.sock'}"
        self.address = f"unix:{folder / 'arbiter.sock'}"
        self.programs = {}
        self.client = ArbiterClient(self.address)

    def start(self, *names):
        environment = {
            "PATH": os.environ["PATH"],
            "REDIS_URL": self.redis_url,
            "STICHKAMPF_ARBITER_ADDRESS": self.address,
            "STICHKAMPF_STATE_DIR": str(self.folder),
        }
        redis, socket = self.folder / "redis.sock", self.folder / "arbiter.sock"
        commands = {
            "redis": (
                [
                    newest_server().program,
                    "--port",
                    "0",
                    "--unixsocket",
                    redis,
                    "--save",
                    "",
                    "--dir",
                    self.folder,
                ],
                lambda: answers_ping(redis),
            ),
            "arbiter": ([self.python, "-m", "stichkampf_arbiter"], lambda: accepts(socket)),
            "hub": ([self.python, "-m", "stichkampf_platform.play.hub"], None),
        }
        for name in names:
            command, ready = commands[name]
            log = self.folder / f"{name}.log"
            self.programs[name] = Program(command, log, ready=ready, environment=environment)
        wait_until(self.are_connected, goal="people's seats are connected")

    def kill(self, name):
        self.programs.pop(name).kill()

    def are_connected(self):
        try:
            return self.client.has_people()
        except ArbiterGone:
            return False

    def close(self):
        for name in list(self.programs):
            self.kill(name)
        self.client.close()


@pytest.fixture(scope="module")
def python_of_parts():
    """The interpreter of arbiter and hub."""
    return sys.executable


@pytest.fixture(scope="module")
def parts_of_module(python_of_parts):
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    if os.getuid() == 0:
        os.chown(folder, ORDINARY_UID, ORDINARY_UID)
    parts = Parts(folder, python_of_parts)
    try:
        parts.start("redis", "arbiter", "hub")
        yield parts
    finally:
        parts.close()
        shutil.rmtree(folder)


@pytest.fixture
def parts(parts_of_module, settings, monkeypatch, db):
    """The parts, as the services of this test use them."""
    settings.REDIS_URL = parts_of_module.redis_url
    for module in (matches, other_bots, services):
        monkeypatch.setattr(module, "gate", lambda: parts_of_module.client, raising=False)
    return parts_of_module
