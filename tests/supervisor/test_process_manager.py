"""Services are started in order, restarted when they die, and stopped with everything they left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from stichkampf_platform.supervisor import process_manager
from stichkampf_platform.supervisor.installation import SECRETS, Installation, checkout
from stichkampf_platform.supervisor.output import CannotStart
from stichkampf_platform.supervisor.process_manager import ProcessManager, StopAsked
from stichkampf_platform.supervisor.services import Service, hub
from support import wait_until


@pytest.fixture
def installation(tmp_path):
    """An installation whose services run as the user who runs the tests."""
    installation = Installation(
        root=checkout(), var=tmp_path, host="127.0.0.1", port=8000, uid=None, redis_url=None, remote_listen=""
    )
    installation.prepare_folders()
    yield installation
    installation.leave()


def sleeper(installation, name="sleeper", program="pass", **more) -> Service:
    """Return a service that writes its pid at every start, then sleeps."""
    marks = installation.var / name
    text = (
        f"import os, time; open({str(marks)!r}, 'a').write(f'{{os.getpid()}}\\n'); {program}; time.sleep(600)"
    )
    return Service(name=name, command=[sys.executable, "-c", text], ready=marks.exists, **more)


def pids_of(installation, name="sleeper") -> list[int]:
    marks = installation.var / name
    return [int(line) for line in marks.read_text().split()] if marks.exists() else []


def stop_when(condition: str, installation) -> subprocess.Popen:
    """Start a process that sends this one SIGTERM once the condition holds."""
    program = (
        "import os, pathlib, signal, sys, time\n"
        f"var = pathlib.Path({str(installation.var)!r})\n"
        "deadline = time.monotonic() + 60\n"
        f"while not ({condition}) and time.monotonic() < deadline: time.sleep(0.01)\n"
        f"os.kill({os.getpid()}, signal.SIGTERM)\n"
    )
    return subprocess.Popen([sys.executable, "-c", program])


def test_a_killed_service_is_restarted(installation, capfd):
    with ProcessManager(installation) as manager:
        manager.start([sleeper(installation)])
        first = manager.running[0].process.pid
        os.kill(first, signal.SIGKILL)
        with stop_when("(var / 'sleeper').read_text().count('\\n') == 2", installation):
            manager.watch()
        assert manager.running[0].process.pid != first
    assert len(pids_of(installation)) == 2
    assert "sleeper died (SIGKILL); starting it again" in capfd.readouterr().out


def test_children_of_a_dead_service_are_killed(installation, is_alive, wait_for):
    child = installation.state / "child"
    leave_child = f"os.fork() or (open({str(child)!r}, 'w').write(str(os.getpid())), time.sleep(600))"
    with ProcessManager(installation) as manager:
        manager.start([sleeper(installation, program=leave_child)])
        wait_for(lambda: child.exists() and child.read_text())
        manager.running[0].process.kill()
        manager.running[0].reap()
        wait_for(lambda: not is_alive(int(child.read_text())))


def test_stopping_ends_the_services_in_reverse_order(installation, capfd, is_alive):
    with ProcessManager(installation) as manager:
        manager.start([sleeper(installation, "first")])
        manager.start([sleeper(installation, "second")])
    assert "stopping: second, first" in capfd.readouterr().out
    assert not any(is_alive(pid) for name in ("first", "second") for pid in pids_of(installation, name))


def test_a_service_that_ignores_the_stop_signal_is_killed_in_the_end(installation, is_alive, wait_for):
    ignoring = installation.state / "ignoring"
    program = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({str(ignoring)!r}, 'w')"
    with ProcessManager(installation) as manager:
        manager.start([sleeper(installation, program=program, stop_seconds=0.2)])
        wait_for(ignoring.exists)
    assert not is_alive(pids_of(installation)[0])


def test_a_service_that_ends_at_once_is_reported_with_its_last_line(installation):
    fails = [sys.executable, "-c", "raise SystemExit('no such table')"]
    broken = Service(name="broken", command=fails, ready=lambda: False)
    words = r"broken ended at once \(exit code 1\): no such table"
    with pytest.raises(CannotStart, match=words), ProcessManager(installation) as manager:
        manager.start([broken])


def test_a_stop_during_the_start_stops_the_started_services(installation, is_alive):
    never = Service(name="never", command=["sleep", "600"], ready=lambda: False)
    begun = "(var / 'sleeper').exists() and (var / 'log' / 'never.log').exists()"
    with pytest.raises(StopAsked), ProcessManager(installation) as manager, stop_when(begun, installation):
        manager.start([sleeper(installation), never])
    assert not is_alive(pids_of(installation)[0])


def test_a_stop_interrupts_other_work(installation):
    with (
        pytest.raises(StopAsked),
        ProcessManager(installation) as manager,
        stop_when("True", installation),
        manager.interruptible(),
    ):
        time.sleep(60)


def test_a_log_that_grows_while_its_program_runs_is_kept_within_bounds(installation, monkeypatch):
    monkeypatch.setattr(process_manager, "LOG_BYTES", 1000)
    monkeypatch.setattr(process_manager, "LOG_SECONDS", 0.05)
    counted = "print(f'line {n:9}', flush=True); time.sleep(0.001)"
    talks = f"import itertools, time\nfor n in itertools.count(): {counted}"
    log = installation.logs / "talker.log"
    with ProcessManager(installation) as manager:
        manager.start([Service(name="talker", command=[sys.executable, "-c", talks])])
        pid = manager.running[0].process.pid
        until_rotated = "from pathlib import Path\nimport time\n" + (
            f"while not Path({str(log)!r} + '.1').exists(): time.sleep(0.01)"
        )
        with subprocess.Popen([sys.executable, "-c", until_rotated]) as rotated:
            manager.watch(until=rotated)
        assert manager.running[0].process.pid == pid
        before = int((log.parent / "talker.log.1").read_text().split()[-1])
        wait_until(lambda: log.read_text().count("line") > 1, goal="the program writes on")
    text = log.read_text()
    assert "\0" not in text
    assert int(text.split()[1]) > before


def test_each_early_death_delays_the_next_start_longer(installation):
    pauses = []
    with ProcessManager(installation) as manager:
        manager.start([sleeper(installation)])
        running = manager.running[0]
        for _ in range(8):
            running.process.kill()
            running.reap()
            pauses.append(running.due - time.monotonic())
            running.start()
    assert pauses[:6] == sorted(pauses[:6])
    assert pauses[0] < 1 < 9 < pauses[-1] <= 10


def test_only_services_that_need_the_database_get_its_address_and_key(installation, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://someone:secret@localhost/stichkampf")
    monkeypatch.setenv("SECRET_KEY", "secret")
    assert "secret" not in str(installation.environment())
    assert installation.environment(secrets=SECRETS)["DATABASE_URL"].startswith("postgres://")
    told = installation.environment(secrets=hub().secrets)
    assert "secret" not in str(told)
    assert told["REDIS_URL"] == f"redis+socket://{installation.redis_socket}"


SUPERVISOR = """
from pathlib import Path
from stichkampf_platform.supervisor.process_manager import ProcessManager
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.services import Service

installation = Installation(
    root=checkout(), var=Path({var!r}), host="127.0.0.1", port=8000,
    uid=None, redis_url=None, remote_listen="",
)
with ProcessManager(installation) as manager:
    manager.start([Service(name="bound", command=["sleep", "600"])])
    print("pid", manager.running[0].process.pid, flush=True)
    manager.watch()
"""


def test_a_service_dies_with_a_killed_supervisor(installation, is_alive, wait_for):
    program = SUPERVISOR.format(var=str(installation.var))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as supervisor:
        pid = int(next(line.split()[1] for line in supervisor.stdout if line.startswith("pid ")))
        # once setpriv has bound it and made way
        wait_for(lambda: Path(f"/proc/{pid}/comm").read_text().strip() == "sleep")
        supervisor.kill()
    wait_for(lambda: not is_alive(pid))
