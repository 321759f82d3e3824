"""An audit of what sandboxes share: one acts, another looks, and statistics say which look tells which act.

In each round a new sandbox does a random half of the actions, whatever the filter lets through of them, and
is frozen. Another one, which lives through all rounds, then notes every number that it can read. The audit
knows nothing of which action could show where: it compares every look with every action.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence

COMMON = r"""
import mmap, glob, json, random, stat, threading
libc.syscall.restype, libc.mmap.restype = ctypes.c_long, ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
FUTEX, ADD_KEY, REQUEST_KEY = {"x86_64": (202, 248, 249), "aarch64": (98, 217, 218)}[os.uname().machine]
MARK, KEY = "stichkampf-audit", 0x5A5A5A5A
def files(most):
    # The same ones for everybody: the largest, and some of every folder.
    found = []
    for top in ("/usr", "/opt", "/etc", "/dev", "/bot"):
        for folder, _, names in os.walk(top):
            for path in (os.path.join(folder, name) for name in sorted(names)):
                if os.path.isfile(path) and not os.path.islink(path):
                    found.append((os.path.getsize(path), path))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [path for _, path in found[: most // 2] + found[most :: max(1, len(found) // (most // 2))]]
PATHS = files(16)
OPEN = [os.open(path, os.O_RDONLY) for path in PATHS]
NODES = ["/", "/usr", "/opt", "/dev", "/bot", "/tmp", *glob.glob("/dev/*"), "/bot/arbiter.sock"]
BASES = [libc.mmap(None, 65536, 1, 1, one, 0) for one in OPEN if os.fstat(one).st_size > 65536]
def folders():
    for top in filter(os.path.isdir, ("/", "/var", "/dev", "/bot", "/usr", "/opt")):
        for folder in (top, *(each.path for each in os.scandir(top) if each.is_dir(follow_symlinks=False))):
            if folder not in ("/proc", "/sys"):
                yield folder
    yield "/tmp"
def other_way_round(path):
    # What stays when its maker has ended is there in one round, and gone in the next.
    if not works(os.mkdir, path):
        works(os.rmdir, path)
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
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""",
    "start processes": """
for _ in range(10):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
""",
    "make pipes": "[os.close(end) for _ in range(20_000) for end in os.pipe()]",
    "make sockets": "[socket.socket(socket.AF_UNIX).close() for _ in range(20_000)]",
    "take memory": "memory = bytearray(100 << 20); memory[::4096] = b'x' * len(memory[::4096])",
    "keep keys": "libc.syscall(ADD_KEY, b'user', MARK.encode(), b'x', 1, -4)",
    "name itself": "libc.prctl(15, MARK[-15:].encode(), 0, 0, 0)",
    "listen to files": """
watch = libc.inotify_init()
[libc.inotify_add_watch(watch, path.encode(), 0xFFF) for path in PATHS]
""",
    "open many files": "many = [os.open('/tmp', os.O_RDONLY) for _ in range(30)]",
    "burn": "end = time.process_time() + 0.05\nwhile time.process_time() < end: pass",
}
"""Programs, by the name of what they do."""
LOOKS = r"""
def note(name, ask):
    try:
        seen[name] = float(ask())
    except OSError as error:
        seen[name] = -1000.0 - error.errno
    except (ValueError, IndexError):
        seen[name] = -1.0

def locked(one, how):
    how(one, fcntl.LOCK_SH | fcntl.LOCK_NB)
    how(one, fcntl.LOCK_UN)
    return 0

def time_of(ask):
    begun = time.perf_counter_ns()
    ask()
    return time.perf_counter_ns() - begun

def text(path):
    with open(path) as file:
        return file.read(1 << 16)

FIELDS = ("st_mode", "st_nlink", "st_size", "st_blocks", "st_atime_ns", "st_mtime_ns", "st_ctime_ns")
def processes():
    return [name for name in os.listdir("/proc") if name.isdigit()]

def look():
    for number, base in enumerate(BASES):
        word = ctypes.c_void_p(base + 4096)
        note(f"waiters {number}", lambda: libc.syscall(FUTEX, word, 1, 0, None, None, 0))
    for path, one in zip(PATHS, OPEN):
        note(f"flock {path}", lambda: locked(one, fcntl.flock))
        note(f"lockf {path}", lambda: locked(one, fcntl.lockf))
        page = random.randrange(16) * 4096
        note(f"time to read {path}", lambda: time_of(lambda: os.pread(one, 1, page)))
    for path in PATHS + NODES:
        found = os.lstat(path)
        for field in FIELDS:
            seen[f"{field} {path}"] = float(getattr(found, field))
    for folder in folders():
        note(f"mark in {folder}", lambda: os.path.exists(folder + "/" + MARK))
    note("network", lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + MARK) or 0)
    note("shared memory", lambda: libc.shmget(KEY, 4096, 0o666) >= 0)
    note("key", lambda: libc.syscall(REQUEST_KEY, b"user", MARK.encode(), None, 0) >= 0)
    ends = os.pipe()
    note("number of a pipe", lambda: os.fstat(ends[0]).st_ino)
    [os.close(end) for end in ends]
    with socket.socket(socket.AF_UNIX) as one:
        note("number of a socket", lambda: os.fstat(one.fileno()).st_ino)
        note("cookie of a socket", lambda: struct.unpack("Q", one.getsockopt(1, 57, 8))[0])
    def of_process():
        made = os.pidfd_open(os.getpid())
        number = os.fstat(made).st_ino
        os.close(made)
        return number
    note("number of a process", of_process)
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    note("next process", lambda: child)
    note("processes in sight", lambda: len(processes()))
    note("names in sight", lambda: sum(MARK[-15:] in text(f"/proc/{number}/comm") for number in processes()))
    note("load", lambda: text("/proc/loadavg").split()[3].split("/")[1])
    memory = ctypes.create_string_buffer(256)
    note("free memory", lambda: libc.sysinfo(memory) or struct.unpack_from("Q", memory.raw, 40)[0])
    note("processes by sysinfo", lambda: libc.sysinfo(memory) or struct.unpack_from("H", memory.raw, 80)[0])
    for path in ("/", "/tmp", "/usr", "/dev"):
        note(f"free files {path}", lambda: os.statvfs(path).f_ffree)
        note(f"free space {path}", lambda: os.statvfs(path).f_bfree)
    note("open files", lambda: text("/proc/sys/fs/file-nr").split()[0])
    note("time slice", lambda: os.sched_rr_get_interval(0))
    own = []
    def threads():
        try:
            for _ in range(40):
                own.append(threading.Thread(target=gate.wait, daemon=True))
                own[-1].start()
        except RuntimeError:
            return len(own)
        return 40
    gate = threading.Event()
    note("threads that can be started", threads)
    gate.set()
    [thread.join() for thread in own if thread.ident]

with socket.socket(socket.AF_UNIX) as asked:
    asked.connect("/bot/arbiter.sock")
    with asked.makefile("rw") as lines:
        for line in lines:
            seen = {}
            look()
            lines.write(json.dumps(seen) + "\n")
            lines.flush()
"""
PUBLISHED = ("number of a pipe", "number of a socket")
"""Numbers that are left, as `docs/sandbox.md` says."""
CHANGE = "change of "
FALSE_DISCOVERIES = 0.01


def doing(chosen: Sequence[str]) -> str:
    """Return the program that does these actions, then stays."""
    body = "".join(
        f"try:\n    exec({ACTIONS[name]!r})\nexcept (OSError, RuntimeError): pass\n" for name in chosen
    )
    return f"{COMMON}{body}print('done', flush=True)\ntime.sleep(60)\n"


def subsets(rounds: int, seed: int) -> Iterator[list[str]]:
    """Draw the actions of each round, so that each is done in half of the rounds."""
    chance = random.Random(seed)
    halves = {name: chance.sample(range(rounds), rounds // 2) for name in ACTIONS}
    for number in range(rounds):
        yield [name for name, chosen in halves.items() if number in chosen]


def found(done: Sequence[Sequence[str]], seen: Sequence[Mapping[str, float]]) -> list[tuple[str, str]]:
    """Return the looks that tell a action, with it, at a false discovery rate (Benjamini and Hochberg).

    Of each number its change since the round before is looked at too: some count on, and some things stay.
    """
    steps = [
        {f"{CHANGE}{name}": abs(new[name] - old[name]) for name in new if name in old}
        for old, new in zip([seen[0], *seen], seen, strict=False)
    ]
    whole = [{**one, **step} for one, step in zip(seen, steps, strict=True)]
    names = sorted(set.intersection(*(set(one) for one in whole)))
    chances = []
    for name in names:
        values = [one[name] for one in whole]
        if len(set(values)) > 1:
            for action in ACTIONS:
                chances.append((rank_chance(values, [action in each for each in done]), name, action))
    chances.sort()
    last = max(
        (at for at, (chance, *_) in enumerate(chances, 1) if chance <= FALSE_DISCOVERIES * at / len(chances)),
        default=0,
    )
    return [(name, action) for _, name, action in chances[:last]]


def rank_chance(values: Sequence[float], groups: Sequence[bool]) -> float:
    """Return the two-sided chance of so unequal ranks: Mann and Whitney, with ties, normal approximation."""
    order = sorted(values)
    ranks = {value: order.index(value) + (order.count(value) + 1) / 2 for value in set(values)}
    inside, total = sum(groups), len(values)
    outside = total - inside
    surplus = sum(ranks[value] for value, group in zip(values, groups, strict=True) if group)
    surplus -= inside * (total + 1) / 2
    ties = sum(count**3 - count for count in map(order.count, ranks))
    variance = inside * outside / 12 * (total + 1 - ties / (total * (total - 1)))
    return math.erfc((abs(surplus) - 0.5) / math.sqrt(2 * variance)) if variance > 0 else 1.0


def parsed(line: str) -> dict[str, float]:
    return dict(json.loads(line))
