"""No process outlives the platform, whichever of its processes is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

# A service leaves a daemon behind: in its own session, without its parent.
PROGRAM = """
import os, subprocess, sys, time
from stichkampf_platform.supervisor.subreaper import run_in_subreaper

MARKS = {marks!r}
DAEMON = '''
import os, time
if os.fork():
    os._exit(0)
os.setsid()
open({marks!r} + "/daemon", "w").write(str(os.getpid()))
time.sleep(600)
'''

def run():
    subprocess.run([sys.executable, "-c", DAEMON], check=True)
    open(MARKS + "/supervisor", "w").write(str(os.getpid()))
    time.sleep(600)
    return 0

sys.exit(run_in_subreaper(run))
"""


@pytest.fixture
def family(tmp_path, is_alive, wait_for):
    environment = {name: value for name, value in os.environ.items() if name != "MAKELEVEL"}
    # as a script starts it in the background
    ignoring = ["sh", "-c", 'trap "" INT TERM HUP; exec "$@"', "sh"]
    program = [sys.executable, "-c", PROGRAM.format(marks=str(tmp_path))]
    subreaper = subprocess.Popen([*ignoring, *program], env=environment)
    pids = {}
    for name in ("daemon", "supervisor"):
        wait_for(lambda name=name: (tmp_path / name).exists() and (tmp_path / name).read_text())
        pids[name] = int((tmp_path / name).read_text())
    yield subreaper, pids
    for pid in (subreaper.pid, *pids.values()):
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
    subreaper.wait()


def test_no_daemon_outlives_a_killed_supervisor(family, is_alive):
    subreaper, pids = family
    os.kill(pids["supervisor"], signal.SIGKILL)
    assert subreaper.wait(60) == 128 + signal.SIGKILL
    assert not is_alive(pids["daemon"])


def test_the_supervisor_dies_with_a_killed_subreaper(family, is_alive, wait_for):
    subreaper, pids = family
    subreaper.kill()
    wait_for(lambda: not is_alive(pids["supervisor"]))


@pytest.mark.parametrize("stop_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_reaches_the_supervisor(family, stop_signal, is_alive):
    subreaper, pids = family
    subreaper.send_signal(stop_signal)
    subreaper.wait(60)
    assert not any(is_alive(pid) for pid in pids.values())
