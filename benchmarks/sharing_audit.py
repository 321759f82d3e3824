"""An audit of what sandboxes share: one acts, another looks, and statistics say which look tells which act.

In each round a new sandbox does a random half of the actions, is frozen, and ends; another one, which lives
through all rounds, notes before, meanwhile and after every number that it can read. Both make every system
call of the machine, allowed or not, with many arguments: names and descriptors of files, places in them,
memory and small numbers. What a call cannot do by itself, such as starting threads or filling memory, is
written out. The audit knows nothing of which action could show where: it compares every look with every one.

`tests/arbiter/sandbox/isolation/test_sharing_audit.py` runs it, and says how it is judged.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress

import pyseccomp  # type: ignore[import-untyped]

COMMON = r"""
import glob, json, random, select, threading
raw = ctypes.CDLL(None, use_errno=True).syscall
raw.argtypes, raw.restype = [ctypes.c_long] * 7, ctypes.c_long
libc.syscall.restype, libc.mmap.restype = ctypes.c_long, ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
FUTEX, ADD_KEY, REQUEST_KEY = {"x86_64": (202, 248, 249), "aarch64": (98, 217, 218)}[os.uname().machine]
MARK, KEY = "stichkampf-audit", 0x5A5A5A5A
def files(most):
    # The same ones for everybody: of each file system the largest, and some of every folder.
    found = {}
    tops = [folder for folder in sorted(os.listdir("/")) if folder not in ("proc", "sys", "tmp", "machine")]
    for path in ("/" + top for top in tops):
        walked = os.walk(path) if os.path.isdir(path) else [("/", [], [path[1:]])]
        for folder, _, names in walked:
            for path in (os.path.join(folder, name) for name in sorted(names)[:200]):
                if os.path.isfile(path) and not os.path.islink(path):
                    found.setdefault(os.stat(path).st_dev, []).append((-os.path.getsize(path), path))
    chosen = []
    for several in found.values():
        several.sort()
        chosen += several[: most // 2] + several[most :: max(1, len(several) // (most // 2))]
    first = [sorted(several)[0] for several in found.values()]
    return [path for _, path in [*first, *(each for each in chosen if each not in first)][: 3 * most]]
PATHS = files(8)
OPEN = [os.open(path, os.O_RDONLY) for path in PATHS]
NODES = ["/", "/usr", "/opt", "/dev", "/bot", "/tmp", *glob.glob("/dev/*"), "/bot/arbiter.sock"]
BASES = [
    libc.mmap(None, 65536, 1, 1, one, 0)
    for path, one in zip(PATHS, OPEN)
    if os.fstat(one).st_size > 65536 and not os.access(path, os.W_OK)  # another could cut it short
]
def sweep(names, note):
    # Make each of these calls with all arguments, in a child: some end it, or never return.
    while names:
        left, right = os.pipe()
        child = os.fork()
        if not child:
            os.close(left)
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.siginterrupt(signal.SIGALRM, True)
            for name in names:
                found = {}
                make(name, found)
                os.write(right, (json.dumps([name, found]) + "\n").encode())
            os.write(right, b"done\n")
            time.sleep(600)
        os.close(right)
        text = b""
        while not text.endswith(b"done\n"):
            if not select.select([left], [], [], 0.3)[0] or not (part := os.read(left, 1 << 20)):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            text += part
        os.close(left)
        made = [json.loads(line) for line in text.split(b"\n")[:-1] if line != b"done"]
        for name, found in made:
            note(name, found)
        if text.endswith(b"done\n"):
            return child
        names = names[len(made) + 1 :]
    return None

def make(name, found):
    number = CALLS_BY_NAME[name]
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    for at, arguments in enumerate(ARGUMENTS):
        ctypes.memset(ROOM, 0, 256)
        answer = raw(number, *arguments)
        if answer == -1:
            answer = -ctypes.get_errno()
        found[f"{at}"] = answer
        for place, word in enumerate(struct.unpack("8q", ctypes.string_at(ROOM, 64))):
            if word:
                found[f"{at}.{place}"] = word
        if 2 < answer < 64 and answer not in KEPT:
            if raw(FSTAT, answer, ROOM, 0, 0, 0, 0) == 0:
                for place, word in enumerate(struct.unpack("8q", ctypes.string_at(ROOM, 64))):
                    found[f"{at} made {place}"] = word
                os.close(answer)
    signal.setitimer(signal.ITIMER_REAL, 0)

FSTAT = {"x86_64": 5, "aarch64": 80}[os.uname().machine]
ROOM = libc.mmap(None, 4096, 3, 0x22, -1, 0)
def placed(text):
    # on a page that no call can write into
    page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
    ctypes.memmove(page, text.encode(), len(text))
    libc.mprotect(ctypes.c_void_p(page), 4096, 1)
    return page
NAMES = [placed(path) for path in (*PATHS[:3], "/", "/tmp", "/dev/null", "/bot/arbiter.sock")]
PLACES = [base + 4096 for base in BASES[:2]]
KEPT = {*OPEN, 0, 1, 2}
ARGUMENTS = [
    *((name, ROOM, 64, 0, 0, 0) for name in NAMES),
    *((name, number, number, 0, 0, 0) for name in NAMES for number in (0, 1)),
    *((-100, name, ROOM, 0, 0, 0) for name in NAMES),
    *((one, ROOM, 64, 0, 0, 0) for one in OPEN[:3]),
    *((one, number, number, 0, 0, 0) for one in OPEN[:3] for number in (0, 1, 2, 6)),
    *((place, number, 1, 0, 0, 0) for place in PLACES for number in (0, 1)),
    *((place, 4096, number, 0, 0, 0) for place in PLACES for number in (0, 4)),
    *((number, ROOM, 64, 0, 0, 0) for number in (0, 1, 2)),
    (ROOM, 64, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1), (KEY, 4096, 0o1666, 0, 0, 0),
]
def leave(child):
    if child is not None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

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
    "start threads by the thousand": """
for _ in range(2000):
    short = threading.Thread(target=int)
    short.start()
    short.join()
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
    def swept(name, found):
        seen.update((f"{name} {at}", float(value)) for at, value in found.items())
    leave(sweep(FIRST, swept))
    for name in LAST:
        leave(sweep([name], swept))
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
    KEPT.add(asked.fileno())
    known = {}
    with asked.makefile("rw") as lines:
        for line in lines:
            seen = {}
            look()
            new = {name: value for name, value in seen.items() if known.get(name) != value}
            lines.write(json.dumps(new) + "\n")
            lines.flush()
            known = seen
"""
PUBLISHED = re.compile(r"number of a (pipe|socket)|(socket|socketpair|pipe2?) \d+ made 1")
"""Numbers that are left, as `docs/sandbox.md` says: those of pipes and sockets."""
CHANGE, AFTER = "change of ", ", after"
FALSE_DISCOVERIES = 0.01
LAST_CALL = 470
NEVER = {
    *("exit", "exit_group", "rt_sigreturn", "fork", "vfork", "clone", "clone3", "execve", "execveat"),
    *("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "reboot"),
}
"""They end or double who makes them."""
LAST = {
    *(
        "close",
        "close_range",
        "dup2",
        "dup3",
        "munmap",
        "mremap",
        "mprotect",
        "brk",
        "chroot",
        "chdir",
        "fchdir",
    ),
    *(
        "setrlimit",
        "prlimit64",
        "personality",
        "arch_prctl",
        "prctl",
        "seccomp",
        "ptrace",
        "unshare",
        "setns",
    ),
    *(
        "rt_sigprocmask",
        "rt_sigaction",
        "sigaltstack",
        "set_robust_list",
        "setsid",
        "shutdown",
        "pkey_mprotect",
    ),
    *(
        "mseal",
        "map_shadow_stack",
        "landlock_restrict_self",
        "process_madvise",
        "set_tid_address",
        "modify_ldt",
    ),
}
"""They take from a process what other calls need; each is made in a process of its own."""
CHANGING = {
    *(
        "chmod",
        "fchmod",
        "fchmodat",
        "fchmodat2",
        "chown",
        "fchown",
        "lchown",
        "fchownat",
        "truncate",
        "ftruncate",
    ),
    *(
        "utime",
        "utimes",
        "futimesat",
        "utimensat",
        "utimensat_time64",
        "fallocate",
        "creat",
        "mknod",
        "mknodat",
    ),
    *("link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rename", "renameat", "renameat2"),
    *("mkdir", "mkdirat", "rmdir", "write", "writev", "pwrite64", "pwritev", "pwritev2", "flock", "add_key"),
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "setxattrat"),
    *(
        "shmget",
        "semget",
        "msgget",
        "semop",
        "mq_open",
        "mount",
        "umount2",
        "madvise",
        "fadvise64",
        "readahead",
    ),
}
"""Calls that would wipe away what another left; who looks makes none of them."""


def calls() -> dict[str, int]:
    """Return the system calls of this machine, by name."""
    named = {}
    for number in range(LAST_CALL):
        try:
            named[pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, number).decode()] = number
        except ValueError:
            continue
    return {name: number for name, number in named.items() if name not in NEVER}


UNITS = {
    "times and modes": r"set (times|modes)|.*(chmod|chown|utime|xattr).*",
    "names": r"leave files|.*(mkdir|link|rename|mknod|creat|rmdir).*",
    "locks": r"lock.*|listen to files|flock|fcntl|.*notify.*",
    "words of files": r"wait for.*|futex.*",
    "network": r"listen in.*|make sockets|.*(sock.*|bind|listen|accept.*|connect|send.*|recv.*|name)",
    "shared memory": r"leave shared memory|(shm|sem|msg|mq_).*",
    "keys": r"keep keys|.*key.*",
    "descriptors": r"make pipes|open many files|(pipe|eventfd|epoll|timerfd|signalfd|memfd|dup|close|open).*",
    "processes": r"start .*|name itself|(pidfd|set[prs_]|prctl|prlimit|ptrace|sched_).*",
    "memory": r"take memory|(m[a-z]*map|mprotect|mlock|munlock|madvise|mremap|msync|mincore|brk|process_).*",
    "contents": r"push pages out|read files whole|.*(read|write|truncate|falloc|advise|sync|splice|copy).*",
    "processor": r"burn|.*(timer|itimer|sleep|clock|alarm|yield).*",
    "the rest": r".*",
}
"""Actions are done together by what they are about, else a trace that five of them leave would tell none.

By name, the actions and calls, of which each belongs to the first that fits.
"""


def members(unit: str) -> list[str]:
    """Return the actions and calls of a unit."""
    of = {
        name: next(key for key, words in UNITS.items() if re.fullmatch(words, name))
        for name in (*ACTIONS, *calls())
    }
    return [name for name, key in of.items() if key == unit]


def doing(chosen: Sequence[str]) -> str:
    """Return the program that does these units of actions, then stays."""
    names = [name for unit in chosen for name in members(unit)]
    body = "".join(
        f"try:\n    exec({ACTIONS[name]!r})\nexcept (OSError, RuntimeError): pass\n"
        for name in names
        if name in ACTIONS
    )
    made = set(names) - ACTIONS.keys()
    swept = f"sweep({sorted(made - LAST)}, lambda *_: None)\n"
    swept += f"for name in {sorted(made & LAST)}:\n    leave(sweep([name], lambda *_: None))\n"
    return f"{common()}{swept}{body}print('done', flush=True)\ntime.sleep(600)\n"


def looking() -> str:
    """Return the program that looks whenever it is asked to."""
    harmless = [name for name in calls() if name not in CHANGING]
    first, last = ([name for name in harmless if (name in LAST) is of_last] for of_last in (False, True))
    return f"{common()}FIRST, LAST = {first}, {last}\n{LOOKS}"


def common() -> str:
    return f"CALLS_BY_NAME = {calls()}\n{COMMON}"


def subsets(rounds: int, seed: int, of: Iterable[str] = UNITS) -> Iterator[list[str]]:
    """Draw the units of each round, so that each is done in half of the rounds."""
    chance = random.Random(seed)
    halves = {name: chance.sample(range(rounds), rounds // 2) for name in of}
    for number in range(rounds):
        yield [name for name, chosen in halves.items() if number in chosen]


Look = dict[str, float]


def numbers_of(moments: Sequence[Mapping[str, Look]]) -> dict[str, list[float]]:
    """Return every number that varies, by round: as it was meanwhile and after, and its changes.

    :param moments: for each round what was seen `before`, `meanwhile` and `after`.
    """
    numbers: dict[str, list[float]] = {}
    names = sorted(set.intersection(*(set(look) for round_ in moments for look in round_.values())))
    for name in names:
        before, meanwhile, after = ([each[when][name] for each in moments] for when in WHEN)
        numbers[name] = meanwhile
        numbers[f"{CHANGE}{name}"] = [abs(new - old) for old, new in zip(before, meanwhile, strict=True)]
        numbers[f"{name}{AFTER}"] = after
        numbers[f"{CHANGE}{name}{AFTER}"] = [abs(new - old) for old, new in zip(before, after, strict=True)]
    return {name: values for name, values in numbers.items() if len(set(values)) > 1}


WHEN = ("before", "meanwhile", "after")


def found(done: Sequence[Sequence[str]], moments: Sequence[Mapping[str, Look]]) -> list[tuple[str, str]]:
    """Return the looks that tell an action, with it, at a false discovery rate (Benjamini and Hochberg)."""
    chosen = [set(each) for each in done]
    groups = {action: [action in each for each in chosen] for action in set().union(*chosen)}
    chances = [
        (chance, name, action)
        for name, values in numbers_of(moments).items()
        for action, chance in rank_chances(values, groups)
    ]
    chances.sort()
    last = max(
        (at for at, (chance, *_) in enumerate(chances, 1) if chance <= FALSE_DISCOVERIES * at / len(chances)),
        default=0,
    )
    return [(name, action) for _, name, action in chances[:last]]


def unpublished(findings: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the findings by numbers that are not published."""
    return [
        (name, action)
        for name, action in findings
        if not PUBLISHED.fullmatch(name.removeprefix(CHANGE).removesuffix(AFTER))
    ]


def rank_chances(
    values: Sequence[float], groups: Mapping[str, Sequence[bool]]
) -> Iterator[tuple[str, float]]:
    """Yield by group the two-sided chance of so unequal ranks: Mann and Whitney, normal approximation."""
    counts = Counter(values)
    rank, below = {}, 0
    for value in sorted(counts):
        rank[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    ranks, total = [rank[value] for value in values], len(values)
    ties = sum(count**3 - count for count in counts.values()) / (total * (total - 1))
    for name, group in groups.items():
        inside = sum(group)
        surplus = sum(compress(ranks, group)) - inside * (total + 1) / 2
        variance = inside * (total - inside) / 12 * (total + 1 - ties)
        chance = math.erfc((abs(surplus) - 0.5) / math.sqrt(2 * variance)) if variance > 0 else 1.0
        yield name, chance


def seen_then(known: Look, line: str) -> Look:
    """Return what a look sees: the numbers of the one before, and those that differ, a line of JSON."""
    return {**known, **json.loads(line)}
