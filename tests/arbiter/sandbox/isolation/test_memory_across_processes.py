"""A planted bot that wants to tell its next process what it saw: every way it could leave a mark, and look
for it."""

from __future__ import annotations

import pytest

CHANNELS = {
    "a file": (
        ("tmp",),
        "os.makedirs(f'/tmp/{mark}', exist_ok=True); open(f'/tmp/{mark}/seen', 'w').close()",
        "os.path.exists(f'/tmp/{mark}/seen')",
    ),
    "an abstract socket": (
        ("net",),
        "listener = socket.socket(socket.AF_UNIX); listener.bind('\\0' + mark); listener.listen()",
        "works(socket.socket(socket.AF_UNIX).connect, '\\0' + mark)",
    ),
    "a lock on a file of the SDK": (
        ("seccomp", "own files"),
        "file = open(sdk); works(fcntl.flock, file, fcntl.LOCK_EX)",
        "not works(fcntl.flock, open(sdk), fcntl.LOCK_SH | fcntl.LOCK_NB) and is_locked(open(sdk))",
    ),
    "System V memory": (
        ("seccomp", "ipc"),
        "call('shmget', key, 4096, 0o1000 | 0o666)",
        "call('shmget', key, 4096, 0o666)",
    ),
    "the name of a process": (
        ("pid",),
        "libc.prctl(15, mark[-12:].encode(), 0, 0, 0)",
        "any(name_of(number) == mark[-12:] for number in range(1, 100_000))",
    ),
}
WORDS = """
sdk = "/opt/stichkampf/lib/python%d.%d/site-packages/stichkampf/__init__.py" % sys.version_info[:2]
mark = sys.argv[1]
key = int.from_bytes(mark[-3:].encode(), "big")

def is_locked(file):
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False

def name_of(number):
    try:
        with open(f"/proc/{number}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""
"""


@pytest.mark.parametrize("is_weak", [False, True], ids=["default", "weakened"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_process_learns_nothing_from_another_of_the_same_bot(
    arenas, prelude, until, public_folder, channel, is_weak
):
    protections, leave, look = CHANNELS[channel]
    place = arenas(*protections) if is_weak else arenas()
    mark = public_folder.name
    first = place.start(f"{prelude}{WORDS}{leave}\nprint('left', flush=True)\ntime.sleep(600)", mark)
    try:
        assert until(lambda: "left" in first.stderr), first.stderr
        assert place.gets_through(f"{WORDS}end({look})", mark) == is_weak
    finally:
        place.kill(first)


def test_two_processes_of_a_bot_see_the_same_surroundings(arena, prelude):
    code = """
import json, os, resource, sys
print(json.dumps([
    dict(os.environ), sys.argv, sys.path, os.getpid(), os.getppid(), os.getuid(), os.uname()[:2], os.getcwd(),
    [fd for fd in range(64) if works(os.fstat, fd)], os.listdir("/tmp"), os.stat("/bot/archive").st_size,
    [resource.getrlimit(number) for number in range(16)], sorted(os.sched_getaffinity(0)),
]))
"""
    assert len({arena.run(prelude + code).stderr for _ in range(3)}) == 1
