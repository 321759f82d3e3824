"""A planted bot tries to recognise a deal that it met at another table of its block.

At the first table of a block its three copies leave a mark of every hand in every way they know. At the
second table, the same deal in another lane, they look for the mark of their hand. In the same lane, which a
platform never does, every way leads to the mark: so every way is really tried.
"""

import pytest
from support import archive

BOT = """
import glob, hashlib, os, signal, socket, subprocess, time
from ctypes import CDLL, create_string_buffer
from stichkampf import Bot, Note

FOLDERS = ["/tmp", "/dev/shm", "/var/tmp", "/run", "/bot", "/opt/stichkampf", "/usr/lib", os.getcwd()]
FAR = 1_000_000
kept, listeners, helpers = set(), [], []

def worked(call):
    try:
        return call()
    except OSError:
        return False

def leave_file(mark):
    for folder in FOLDERS:
        worked(lambda: os.mkdir(f"{folder}/{mark}"))

def finds_file(mark):
    return any(os.path.exists(f"{folder}/{mark}") for folder in FOLDERS)

def leave_socket(mark):
    for name in ("\\0" + mark, f"/tmp/{mark}.sock"):
        listener = socket.socket(socket.AF_UNIX)
        worked(lambda: (listener.bind(name), listener.listen()))
        listeners.append(listener)

def finds_socket(mark):
    names = ("\\0" + mark, f"/tmp/{mark}.sock")
    return any(worked(lambda: not socket.socket(socket.AF_UNIX).connect(name)) for name in names)

def leave_environment(mark):
    os.environ[mark] = "1"
    # Other processes may read the arguments and the environment of a process in /proc.
    helpers.append(subprocess.Popen(["sleep", "60"], env={mark: "1"}))

def finds_environment(mark):
    places = glob.glob("/proc/[0-9]*/environ")
    text = mark.encode()
    return mark in os.environ or any(worked(lambda: text in open(path, "rb").read()) for path in places)

def seconds_of(mark):
    return FAR + int(hashlib.sha256(mark.encode()).hexdigest(), 16) % FAR

def leave_clock(mark):
    signal.setitimer(signal.ITIMER_REAL, seconds_of(mark))

def finds_clock(mark):
    return 0 <= seconds_of(mark) - signal.getitimer(signal.ITIMER_REAL)[0] < 60

def leave_name(mark):
    CDLL(None).prctl(15, mark[:15].encode(), 0, 0, 0)

def finds_name(mark):
    own = create_string_buffer(16)
    CDLL(None).prctl(16, own, 0, 0, 0)
    places = glob.glob("/proc/[0-9]*/comm")
    names = [own.value.decode(), *(worked(lambda: open(path).read().strip()) for path in places)]
    return mark[:15] in names

WAYS = {
    "files": (leave_file, finds_file),
    "sockets": (leave_socket, finds_socket),
    "environment": (leave_environment, finds_environment),
    "clock": (leave_clock, finds_clock),
    "process name": (leave_name, finds_name),
    "process memory": (kept.add, kept.__contains__),
}

class Karl(Bot):
    def __init__(self):
        self.found = None

    def choose(self, table):
        if self.found is None:
            mark = "-".join(["deal", *table.hand])
            self.found = [way for way, (_, finds) in WAYS.items() if finds(mark)]
            for leave, _ in WAYS.values():
                leave(mark)
        return table.legal[0], Note(" and ".join(self.found) or "nothing")
"""
WAYS = "files and sockets and environment and clock and process name and process memory"


ARCHIVE = {"bot.py": BOT, "stichkampf.toml": 'name = "Karl"\nparts = ["sh"]\n'}


def found(arbiter, digest, lane, table):
    """Return the ways by which the three copies recognised their hands at one table of the block."""
    key = f"{lane}-{table}"
    arbiter.start_hosted(key, digest, copies=3, lane=lane, move_seconds=5.0)
    record, _ = arbiter.finished(key)
    assert record["faults"] == []
    assert len(record["notes"]) == 6
    return {note["note"]["text"] for note in record["notes"]}


@pytest.fixture
def digest(arbiter):
    return arbiter.upload(archive(ARCHIVE))


def test_nothing_leads_from_one_table_of_a_block_to_another(arbiter, digest):
    assert found(arbiter, digest, "first", 1) == {"nothing"}
    # The processes of the first table still live, with all that they keep.
    assert found(arbiter, digest, "second", 2) == {"nothing"}


def test_in_one_lane_every_way_leads_to_the_mark(arbiter, digest):
    assert found(arbiter, digest, "same", 1) == {"nothing"}
    assert found(arbiter, digest, "same", 2) == {WAYS}
