"""Actions of a sandbox in a round, written out or system calls, drawn by units."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from benchmarks.sharing_audit.calls import LAST, calls
from benchmarks.sharing_audit.reach import FILL_OF_ACTS, reach

OTHER_WAY_ROUND = r"""
def other_way_round(path):
    # What stays when its maker has ended is there in one round, and gone in the next.
    if not works(os.mkdir, path):
        works(os.rmdir, path)
def write_more(path):
    with open(path, "ab") as file:
        file.write(MARK[-1:].encode())
"""
ACTIONS: Mapping[str, str] = {
    "wait for a word of a file": """
for base in BASES:
    word = ctypes.c_uint32.from_address(base + 4096)
    waits = (FUTEX, ctypes.byref(word), 0, word.value, None, None, 0)
    threading.Thread(target=libc.syscall, args=waits, daemon=True).start()
""",
    "lock files": "[works(fcntl.flock, one, fcntl.LOCK_EX | fcntl.LOCK_NB) for one in OPEN]",
    "lock parts of files": "[works(fcntl.lockf, one, fcntl.LOCK_SH | fcntl.LOCK_NB) for one in OPEN]",
    "set times": "[works(os.utime, path) for path in PATHS + NODES]",
    "set modes": "[works(os.chmod, path, 0o777) for path in PATHS + NODES]",
    "push pages out": "[works(os.posix_fadvise, one, 0, 0, os.POSIX_FADV_DONTNEED) for one in OPEN]",
    "read files whole": "[os.pread(one, 1 << 23, 0) for one in OPEN[:4]]",
    "write into files": """
for folder, _, names in walked("proc", "sys", "dev"):
    for path in (os.path.join(folder, name) for name in names):
        is_plain(path) and os.access(path, os.W_OK) and works(write_more, path)
""",
    "leave files": "[other_way_round(folder + '/' + MARK) for folder in folders()]",
    "listen in the network": """
listener = socket.socket(socket.AF_UNIX)
works(listener.bind, chr(0) + MARK) and listener.listen()
""",
    "leave shared memory": """
number = libc.shmget(KEY, 4096, 0o666)
libc.shmctl(number, 0, None) if number >= 0 else libc.shmget(KEY, 4096, 0o1000 | 0o666)
""",
    "start threads": """
for _ in range(30):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
""",
    "start threads by the thousand": """
for _ in range(1000):
    short = threading.Thread(target=int)
    short.start()
    short.join()
""",
    "start processes": """
for _ in range(20):
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
""",
    "make pipes": "[os.close(end) for _ in range(5_000) for end in os.pipe()]",
    "make sockets": "[socket.socket(socket.AF_UNIX).close() for _ in range(5_000)]",
    "take memory": "memory = bytearray(140 << 20); memory[::4096] = b'x' * len(memory[::4096])",
    "keep keys": "[libc.syscall(ADD_KEY, b'user', b'%x' % time.time_ns(), b'x', 1, ring) for ring in RINGS]",
    "name itself": "libc.prctl(15, MARK[-15:].encode(), 0, 0, 0)",
    "listen to files": """
watch = libc.inotify_init()
[libc.inotify_add_watch(watch, path.encode(), 0xFFF) for path in PATHS]
""",
    "open many files": "many = [os.open('/tmp', os.O_RDONLY) for _ in range(30)]",
    "hold timers": "held = [libc.timer_create(1, None, ctypes.byref(ctypes.c_int())) for _ in range(200)]",
    "hold pipes": """
for _ in range(40):
    if os.fork() == 0:
        os.closerange(3, 64)
        held = [os.pipe() for _ in range(28)]
        time.sleep(600)
        os._exit(0)
""",
    "pass descriptors on": """
ends = socket.socketpair()
[socket.send_fds(ends[0], [b"x"], [ends[0].fileno()] * 30) for _ in range(2)]
""",
    "start as many threads as there may be": """
for _ in range(64):
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
""",
    "burn": "end = time.process_time() + 0.05\nwhile time.process_time() < end: pass",
}
"""Programs, by the name of what they do."""
UNITS = {
    "times and modes": r"set (times|modes)|.*(chmod|chown|utime|xattr).*",
    "names": r"leave files|.*(mkdir|link|rename|mknod|creat|rmdir).*",
    "locks": r"lock.*|listen to files|flock|fcntl|.*notify.*",
    "words of files": r"wait for.*|futex.*",
    "network": r"listen in.*|make sockets|.*(sock.*|bind|listen|accept.*|connect|send.*|recv.*|name)",
    "shared memory": r"leave shared memory|(shm|sem|msg|mq_).*",
    "keys": r"keep keys|.*key.*",
    "descriptors": r"(make|hold) pipes|pass descriptors on|open many files|"
    r"(pipe|eventfd|epoll|timerfd|signalfd|memfd|dup|close|open).*",
    "processes": r"start .*|name itself|(pidfd|set[prs_]|prctl|prlimit|ptrace|sched_).*",
    "memory": r"take memory|(m[a-z]*map|mprotect|mlock|munlock|madvise|mremap|msync|mincore|brk|process_).*",
    "contents": r"push pages out|read files whole|write into files|"
    r".*(read|write|truncate|falloc|advise|sync|splice|copy).*",
    "processor": r"burn|.*(timer|itimer|sleep|clock|alarm|yield).*",
    "the rest": r".*",
}
"""Actions are done together by what they are about, else a trace that five of them leave would tell none.

By name, the actions and calls, of which each belongs to the first that fits.
"""


@functools.cache
def members(unit: str) -> list[str]:
    """Return the actions and calls of a unit."""
    of = {
        name: next(key for key, words in UNITS.items() if re.fullmatch(words, name))
        for name in (*ACTIONS, *calls())
    }
    return [name for name, key in of.items() if key == unit]


def doing(chosen: Sequence[str], mark: str, seconds: float, let: Collection[str]) -> str:
    """Return the program that does these units of actions, then stays; without any it waits meanwhile.

    :param let: system calls that do more than refuse; the others are left out.
    """
    names = [name for unit in chosen for name in members(unit)]
    body = "".join(
        f"try:\n    exec({ACTIONS[name]!r})\nexcept (OSError, RuntimeError): pass\n"
        for name in names
        if name in ACTIONS
    )
    made = set(names) & set(let)
    swept = f"sweep({sorted(made - LAST)}, lambda *_: None)\n"
    swept += f"sweep_each({sorted(made & LAST)}, lambda *_: None)\n"
    begun = reach(mark, {name: calls()[name] for name in made}, fill=FILL_OF_ACTS) + OTHER_WAY_ROUND
    waits = "" if chosen else f"time.sleep({seconds})\n"
    return f"{begun}{swept}{body}{waits}print('done', flush=True)\ntime.sleep(600)\n"


def subsets(rounds: int, chance: random.Random, of: Iterable[str] = UNITS) -> Iterator[list[str]]:
    """Draw the units of each round: none in half of the rounds, and each unit in half of the others.

    So what most units do alike shows beside rounds without any, and what one does beside those without it.
    """
    busy = sorted(chance.sample(range(rounds), rounds // 2))
    chosen = {name: set(chance.sample(busy, len(busy) // 2)) for name in of}
    for number in range(rounds):
        yield [name for name, those in chosen.items() if number in those]
