"""The workers of `make up`: children of one process, which starts each again and ends with all of them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf_platform.supervisor import worker_programs
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.services import redis
from support import children_of, wait_until

pytestmark = pytest.mark.machine
NAMES = ["marks", "beat"]


@pytest.fixture
def workers(tmp_path):
    """The process of two programs, on a Redis of its own and without a database."""
    installation = Installation.from_environment({"STICHKAMPF_VAR": str(tmp_path)}, checkout())
    installation.prepare_folders()
    server = redis(installation)
    environment = {
        **os.environ,
        "REDIS_URL": f"redis+socket://{installation.redis_socket}",
        "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.test",
    }
    log = tmp_path / "workers.log"
    with subprocess.Popen(server.command, stdout=subprocess.DEVNULL) as broker, log.open("wb") as output:
        wait_until(server.ready)
        with subprocess.Popen(
            [sys.executable, "-m", "stichkampf_platform.workers", *NAMES],
            env=environment, stdout=output, stderr=output,
        ) as process:  # fmt: skip
            process.log = log
            wait_until(lambda: set(named(process)) == set(NAMES), goal="both run")
            yield process
            process.kill()
        broker.kill()


def named(process):
    """The children by the names that they have given themselves."""
    found = {}
    for pid in children_of(process.pid):
        try:
            found[Path(f"/proc/{pid}/comm").read_text().strip()] = pid
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def test_a_child_that_was_killed_is_started_again_and_all_end_with_a_signal(workers):
    before = named(workers)
    os.kill(before["marks"], signal.SIGKILL)
    wait_until(lambda: named(workers).get("marks", before["marks"]) != before["marks"], goal="it is back")
    assert named(workers)["beat"] == before["beat"]
    assert "marks ended with -9; it is started again" in workers.log.read_text()
    workers.send_signal(signal.SIGQUIT)
    assert workers.wait(60) == 0


def test_a_child_that_does_not_quit_is_killed(workers):
    os.kill(named(workers)["marks"], signal.SIGSTOP)
    workers.send_signal(signal.SIGQUIT)
    assert workers.wait(60) == 0


def test_no_child_outlives_a_parent_that_was_killed(workers):
    children = named(workers).values()
    workers.kill()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), goal="all have ended")


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are():
    refused = subprocess.run(
        [sys.executable, "-m", "stichkampf_platform.workers", "sweeper"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.test"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    known = "give some of worker experiments validation maintenance marks beat"
    assert (refused.returncode, refused.stderr) == (2, f"There is no sweeper: {known}\n")


def test_a_large_machine_has_more_processes_with_as_many_places_together(monkeypatch):
    monkeypatch.setattr(worker_programs, "CORES", 10)
    monkeypatch.setitem(worker_programs.PLACES, "worker", 22)
    assert worker_programs.processes("worker") == ["worker", "worker2", "worker3"]
    assert worker_programs.places("worker3") == 8
    assert worker_programs.processes("marks") == ["marks"]
    assert worker_programs.places("somebody's") is None
