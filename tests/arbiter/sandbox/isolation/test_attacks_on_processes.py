"""Attacks of a hostile bot on other processes, and processes of its own that try to outlive it."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.isolation.bubblewrap_options import ENVIRONMENT
from stichkampf_arbiter.sandbox.limits import Limits

SECONDS = 60.0


@pytest.mark.held_by("pid")
def test_a_bot_reads_no_command_line_of_another_process(attack, weakened):
    code = """
import glob
def lines():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                yield file.read()
        except OSError:
            continue
end(b"sleep\\000600\\0" in lines())
"""
    assert attack(code) == weakened


@pytest.mark.held_by("environment", "proc")
def test_a_bot_reads_no_environment_but_its_own(attack, weakened):
    code = """
import glob
own = set(sys.argv[1:])
def names():
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                for line in file.read().split(b"\\0"):
                    yield line.partition(b"=")[0].decode()
        except OSError:
            continue
end(bool({name for name in names() if name} - own))
"""
    assert attack(code, *ENVIRONMENT, "PWD", "LC_CTYPE") == weakened


@pytest.mark.held_by("pid", "uid")
def test_a_bot_signals_no_process_of_another(attack, weakened, arenas):
    shared = arenas("uid")
    code = "end(works(os.kill, int(sys.argv[1]), 0))"
    if weakened:
        assert attack(code, arenas("pid", "uid").victim)
    else:
        # The victim has the bot's own uid here, and only its process number is out of reach.
        assert not shared.gets_through(code, shared.victim)


def test_a_signal_to_everybody_ends_only_the_sandbox_itself(arenas, until):
    shared = arenas("uid")
    neighbour = shared.start("import time; print('ready', flush=True); time.sleep(600)")
    assert until(lambda: "ready" in neighbour.stderr)
    code = """
import os, signal
if os.fork() == 0:
    signal.pause()
os.kill(-1, signal.SIGKILL)
print("alone", os.waitstatus_to_exitcode(os.wait()[1]))
"""
    assert shared.run(code).stderr == "alone -9\n"
    assert shared.lives(shared.victim)
    assert not neighbour.ended
    assert shared.kill(neighbour).kind == "killed"


def test_without_a_process_namespace_a_named_victim_would_fall(arenas):
    weak = arenas("pid", "uid")
    assert weak.gets_through("end(works(os.kill, int(sys.argv[1]), signal.SIGCONT))", weak.victim)


@pytest.mark.held_by("seccomp")
def test_a_bot_traces_not_even_the_first_process_of_its_sandbox(attack, weakened):
    seize, detach = 0x4206, 17
    assert (
        attack(f"ok = call('ptrace', {seize}, 1, 0, 0); call('ptrace', {detach}, 1, 0, 0); end(ok)")
        == weakened
    )


@pytest.mark.held_by("seccomp")
def test_a_bot_reads_no_memory_of_another_process(attack, weakened):
    code = """
def peek():
    child = os.fork()
    if child == 0:
        time.sleep(600)
        os._exit(0)
    try:
        text = ctypes.create_string_buffer(b"secret")
        target = ctypes.create_string_buffer(6)
        class Part(ctypes.Structure):
            _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]
        here, there = Part(ctypes.addressof(target), 6), Part(ctypes.addressof(text), 6)
        read = libc.process_vm_readv
        read.argtypes = [ctypes.c_int, *[ctypes.c_void_p, ctypes.c_ulong] * 2, ctypes.c_ulong]
        return read(child, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0) == 6
    finally:
        os.kill(child, signal.SIGKILL)
end(peek())
"""
    assert attack(code) == weakened


@pytest.mark.held_by("proc")
def test_a_bot_reads_no_memory_of_the_first_process_of_its_sandbox(attack, weakened):
    code = """
import re
def words():
    with open("/proc/1/maps") as maps, open("/proc/1/mem", "rb", buffering=0) as memory:
        for line in maps:
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            if "[stack]" in line or "[heap]" in line:
                memory.seek(start)
                yield from re.findall(rb"/bots/[0-9a-f]{16}", memory.read(end - start))
try:
    end(bool(list(words())))
except OSError:
    end(False)
"""
    assert attack(code) == weakened


@pytest.mark.held_by("pid", "uid", "user")
def test_a_bot_opens_no_memory_of_a_process_of_another(attack, arenas, weakened):
    code = "end(works(open, f'/proc/{sys.argv[1]}/mem', 'rb'))"
    if weakened:
        assert attack(code, arenas("pid", "uid", "user").victim)
    else:
        # Whatever else the bot and the victim share, the process namespace and the user namespace each hold.
        for shared in (arenas("uid", "user"), arenas("pid", "uid")):
            assert not shared.gets_through(code, shared.victim)


DAEMON = """
import os, signal, time
for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("daemon", flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
"""


def uid_of(bot) -> int:
    """Read it from its status: the folder of a process that cannot be dumped is root's."""
    status = Path(f"/proc/{bot.pid}/status").read_text()
    uid = int(re.search(r"^Uid:\t(\d+)", status, re.MULTILINE)[1])
    assert uid, "all processes of this uid are ended by hand"
    return uid


def number_for_the_launcher(bot) -> int:
    """A launcher is the first of its own process namespace, one below that of this test."""
    status = Path(f"/proc/{bot.pid}/status").read_text()
    return int(re.search(r"^NSpid:\t\d+\t(\d+)", status, re.MULTILINE)[1])


def end_by_hand(numbers) -> None:
    for number in numbers:
        os.kill(number, 9)


@pytest.mark.held_by("pid")
def test_a_daemon_does_not_outlive_its_bot(here, weakened, processes_of, until):
    bot = here.start(DAEMON + "time.sleep(1)")
    uid = uid_of(bot)
    here.wait(bot)
    survivors = processes_of(uid)
    try:
        assert bool(survivors) == weakened
    finally:
        end_by_hand(survivors)


@pytest.mark.held_by("pid")
def test_a_bot_that_ignores_every_signal_is_killed_with_all_its_processes(
    here, weakened, processes_of, until
):
    bot = here.start(DAEMON + "time.sleep(600)")
    uid = uid_of(bot)
    assert until(lambda: "daemon" in bot.stderr)
    assert here.kill(bot).kind == "killed"
    survivors = processes_of(uid)
    try:
        assert bool(survivors) == weakened
    finally:
        end_by_hand(survivors)


BOMB = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.monotonic() + 60
print("ready", flush=True)
while time.monotonic() < end:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
"""


def defuse(find_processes, until) -> bool:
    """End a bomb by hand: stopped first, since a process that runs makes a new one for each that is ended."""

    def is_over() -> bool:
        found = find_processes()
        for number in found:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGSTOP)
        if find_processes() == found:
            end_by_hand(found)
        return not found

    return until(is_over)


def survives_a_kill(place, processes: int, processes_of, until) -> bool:
    """Tell whether a process of a fork bomb lives on after its sandbox was killed; none does afterwards."""
    bot = place.start(BOMB, limits=Limits(processes=processes, wall_seconds=SECONDS))
    uid = uid_of(bot)
    assert until(lambda: "ready" in bot.stderr)
    assert until(lambda: len(processes_of(uid)) > processes // 2)
    try:
        assert place.kill(bot).kind == "killed"
        return bool(processes_of(uid))
    finally:
        assert defuse(lambda: processes_of(uid), until)


@pytest.mark.held_by("pid")
def test_a_kill_during_a_fork_bomb_leaves_nothing(here, weakened, processes_of, until):
    if weakened:  # by a small bomb, which on a busy machine may be ended at once all the same
        assert any(survives_a_kill(here, 20, processes_of, until) for _ in range(10))
    else:
        assert not survives_a_kill(here, 64, processes_of, until)


STORM = """
reached = False
for _ in range(100):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
        reached = works(os.kill, aim, number) or reached
"""


@pytest.mark.held_by("pid")
def test_a_storm_of_signals_at_the_process_that_holds_a_sandbox_changes_nothing(here, weakened, prelude):
    report = here.run(f"{prelude}aim = os.getppid(){STORM}")
    # Without a process namespace this is bubblewrap outside, and the sandbox falls at the first signal.
    assert (report.kind, report.code) == (("signalled", None) if weakened else ("exited", 0))
    assert here.run("print('still here')").stderr == "still here\n"


@pytest.mark.held_by("pid", "uid")
def test_a_storm_of_signals_reaches_no_process_of_another(here, arenas, weakened, until):
    place = here if weakened else arenas("uid")
    neighbour = place.start("import time; print('ready', flush=True); time.sleep(600)")
    assert until(lambda: "ready" in neighbour.stderr)
    storm = f"aim = int(sys.argv[1]){STORM}end(reached)"
    assert place.gets_through(storm, number_for_the_launcher(neighbour)) == weakened
    if weakened:
        assert place.wait(neighbour).kind == "signalled"
    else:
        assert not neighbour.ended
        assert place.kill(neighbour).kind == "killed"


def test_a_stopped_sandbox_is_killed_as_well(arena, processes_of, until):
    bot = arena.start("import os, signal, time\nprint('ready', flush=True)\ntime.sleep(600)")
    uid = uid_of(bot)
    assert until(lambda: "ready" in bot.stderr)
    for number in processes_of(uid):
        os.kill(number, 19)
    assert arena.kill(bot).kind == "killed"
    assert processes_of(uid) == []


def test_a_sandbox_whose_outer_process_is_killed_is_reported_and_gone(arena, processes_of, until):
    bot = arena.start("import time\nprint('ready', flush=True)\ntime.sleep(600)")
    uid = uid_of(bot)
    assert until(lambda: "ready" in bot.stderr)
    outer = int(Path(f"/proc/{bot.pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(outer, 9)
    report = arena.wait(bot)
    assert (report.kind, report.signal) == ("signalled", 9)
    assert processes_of(uid) == []
