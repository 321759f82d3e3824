"""Attacks of a bot on another one of the same machine, and ways for both to talk."""

from __future__ import annotations

import ctypes
import os
import socket
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.contract import SandboxError


def mounts_of(pid: int) -> dict[str, str]:
    """The device of each mounted file system, by its place."""
    lines = [line.split() for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()]
    return {fields[4]: fields[2] for fields in lines}


@pytest.fixture
def bot_folder_of(number_of):
    """The name of a sandbox's folder among all of them."""

    def name(place, bot) -> str:
        device = mounts_of(bot.pid)["/bot"]
        found = mounts_of(number_of(place.launcher))
        return next(Path(path).name for path in found if "/bots/" in path and found[path] == device)

    return name


@pytest.mark.held_by("bot folders", "uid")
def test_a_bot_does_not_reach_the_socket_of_another(here, attack, weakened, until, bot_folder_of):
    neighbour = here.start("import time; print('ready', flush=True); time.sleep(600)")
    # No process listens there: a refused connection, not a missing path, shows that the socket was reached.
    code = """
try:
    socket.socket(socket.AF_UNIX).connect(f"/bots/{sys.argv[1]}/arbiter.sock")
except OSError as error:
    end(error.errno == errno.ECONNREFUSED)
"""
    assert until(lambda: "ready" in neighbour.stderr)
    try:
        assert attack(code, bot_folder_of(here, neighbour)) == weakened
    finally:
        here.kill(neighbour)


@pytest.mark.held_by("bot folders", "uid")
def test_a_bot_does_not_read_the_archive_of_another(here, attack, weakened, until, bot_folder_of):
    neighbour = here.start("import time; print('ready', flush=True); time.sleep(600)")
    assert until(lambda: "ready" in neighbour.stderr)
    try:
        assert (
            attack("end(works(open, f'/bots/{sys.argv[1]}/archive'))", bot_folder_of(here, neighbour))
            == weakened
        )
    finally:
        here.kill(neighbour)


def test_even_in_sight_the_socket_of_another_bot_is_closed_to_it(arenas, until, bot_folder_of):
    weak = arenas("bot folders")
    neighbour = weak.start("import time; print('ready', flush=True); time.sleep(600)")
    assert until(lambda: "ready" in neighbour.stderr)
    code = """
import os, sys
print(os.access(f"/bots/{sys.argv[1]}/arbiter.sock", os.W_OK), os.path.isdir("/bots"))
"""
    report = weak.run(code, bot_folder_of(weak, neighbour))
    weak.kill(neighbour)
    assert report.stderr == "False True\n"


def test_every_bot_has_a_uid_of_its_own(arena):
    bots = [arena.start("import time; time.sleep(600)") for _ in range(5)]
    uids = {Path(f"/proc/{bot.pid}").stat().st_uid for bot in bots}
    for bot in bots:
        arena.kill(bot)
    assert len(uids) == 5
    assert 0 not in uids


@pytest.mark.held_by("uid")
def test_a_bot_with_many_threads_does_not_starve_another(here, attack, weakened, prelude, until):
    # The kernel counts the threads of a uid, not those of a bot.
    code = """
import threading
stop = threading.Event()
threading.stack_size(64 << 10)
def breed():
    for _ in range(50):
        try:
            threading.Thread(target=stop.wait, daemon=True).start()
        except RuntimeError:
            return False
    return True
"""
    neighbour = here.start(prelude + code + "print(breed(), flush=True)\ntime.sleep(600)")
    try:
        assert until(lambda: "True" in neighbour.stderr)
        try:
            starves = attack(code + "end(not breed())")
        except SandboxError:  # not even its sandbox could start a process
            starves = True
        assert starves == weakened
    finally:
        here.kill(neighbour)


@pytest.mark.held_by("pid", "uid")
def test_a_bot_sees_no_process_of_another(attack, weakened, here):
    neighbour = here.start("import time; time.sleep(600)", "needle")
    code = """
import glob
def lines():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                yield file.read()
        except OSError:
            continue
end(any(line.endswith(b"needle" + bytes(1)) for line in lines()))
"""
    try:
        assert attack(code) == weakened
    finally:
        here.kill(neighbour)


@pytest.mark.held_by("seccomp", "own files")
@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_two_bots_cannot_talk_through_a_lock_on_a_file_that_both_see(
    here, attack, weakened, prelude, until, lock
):
    see = 'file = open("/opt/stichkampf/lib/python%d.%d/site-packages/stichkampf/__init__.py" % '
    see += "sys.version_info[:2])\n"
    code = {
        "flock": """
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    end(False)
except BlockingIOError:
    end(True)
except OSError:
    end(False)
""",
        "lockf": "end(works(fcntl.lockf, file, fcntl.LOCK_SH | fcntl.LOCK_NB))",
    }[lock]
    take = "works(fcntl.flock, file, fcntl.LOCK_EX)\nprint('tried', flush=True)\ntime.sleep(600)"
    neighbour = here.start(prelude + see + take)
    try:
        assert until(lambda: "tried" in neighbour.stderr)
        assert attack(see + code) == weakened
    finally:
        here.kill(neighbour)


@pytest.mark.held_by("seccomp", "ipc")
def test_two_bots_cannot_talk_through_shared_memory(attack, weakened):
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x57000000 | os.getpid() & 0xFFFFFF  # no other test's, which may remove it meanwhile
    number = libc.shmget(key, 4096, 0o1000 | 0o666)
    assert number != -1
    try:
        assert attack(f"end(call('shmget', {key}, 4096, 0o666))") == weakened
    finally:
        libc.shmctl(number, 0, None)


def test_an_uncovered_socket_that_is_not_the_arbiters_is_refused(arena, tmp_path):
    import dataclasses

    spec = arena.spec("print('never')")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    folder = dataclasses.replace(spec, socket_path=tmp_path)
    error = arena.refusal(folder)
    assert "is no socket" in error
