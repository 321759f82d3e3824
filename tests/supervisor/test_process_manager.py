"""Services are started in order, started again when they die, and stopped with all that they left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stichkampf_platform.supervisor.installation import Place, checkout
from stichkampf_platform.supervisor.output import CannotStart
from stichkampf_platform.supervisor.process_manager import Keeper, StopAsked
from stichkampf_platform.supervisor.services import Service


@pytest.fixture
def place(tmp_path):
    """A place whose services run as whoever runs the tests."""
    place = Place(
        root=checkout(), var=tmp_path, host="127.0.0.1", port=8000, uid=None, redis_url=None, remote_listen=""
    )
    place.prepare_folders()
    yield place
    place.leave()


def sleeper(place, name="sleeper", program="pass", **more) -> Service:
    """Writes a line with its pid at every start, then sleeps."""
    marks = place.var / name
    text = (
        f"import os, time; open({str(marks)!r}, 'a').write(f'{{os.getpid()}}\\n'); {program}; time.sleep(600)"
    )
    return Service(name=name, command=[sys.executable, "-c", text], ready=marks.exists, **more)


def pids_of(place, name="sleeper") -> list[int]:
    marks = place.var / name
    return [int(line) for line in marks.read_text().split()] if marks.exists() else []


def stop_when(condition: str, place) -> subprocess.Popen:
    """Another process that sends this one SIGTERM once the condition holds."""
    program = (
        "import os, pathlib, signal, sys, time\n"
        f"var = pathlib.Path({str(place.var)!r})\n"
        "deadline = time.monotonic() + 60\n"
        f"while not ({condition}) and time.monotonic() < deadline: time.sleep(0.01)\n"
        f"os.kill({os.getpid()}, signal.SIGTERM)\n"
    )
    return subprocess.Popen([sys.executable, "-c", program])


def test_a_service_that_was_killed_is_started_again(place, capfd):
    with Keeper(place) as keeper:
        keeper.start([sleeper(place)])
        first = keeper.running[0].process.pid
        os.kill(first, signal.SIGKILL)
        with stop_when("(var / 'sleeper').read_text().count('\\n') == 2", place):
            keeper.watch()
        assert keeper.running[0].process.pid != first
    assert len(pids_of(place)) == 2
    assert "sleeper died (SIGKILL); starting it again" in capfd.readouterr().out


def test_what_a_dead_service_left_behind_is_killed(place, is_alive, wait_for):
    child = place.state / "child"
    leave_child = f"os.fork() or (open({str(child)!r}, 'w').write(str(os.getpid())), time.sleep(600))"
    with Keeper(place) as keeper:
        keeper.start([sleeper(place, program=leave_child)])
        wait_for(lambda: child.exists() and child.read_text())
        keeper.running[0].process.kill()
        keeper.running[0].bury()
        wait_for(lambda: not is_alive(int(child.read_text())))


def test_stopping_ends_every_service_the_last_started_first(place, capfd, is_alive):
    with Keeper(place) as keeper:
        keeper.start([sleeper(place, "first")])
        keeper.start([sleeper(place, "second")])
    assert "stopping: second, first" in capfd.readouterr().out
    assert not any(is_alive(pid) for name in ("first", "second") for pid in pids_of(place, name))


def test_a_service_that_ignores_the_stop_signal_is_killed_in_the_end(place, is_alive, wait_for):
    deaf = place.state / "deaf"
    program = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({str(deaf)!r}, 'w')"
    with Keeper(place) as keeper:
        keeper.start([sleeper(place, program=program, stop_seconds=0.2)])
        wait_for(deaf.exists)
    assert not is_alive(pids_of(place)[0])


def test_a_service_that_ends_at_once_is_reported_with_its_last_words(place):
    fails = [sys.executable, "-c", "raise SystemExit('no such table')"]
    broken = Service(name="broken", command=fails, ready=lambda: False)
    words = r"broken ended at once \(exit code 1\): no such table"
    with pytest.raises(CannotStart, match=words), Keeper(place) as keeper:
        keeper.start([broken])


def test_a_stop_while_starting_stops_what_was_started(place, is_alive):
    never = Service(name="never", command=["sleep", "600"], ready=lambda: False)
    begun = "(var / 'sleeper').exists() and (var / 'log' / 'never.log').exists()"
    with pytest.raises(StopAsked), Keeper(place) as keeper, stop_when(begun, place):
        keeper.start([sleeper(place), never])
    assert not is_alive(pids_of(place)[0])


def test_a_stop_while_something_else_is_done_interrupts_it(place):
    with pytest.raises(StopAsked), Keeper(place) as keeper, stop_when("True", place), keeper.interruptible():
        time.sleep(60)


def test_each_early_death_makes_the_next_start_wait_longer(place):
    pauses = []
    with Keeper(place) as keeper:
        keeper.start([sleeper(place)])
        running = keeper.running[0]
        for _ in range(8):
            running.process.kill()
            running.bury()
            pauses.append(running.due - time.monotonic())
            running.start()
    assert pauses[:6] == sorted(pauses[:6])
    assert pauses[0] < 1 < 9 < pauses[-1] <= 10


def test_only_services_that_need_the_database_are_told_its_address_and_key(place, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://someone:secret@localhost/stichkampf")
    monkeypatch.setenv("SECRET_KEY", "secret")
    assert "secret" not in str(place.environment(secrets=False))
    assert place.environment(secrets=True)["DATABASE_URL"].startswith("postgres://")


SUPERVISOR = """
from pathlib import Path
from stichkampf_platform.supervisor.process_manager import Keeper
from stichkampf_platform.supervisor.installation import Place, checkout
from stichkampf_platform.supervisor.services import Service

place = Place(
    root=checkout(), var=Path({var!r}), host="127.0.0.1", port=8000,
    uid=None, redis_url=None, remote_listen="",
)
with Keeper(place) as keeper:
    keeper.start([Service(name="bound", command=["sleep", "600"])])
    print("pid", keeper.running[0].process.pid, flush=True)
    keeper.watch()
"""


def test_a_service_dies_with_a_killed_supervisor(place, is_alive, wait_for):
    program = SUPERVISOR.format(var=str(place.var))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as supervisor:
        pid = int(next(line.split()[1] for line in supervisor.stdout if line.startswith("pid ")))
        # once setpriv has bound it and made way
        wait_for(lambda: Path(f"/proc/{pid}/comm").read_text().strip() == "sleep")
        supervisor.kill()
    wait_for(lambda: not is_alive(pid))
