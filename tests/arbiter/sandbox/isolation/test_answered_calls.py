"""`fstat`, which a process outside answers: as the kernel would, but for numbers of the whole machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.contract import ExitKind, SandboxLevel
from stichkampf_arbiter.sandbox.isolation import status_answers
from support import children_of

CALLS = """
import socket, stat, threading
FSTAT, NEWFSTATAT = {"x86_64": (5, 262), "aarch64": (80, 79)}[os.uname().machine]
HERE, EMPTY_PATH = ctypes.c_int(-100), 0x1000
libc.syscall.restype = ctypes.c_long

def by_path(descriptor, path, flags=EMPTY_PATH, buffer=None):
    buffer = ctypes.create_string_buffer(256) if buffer is None else buffer
    done = libc.syscall(NEWFSTATAT, descriptor, path, buffer, flags)
    return bytes(buffer) if done == 0 else errno.errorcode[ctypes.get_errno()]

def by_descriptor(descriptor, buffer=None):
    buffer = ctypes.create_string_buffer(256) if buffer is None else buffer
    done = libc.syscall(FSTAT, descriptor, buffer)
    return bytes(buffer) if done == 0 else errno.errorcode[ctypes.get_errno()]
"""
PIPES = """
made = [*os.pipe(), *(each.detach() for each in socket.socketpair()), socket.socket(socket.AF_UNIX).detach()]
numbers = [os.fstat(each).st_ino for each in made] + [os.stat(each).st_ino for each in made]
ways = by_descriptor, lambda one: by_path(one, b""), lambda one: by_path(one, None)
answers = [told(each) for each in made for told in ways]
numbers += [int.from_bytes(answer[8:16], "little") for answer in answers if answer != "EFAULT"]
end(any(numbers))
"""


@pytest.mark.held_by("answers")
def test_no_call_tells_the_number_of_a_pipe_or_a_socket(attack, weakened):
    assert attack(CALLS + PIPES) == weakened


RACE = """
own, _ = os.pipe()
file, moving = os.open("/tmp/file", os.O_CREAT), os.dup(own)
path, ended = ctypes.create_string_buffer(b"x", 2), []
def change():
    while not ended:
        for place, text in ((own, b""), (file, b"x"), (file, b""), (own, b"x")):
            os.dup2(place, moving)
            path[0] = text or b"\\0"
threads = [threading.Thread(target=change) for _ in range(3)]
[thread.start() for thread in threads]
told, number, rounds = set(), os.fstat(file).st_ino, 0
while rounds < 1_000 or sum(isinstance(one, int) for one in told) < 2:  # of the file, and of the pipe
    rounds += 1
    time.sleep(0)
    for answer in (by_descriptor(moving), by_path(moving, path)):
        told.add(answer if isinstance(answer, str) else int.from_bytes(answer[8:16], "little"))
ended.append(True)
end(bool(told - {0, number, "EINVAL", "ENOENT", "ENOTDIR"}))
"""


@pytest.mark.held_by("answers")
def test_no_other_thread_has_the_kernel_answer(attack, weakened):
    """Descriptor and path change while the question is on its way."""
    assert attack(CALLS + RACE) == weakened


SAME = """
os.mkdir("/tmp/folder")
os.symlink("/tmp/file", "/tmp/link")
with open("/tmp/file", "wb") as file:
    file.write(bytes(12_345))
os.utime("/tmp/file", ns=(1, -1_500_000_000))
differ = []
for name in (*"/tmp/file /tmp/folder /tmp / /bot /bot/archive /dev/null /dev/zero".split(), sys.executable):
    opened = os.open(name, os.O_RDONLY)
    if os.fstat(opened) != os.stat(name):
        differ.append((name, os.fstat(opened), os.stat(name)))
link = os.open("/tmp/link", os.O_PATH | os.O_NOFOLLOW)
if os.fstat(link) != os.lstat("/tmp/link"):
    differ.append(("link", os.fstat(link), os.lstat("/tmp/link")))
here = os.open(".", os.O_RDONLY)
if by_path(HERE, b"") != by_descriptor(here):
    differ.append("the folder that it is in")
print(differ, os.fstat(here) == os.stat("."), flush=True)
"""


def test_the_answer_is_what_the_kernel_says_of_the_same_path(arena, prelude):
    assert arena.run(prelude + CALLS + SAME).stderr.strip() == "[] True"


ERRORS = """
far, low = ctypes.c_void_p(2**63 + 4096), ctypes.c_void_p(16)
libc.mmap.restype = ctypes.c_void_p
locked = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(4096), 0, 0x22, -1, ctypes.c_long(0)))
def told(buffer):
    return errno.errorcode[ctypes.get_errno()] if libc.syscall(FSTAT, 0, buffer) else "done"
print(by_descriptor(60), by_descriptor(-1), told(far), told(low), by_path(HERE, low), by_path(0, b"file"))
child = os.fork()
if not child:
    os._exit(0 if stat.S_ISFIFO(os.fstat(0).st_mode) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_wrong_arguments_answer_with_the_kernels_errors(arena, prelude):
    said = arena.run(prelude + CALLS + ERRORS).stderr.split()
    assert said == ["EBADF", "EBADF", "EFAULT", "EFAULT", "EINVAL", "EINVAL", "0"]


@pytest.mark.long
def test_a_sandbox_asks_so_often_and_no_more(arena, prelude):
    """Beyond a number of calls none is answered, since the process that answers costs the bot nothing."""
    loop = f"""
done = 0
try:
    while done < {2 * status_answers.CALLS}:
        os.fstat(0)
        done += 1
except PermissionError:
    print(done > {status_answers.CALLS // 2}, done <= {status_answers.CALLS}, flush=True)
"""
    assert arena.run(prelude + loop).stderr.strip() == "True True"
    assert arena.run("import os; print(os.fstat(0).st_ino)").stderr.strip() == "0"


ASKING = "import os, threading\ndef ask():\n    while True:\n        os.fstat(0)\n"
ASKING += "for _ in range(3):\n    threading.Thread(target=ask, daemon=True).start()\n"
ASKING += "print('ready', flush=True)\nimport time\ntime.sleep(600)"


def test_who_asks_all_the_time_can_be_frozen_thawed_and_killed(arena, until):
    bot = arena.start(ASKING)
    assert until(lambda: "ready" in bot.stderr), bot.stderr
    if arena.launcher.level is not SandboxLevel.DEVELOPMENT:
        bot.freeze()
        used = [0.0, 1.0]
        assert until(lambda: used.append(bot.cpu_seconds()) or used[-1] == used[-2])
        bot.thaw()
        assert until(lambda: bot.cpu_seconds() > used[-1])
        bot.freeze()
    assert arena.kill(bot).kind is ExitKind.KILLED


def test_the_end_of_what_answers_ends_the_launcher_and_charges_no_bot(start, loop, arena, number_of):
    launcher = start()
    bot = loop.run(launcher.launch(arena.spec(ASKING)))
    (answering,) = (
        child
        for child in children_of(number_of(launcher))
        if b"status_answers" in Path(f"/proc/{child}/cmdline").read_bytes()
    )
    os.kill(answering, signal.SIGKILL)
    assert loop.run(bot.wait()).kind is ExitKind.LOST
