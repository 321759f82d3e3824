"""Looks of the other sandbox: every answer of every call, and all that can be read by names."""

from __future__ import annotations

import json
from collections.abc import Collection

from benchmarks.sharing_audit.calls import CHANGING, LAST, calls
from benchmarks.sharing_audit.reach import FILL_OF_LOOKS, reach

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

def content(path):
    one = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(one, 1 << 16)
    finally:
        os.close(one)

FIELDS = ("st_mode", "st_nlink", "st_size", "st_blocks", "st_atime_ns", "st_mtime_ns", "st_ctime_ns")
def digest(path):
    try:
        found = os.lstat(path)
    except OSError as error:
        return error.errno
    return tuple(getattr(found, field) for field in FIELDS)

def changes(path):
    try:
        return is_plain(path) and (not os.path.getsize(path) or os.access(path, os.W_OK))
    except OSError:  # it is gone
        return False

def ended():
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    return child

def room():
    ends = os.pipe()
    try:
        return fcntl.fcntl(ends[0], 1032)
    finally:
        [os.close(end) for end in ends]

def timers():
    made, number = [], ctypes.c_void_p()
    while len(made) < 100 and libc.timer_create(1, None, ctypes.byref(number)) == 0:
        made.append(number.value)
    [libc.timer_delete(ctypes.c_void_p(one)) for one in made]
    return len(made)

def on_the_way():
    ends = socket.socketpair()
    try:
        return socket.send_fds(ends[0], [b"x"], [ends[0].fileno()] * 10)
    finally:
        [end.close() for end in ends]

MOST_THREADS = 55
MOST_TEXTS, MOST_NUMBERS = 1500, 100
def tree():
    # Processes have folders of their own in /proc: their number is looked at, and not each.
    told = []
    for folder, below, names in walked():
        seen[f"names in {folder}"] = float(len(below) + len(names))
        below[:] = [name for name in below if not name.isdigit()]
        paths = [os.path.join(folder, name) for name in names]
        if not folder.startswith(("/proc", "/sys")):
            seen[f"state of {folder}"] = float(zlib.crc32(repr([digest(path) for path in paths]).encode()))
        told += filter(changes, paths)
    # Those nearest to the root, and the same ones whenever it looks.
    told.sort(key=lambda path: (path.count("/"), path))
    for path in told[:MOST_TEXTS]:
        try:
            text = content(path)
        except OSError:
            continue
        if text:
            seen[f"content of {path}"] = float(zlib.crc32(text))
            for place, number in enumerate(re.findall(rb"\d{1,18}", text)[:MOST_NUMBERS]):
                seen[f"number in {path} {place}"] = float(number)

WATCH = libc.inotify_init1(os.O_NONBLOCK)
for path in PATHS + NODES:
    libc.inotify_add_watch(WATCH, path.encode(), 0xFFF)
def told():
    size = 0
    while WATCH >= 0 and select.select([WATCH], [], [], 0)[0]:
        size += len(os.read(WATCH, 1 << 16))
    return size

def look():
    seen[CLOCK] = time.monotonic()
    note("what was told of files", told)
    def swept(name, found):
        seen.update((f"{name} {at}", float(value)) for at, value in found.items())
    leave(sweep(FIRST, swept))
    sweep_each(LAST, swept)
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
    tree()
    note("network", lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + MARK) or 0)
    note("shared memory", lambda: libc.shmget(KEY, 4096, 0o666) >= 0)
    note("key", lambda: libc.syscall(REQUEST_KEY, b"user", MARK.encode(), None, 0) >= 0)
    for ring in RINGS:
        note(f"keys of ring {ring}", lambda: libc.syscall(KEYCTL, 11, ring, None, 0))
    ends = os.pipe()
    note("number of a pipe", lambda: os.fstat(ends[0]).st_ino)
    [os.close(end) for end in ends]
    with socket.socket(socket.AF_UNIX) as one:
        note("number of a socket", lambda: os.fstat(one.fileno()).st_ino)
        note("cookie of a socket", lambda: struct.unpack("Q", one.getsockopt(1, 57, 8))[0])
    note("next process", ended)
    note("room of a pipe", room)
    note("timers that can be made", timers)
    note("descriptors on the way", on_the_way)
    for path in ("/", "/tmp", "/usr", "/dev"):
        note(f"free files {path}", lambda: os.statvfs(path).f_ffree)
        note(f"free space {path}", lambda: os.statvfs(path).f_bfree)
    note("time slice", lambda: os.sched_rr_get_interval(0))
    own = []
    def threads():
        try:
            for _ in range(MOST_THREADS):
                own.append(threading.Thread(target=gate.wait, daemon=True))
                own[-1].start()
        except RuntimeError:
            return len(own)
        return MOST_THREADS
    gate = threading.Event()
    note("threads that can be started", threads)
    gate.set()
    [thread.join() for thread in own if thread.ident]
    works(told)

# None of the small numbers that calls are given.
with socket.socket(socket.AF_UNIX) as small:
    ASKED = fcntl.fcntl(small, fcntl.F_DUPFD, 60)
with socket.socket(fileno=ASKED) as asked:
    asked.connect("/bot/arbiter.sock")
    KEPT.add(ASKED)
    known = {}
    with asked.makefile("rw") as lines:
        for line in lines:
            seen = {}
            look()
            new = {name: value for name, value in seen.items() if known.get(name) != value}
            lines.write(json.dumps([new, [name for name in known if name not in seen]]) + "\n")
            lines.flush()
            known = seen
"""
CLOCK = "clock"
"""The number that says when a look began."""
WHEN = ("before", "meanwhile", "after")
Look = dict[str, float]


def looking(mark: str, let: Collection[str]) -> str:
    """Return the program that looks whenever it is asked to.

    :param let: system calls that do more than refuse; the others are left out.
    """
    harmless = [name for name in calls() if name in let and name not in CHANGING]
    first, last = ([name for name in harmless if (name in LAST) is of_last] for of_last in (False, True))
    named = f"FIRST, LAST, CLOCK = {first}, {last}, {CLOCK!r}\n"
    made = {name: calls()[name] for name in harmless}
    return f"import re\n{reach(mark, made, fill=FILL_OF_LOOKS)}{named}{LOOKS}"


def seen_then(known: Look, line: str) -> Look:
    """Return what a look sees: the numbers of the one before, those that differ and those that are gone."""
    new, gone = json.loads(line)
    return {**{name: value for name, value in known.items() if name not in set(gone)}, **new}
