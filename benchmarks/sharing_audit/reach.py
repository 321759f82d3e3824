"""Beginning of both programs of an audit: all that a sandbox can reach, and calls with it as arguments."""

from __future__ import annotations

from collections.abc import Mapping

REACH = r"""
import glob, itertools, json, random, select, threading, zlib
raw = ctypes.CDLL(None, use_errno=True).syscall
raw.argtypes, raw.restype = [ctypes.c_long] * 7, ctypes.c_long
libc.syscall.restype, libc.mmap.restype = ctypes.c_long, ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
FUTEX, ADD_KEY, REQUEST_KEY, KEYCTL, FSTAT = {
    "x86_64": (202, 248, 249, 250, 5), "aarch64": (98, 217, 218, 219, 80)
}[os.uname().machine]
KEY, RINGS = zlib.crc32(MARK.encode()) >> 1, (-1, -2, -3, -4, -5)
HELD = [one for one in range(32) if works(os.fstat, one)]
def tops(*without):
    left = {"tmp", "machine", *without}
    return ["/" + name for name in sorted(os.listdir("/")) if name not in left]
def walked(*without):
    for path in tops(*without):
        if not os.path.isdir(path):
            yield "/", [], [path[1:]]
        elif not os.path.islink(path):
            for folder, below, names in itertools.islice(os.walk(path), 1000):
                yield folder, below, names
                # Folders that are numbers are processes, where files of the kernel are shown.
                below[:] = [name for name in below if not name.isdigit()]
def is_plain(path):
    return os.path.isfile(path) and not os.path.islink(path)
def files(most):
    # The same ones for everybody: of each file system the largest, and some of every folder.
    found = {}
    for folder, _, names in walked("proc", "sys"):
        for path in (os.path.join(folder, name) for name in sorted(names)[:200]):
            if is_plain(path) and works(os.stat, path):
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
HUNG, PATIENCE, WAITING = [], 1, 3
def begin(names):
    # Make each of these calls with all arguments, in a child: some end it, or never return.
    left, right = os.pipe()
    try:
        child = os.fork()
    except OSError as error:
        os.write(right, json.dumps([names[0], {"no process": error.errno}]).encode() + b"\n")
        os.close(right)
        return None, left
    if not child:
        os.close(left)
        new = os.getpid()
        ARGUMENTS[0] = (0 if new in KEPT else new, 0, 0, 0, 0, 0)  # no descriptor by chance
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.siginterrupt(signal.SIGALRM, True)
        for name in names:
            found = {}
            make(name, found)
            os.write(right, (json.dumps([name, found]) + "\n").encode())
        os.write(right, b"done\n")
        time.sleep(600)
    os.close(right)
    return child, left
def finish(child, left, names, note):
    # Note what they answered; return the child, where it lives, and the calls that are still to be made.
    text = b""
    while not text.endswith(b"done\n"):
        if not select.select([left], [], [], PATIENCE)[0] or not (part := os.read(left, 1 << 20)):
            leave(child)
            break
        text += part
    os.close(left)
    made = [json.loads(line) for line in text.split(b"\n")[:-1] if line != b"done"]
    for name, found in made:
        note(name, found)
    if text.endswith(b"done\n"):
        return child, []
    HUNG.extend(names[len(made) : len(made) + 1])
    return None, names[len(made) + 1 :]
def sweep(names, note):
    child = None
    while names:
        child, names = finish(*begin(names), names, note)
    return child
def sweep_each(names, note):
    # Each in a child of its own, several at once.
    for start in range(0, len(names), 8):
        begun = [(name, begin([name])) for name in names[start : start + 8]]
        for name, (child, left) in begun:
            leave(finish(child, left, [name], note)[0])

ROOM, WORDS, EMPTY = libc.mmap(None, 4096, 3, 0x22, -1, 0), struct.Struct("16q"), bytes([FILL]) * 128
def words(found, name):
    text = ctypes.string_at(ROOM, 128)
    if text != EMPTY:
        found.update((f"{name} {place}", word) for place, word in enumerate(WORDS.unpack(text)) if word)
def make(name, found):
    number = CALLS_BY_NAME[name]
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    interrupted = 0
    for at, arguments in enumerate(ARGUMENTS):
        if interrupted == at == WAITING:
            break  # it waits, whatever it is given
        ctypes.memset(ROOM, FILL, 256)
        answer = raw(number, *arguments)
        if answer == -1:
            answer = -ctypes.get_errno()
            interrupted += answer == -errno.EINTR
        found[f"{at}"] = answer
        words(found, f"{at}")
        if 2 < answer < 64 and answer not in KEPT:
            if raw(FSTAT, answer, ROOM, 0, 0, 0, 0) == 0:
                words(found, f"{at} made")
                os.close(answer)
    signal.setitimer(signal.ITIMER_REAL, 0)

def placed(text):
    # on a page that no call can write into
    page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
    ctypes.memmove(page, text.encode(), len(text))
    libc.mprotect(ctypes.c_void_p(page), 4096, 1)
    return page
NAMES = [placed(path) for path in (*PATHS[:3], "/", "/tmp", "/dev/null", "/bot/arbiter.sock", MARK)]
PLACES = [base + 4096 for base in BASES[:2]]
KEPT = {*OPEN, *HELD}
ARGUMENTS = [
    (0, 0, 0, 0, 0, 0),
    *((name, ROOM, 64, 0, 0, 0) for name in NAMES),
    *((name, number, number, 0, 0, 0) for name in NAMES for number in (0, 1)),
    (NAMES[-1], 0o102, 0o666, 0, 0, 0),
    *((-100, name, ROOM, 0, 0, 0) for name in NAMES),
    *((one, ROOM, 64, 0, 0, 0) for one in (*OPEN[:3], *HELD)),
    *((one, ROOM, 8, 0, 0, 0) for one in HELD),
    *((one, number, number, 0, 0, 0) for one in OPEN[:3] for number in (0, 1, 2, 6)),
    *((place, number, 1, 0, 0, 0) for place in PLACES for number in (0, 1)),
    *((place, 4096, number, 0, 0, 0) for place in PLACES for number in (0, 4)),
    *((0, number, ROOM, 0, 0, 0) for number in range(16)),
    (ROOM, 64, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1),
    (KEY, 4096, 0o1666, 0, 0, 0), (KEY, 0o1666, 0o1666, 0, 0, 0),
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
"""
FILL_OF_ACTS, FILL_OF_LOOKS = 1, 0
"""Memory that calls are given: they write what is in it, or what they tell is seen beside it."""


def reach(mark: str, made: Mapping[str, int], *, fill: int) -> str:
    """Return the beginning of a program.

    :param mark: what objects are called in this audit, so that two at once do not meet.
    :param made: the system calls that it makes.
    """
    return f"CALLS_BY_NAME, MARK, FILL = {dict(made)}, {mark!r}, {fill}\n{REACH}"
