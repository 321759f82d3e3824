"""Objects of the kernel that two sandboxes could have in common: waiters on words of files that both see, and
numbers that count the processes of the machine, and what happens to any folder of it."""

from __future__ import annotations

import json
import os
import random
import secrets
import statistics
import time

import pytest
from stichkampf_arbiter.sandbox.contract import SandboxLevel
from stichkampf_arbiter.sandbox.isolation.syscalls import CLONE_PIDFD

BITS = 128
WORDS = """
import threading
FUTEX, WAITV, CLONE, SET_ROBUST_LIST, SET_TID_ADDRESS, EXIT = {
    "x86_64": (202, 449, 56, 273, 218, 60),
    "aarch64": (98, 449, 220, 99, 96, 93),
}[os.uname().machine]
WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET = 0, 1, 3, 4, 5, 9, 10
EVERY = 2**32 - 1
libc.mmap.restype, libc.syscall.restype = ctypes.c_void_p, ctypes.c_long
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
shared = next(
    os.path.join(folder, name)
    for folder in sorted(next(os.walk("/usr/lib"))[1]) for folder in (f"/usr/lib/{folder}",)
    for name in sorted(os.listdir(folder)) if name.startswith("libc.so")
)
BASE = libc.mmap(None, 1 << 20, 1, 1, os.open(shared, os.O_RDONLY), 0) + 4096

def place(number):
    return BASE + 4 * number

def value(number):
    return ctypes.c_uint32.from_address(place(number)).value

def futex(number, operation, first, timeout=None, second=None, third=EVERY):
    word, first, third = ctypes.c_void_p(place(number)), ctypes.c_uint32(first), ctypes.c_uint32(third)
    return libc.syscall(FUTEX, word, operation, first, timeout, second, third)

def requeue(number, operation):
    other = ctypes.c_void_p(place(number + 1024))
    return futex(number, operation, 0, ctypes.c_void_p(1), other, value(number))

def zero():
    return next(number for number in range(200_000) if value(number) == 0)
"""
WAITERS = """
class Waiter(ctypes.Structure):
    _fields_ = [
        ("val", ctypes.c_uint64), ("uaddr", ctypes.c_uint64),
        ("flags", ctypes.c_uint32), ("", ctypes.c_uint32),
    ]

ones = [number for number, bit in enumerate(sys.argv[1]) if bit == "1"]
waiters = (Waiter * len(ones))()
for waiter, number in zip(waiters, ones):
    waiter.uaddr, waiter.val, waiter.flags = place(number), value(number), 2
def wait_together():
    return libc.syscall(WAITV, waiters, len(ones), 0, None, 0) >= 0
begun = threading.Semaphore(0)
def waits(*call):
    begun.release()
    return call[0](*call[1:])
def waits_together():
    while waits(wait_together):
        pass
threads = [threading.Thread(target=waits_together, daemon=True)] + [
    threading.Thread(target=waits, args=(futex, number, operation, value(number)), daemon=True)
    for operation in (WAIT, WAIT_BITSET) for number in ones[:20]
]
[thread.start() for thread in threads]
[begun.acquire() for _ in threads]
time.sleep(0.2)
print("waiting", flush=True)
time.sleep(600)
"""
COUNTS = {
    "wake": "futex(number, WAKE, 1)",
    "wake by bits": "futex(number, WAKE_BITSET, 1)",
    "requeue": "requeue(number, REQUEUE)",
    "requeue if it holds": "requeue(number, CMP_REQUEUE)",
}


@pytest.mark.held_by("seccomp", "own files")
@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS.keys())
def test_nobody_counts_the_waiters_of_a_frozen_sandbox_on_a_file_that_both_see(
    here, weakened, prelude, until, count
):
    word = f"{secrets.randbits(BITS):0{BITS}b}"
    sender = here.start(prelude + WORDS + WAITERS, word)
    try:
        assert until(lambda: "waiting" in sender.stderr), sender.stderr
        sender.freeze()
        report = here.run(
            f"{prelude}{WORDS}print(*[int({count} > 0) for number in range({BITS})], sep='', flush=True)"
        )
    finally:
        here.kill(sender)
    found = report.stderr.strip()
    assert found == (word if weakened else "0" * BITS), report


def test_without_the_filter_a_file_that_is_a_sandboxs_own_tells_no_other_who_waits(
    arenas, arena, prelude, until
):
    is_own = "files of the runtime in common" not in arena.launcher.reason
    sender = arenas("seccomp").start(prelude + WORDS + WAITERS, "1" * BITS)
    try:
        assert until(lambda: "waiting" in sender.stderr), sender.stderr
        report = arenas("seccomp").run(
            f"{prelude}{WORDS}print(sum(futex(number, WAKE, 1) > 0 for number in range({BITS})), flush=True)"
        )
    finally:
        arenas("seccomp").kill(sender)
    assert (int(report.stderr) == 0) == is_own, report


ENDS = {
    "the word that it clears": "libc.syscall(SET_TID_ADDRESS, ctypes.c_void_p(place(target)))",
    "a lock that it was taking": """
class Robust(ctypes.Structure):
    _fields_ = [("next", ctypes.c_void_p), ("offset", ctypes.c_long), ("pending", ctypes.c_void_p)]
robust = Robust(None, 0, place(target))
robust.next = ctypes.addressof(robust)
libc.syscall(SET_ROBUST_LIST, ctypes.byref(robust), ctypes.sizeof(robust))
""",
}
WAITS = """
target = zero()
print("waiting", flush=True)
class Seconds(ctypes.Structure):
    _fields_ = [("whole", ctypes.c_long), ("rest", ctypes.c_long)]
begun = time.monotonic()
answer = futex(target, WAIT, 0, ctypes.byref(Seconds(20, 0)))
print("woken" if answer == 0 else "refused", flush=True)
"""


@pytest.mark.held_by("seccomp", "own files")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_a_thread_that_ends_wakes_nobody_in_another_sandbox(here, weakened, prelude, until, end):
    receiver = here.start(prelude + WORDS + WAITS)
    body = "".join(f"    {line}\n" for line in end.strip().splitlines())
    sender = here.start(
        f"{prelude}{WORDS}target = zero()\ndef leave():\n{body}    libc.syscall(EXIT, 0)\n"
        "for _ in range(40):\n    threading.Thread(target=leave, daemon=True).start()\n    time.sleep(0.1)\n"
        "os._exit(0)\n"
    )
    try:
        assert until(lambda: "woken" in receiver.stderr or "refused" in receiver.stderr), receiver.stderr
        assert ("woken" in receiver.stderr) == weakened
    finally:
        here.kill(sender)
        here.kill(receiver)


PIDFDS = {
    "of itself": "works(os.pidfd_open, os.getpid())",
    "of a new process": f"""
(lambda number: os._exit(0) if number == 0 else number > 0)(
    libc.syscall(CLONE, {CLONE_PIDFD} | signal.SIGCHLD, None, ctypes.byref(ctypes.c_int()), None, None)
)""",
    "of a signal's target": "libc.syscall(424, -1, 0, None, 0) == -1 and ctypes.get_errno() == errno.EBADF",
    "of the other end of a socket": "works(socket.socketpair()[0].getsockopt, socket.SOL_SOCKET, 77)",
    "with a message": "works(socket.socketpair()[0].setsockopt, socket.SOL_SOCKET, 76, 1)",
}


@pytest.mark.held_by("seccomp")
@pytest.mark.parametrize("ask", PIDFDS.values(), ids=PIDFDS.keys())
def test_a_bot_is_given_no_descriptor_of_a_process_whose_number_counts_all_processes(attack, weakened, ask):
    assert attack(f"{WORDS}end({ask.strip()})") == weakened


MOVES = """
os.mkdir("/tmp/folder")
print("moving", flush=True)
while True:
    os.rename("/tmp/folder", "/tmp/other")
    os.rename("/tmp/other", "/tmp/folder")
"""
LOOKS_UP = """
os.mkdir("/tmp/own")
start, path = os.open("/tmp", os.O_RDONLY), b"own/../" * 500 + b"own"
BENEATH, OPENAT2, WANTED = 8, 437, 10
how = struct.pack("QQQ", os.O_RDONLY, 0, BENEATH)
again, until = 0, time.monotonic() + 60
while again < WANTED and time.monotonic() < until:
    found = libc.syscall(OPENAT2, start, path, how, len(how))
    if found >= 0:
        os.close(found)
    elif ctypes.get_errno() == errno.EAGAIN:
        again += 1
    else:
        break
end(again == WANTED)
"""


@pytest.mark.held_by("seccomp")
def test_no_lookup_fails_because_another_sandbox_renames_a_folder(here, weakened, prelude, until):
    sender = here.start(prelude + MOVES)
    try:
        assert until(lambda: "moving" in sender.stderr), sender.stderr
        assert here.gets_through(LOOKS_UP) == weakened
    finally:
        here.kill(sender)


def test_the_inode_that_all_event_descriptors_share_cannot_be_changed(arena, prelude):
    code = """
import json, select
epoll = select.epoll()
made = [libc.eventfd(0, 0), epoll.fileno(), libc.timerfd_create(1, 0)]
def seen():
    return [[f.st_mode, f.st_uid, f.st_atime_ns, f.st_mtime_ns, f.st_ctime_ns] for f in map(os.fstat, made)]
before = seen()
changed = [
    works(change, number, *how)
    for number in made
    for change, *how in ((os.fchmod, 0o777), (os.fchown, 1000, 1000), (os.utime,), (os.utime, (5, 5)))
]
print(json.dumps([any(changed), seen() == before]))
"""
    assert json.loads(arena.run(prelude + code).stderr) == [False, True]


def test_every_page_of_the_shared_files_is_there_before_the_first_bot(arena, prelude):
    """A hole of a file in memory is filled when it is looked at, and everybody sees that it was."""
    code = """
holes = 0
for top in ("/usr", "/opt", "/etc"):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            found = os.stat(path)
            holes += not os.path.islink(path) and found.st_blocks * 512 < found.st_size
print(holes)
"""
    assert arena.run(prelude + code).stderr == "0\n"


LINES, GOOD = 64, 49
CACHE = """
import mmap, random, statistics
# mfence; lfence; rdtsc; lfence; mov esi, eax; mov al, [rdi]; lfence; rdtsc; sub eax, esi; clflush [rdi]; ret
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("0faef00faee80f310faee889c68a070faee80f3129f00fae3f0faef0c3"))
reload = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
load = ctypes.c_char.from_address

def line(number):
    return BASE + 4096 * (2 * number + 1) + 64 * (number * 7 % 64)
"""
LOADS = """
ones = [line(number) for number, bit in enumerate(sys.argv[1]) if bit == "1"]
print("loading", flush=True)
while True:
    for one in ones:
        load(one).value
"""
LONGEST_HIT = """
own = ctypes.create_string_buffer(4096)
near, far = [], []
for _ in range(200):
    load(ctypes.addressof(own)).value
    near.append(reload(ctypes.addressof(own)))
    far.append(reload(ctypes.addressof(own)))
most = (statistics.median(near) + statistics.median(far)) / 2
"""
RELOADS = f"""
found, end = [[] for _ in range({LINES})], time.monotonic() + 2
while time.monotonic() < end:
    for number in random.sample(range({LINES}), {LINES}):
        found[number].append(reload(line(number)) < most)
    time.sleep(0.001)
print(*map(statistics.fmean, found), flush=True)
"""


@pytest.mark.held_by("own files")
def test_nothing_that_a_sandbox_loads_into_the_caches_is_found_there_by_another(
    here, weakened, prelude, until
):
    if os.uname().machine != "x86_64":
        return
    word = f"{secrets.randbits(LINES):0{LINES}b}"
    senders = [here.start(prelude + WORDS + CACHE + LOADS, word) for _ in range(3)]
    shares, right = [0.0] * LINES, 0
    try:
        assert until(lambda: all("loading" in sender.stderr for sender in senders))
        # of guesses, one in 60,000 has 49 right; the busier the machine, the more looks an attack needs
        for _ in range(15 if weakened else 2):
            report = here.run(prelude + WORDS + CACHE + LONGEST_HIT + RELOADS)
            shares = [old + new for old, new in zip(shares, map(float, report.stderr.split()), strict=True)]
            usual = statistics.fmean(shares)
            right = sum((share > usual) == (bit == "1") for share, bit in zip(shares, word, strict=True))
            if right >= GOOD:
                break
    finally:
        for sender in senders:
            here.kill(sender)
    assert (right >= GOOD) == weakened


COMMON = """
zeros = libc.mmap(None, 4096, 1, 0x22, -1, 0)
lines = range(zeros, zeros + 4096, 64)
print("ready", flush=True)
"""
READS = """
ones = [one for one, bit in zip(lines, sys.argv[1]) if bit == "1"]
while True:
    for one in ones:
        load(one).value
"""
MEASURES = """
order, found, last = list(lines), {}, time.monotonic()
while True:
    now = time.monotonic()
    if now - last > 0.02:
        random.shuffle(order)
        found = {one: reload(one) < most for one in order}
        [reload(one) for one in order * 3]
        print(now, "".join(str(int(found[one])) for one in lines), flush=True)
        now = time.monotonic()
    last = now
"""
TURN, LEAST_TURNS, MOST_TURNS, DEVIATIONS = 0.05, 150, 1200, 4.0


def deviations(word: str, looks: list[str]) -> float:
    """Return by how many standard errors lines of the word are found more often than others, look by look."""
    ones = word.count("1")
    more = [
        sum(found == bit == "1" for found, bit in zip(look, word, strict=True)) / ones
        - sum(found == "1" > bit for found, bit in zip(look, word, strict=True)) / (LINES - ones)
        for look in looks
    ]
    return statistics.fmean(more) / ((statistics.variance(more) or 1e-9) / len(more)) ** 0.5


@pytest.mark.long
@pytest.mark.parametrize("put_out", [True, False], ids=["default", "without"])
def test_lines_of_the_page_of_zeros_do_not_tell_in_the_next_turn_which_were_read(
    arena, prelude, until, monkeypatch, put_out
):
    common = arena.launcher.common_lines
    if not common.pages or arena.launcher.level is not SandboxLevel.HOSTED:
        return
    if not put_out:
        monkeypatch.setattr(common, "pages", [])
    begun, word = f"{prelude}{WORDS}{CACHE}{COMMON}", "".join(random.sample("01" * (LINES // 2), LINES))
    bots = [arena.start(begun + READS, word), arena.start(begun + LONGEST_HIT + MEASURES)]
    turns, found = [], []
    try:
        assert until(lambda: all("ready" in bot.stderr for bot in bots))
        for bot in bots:
            bot.freeze()
        while len(turns) < LEAST_TURNS or (not put_out and len(turns) < MOST_TURNS):
            for bot in bots:
                bot.thaw()
                began = time.monotonic()
                time.sleep(TURN)
                bot.freeze()
            turns.append(began)
            told = [line.split() for line in bots[1].stderr.splitlines()[1:] if line.count(" ") == 1]
            looks = [(float(now), lines) for now, lines in told if len(lines) == LINES]
            first = [
                [lines for now, lines in looks if one - TURN / 5 < now < one + TURN][:1] for one in turns
            ]
            found = [lines for each in first for lines in each]
            if not put_out and len(found) > 30 and deviations(word, found) > DEVIATIONS:
                break
    finally:
        for bot in bots:
            arena.kill(bot)
    assert (deviations(word, found) > DEVIATIONS) != put_out, (word, found)


@pytest.mark.held_by("own files")
def test_no_inode_of_a_sandbox_is_an_inode_of_another(here, weakened, prelude, until):
    code = """
seen = set()
for top in ("/usr", "/opt", "/etc", "/bot", "/dev", "/tmp"):
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names, "."):
            found = os.lstat(os.path.join(folder, name))
            seen.add(f"{found.st_dev}-{found.st_ino}")
seen |= {f"{found.st_dev}-{found.st_ino}" for found in map(os.lstat, (*os.listdir("/"), "/"))}
print(" ".join(sorted(seen)), flush=True)
time.sleep(600)
"""
    first, second = (here.start(f"{prelude}os.chdir('/')\n{code}") for _ in range(2))
    try:
        assert until(lambda: first.stderr.endswith("\n") and second.stderr.endswith("\n"))
        one, other = (set(bot.stderr.split()) for bot in (first, second))
        assert min(len(one), len(other)) > 1000
        assert bool(one & other) == weakened
    finally:
        here.kill(first)
        here.kill(second)
