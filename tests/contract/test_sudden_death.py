"""Whatever dies or stops at whichever decision: the match ends or is played again once; nothing is left."""

import io
import os
import signal
import time
import zipfile
from pathlib import Path

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb

DECISIONS = [(seat, kind) for kind in ("bid", "play") for seat in range(3)]
SECONDS = 30.0
NAME = "at-decision"
BOT = """
import ctypes, os, signal, time
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        if (table.seat, table.legal[0].split()[0]) == {place}:
            {deed}
        return table.legal[-1]
"""
# The name of the process tells the test that the decision is reached; the pause is within the move time.
HOLDS = f'ctypes.CDLL(None).prctl(15, b"{NAME}", 0, 0, 0); time.sleep(2.5)'


def signals(number):
    return f"os.kill(os.getpid(), signal.{number.name})"


def archive(source):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("bot.py", source)
    return memory.getvalue()


def until(true):
    deadline = time.monotonic() + SECONDS
    while not (found := true()):
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.02)
    return found


def stat_of(folder):
    return (folder / "stat").read_text().rpartition(")")[2].split()


def descendants(pid):
    """Every process below this one, and itself, as (pid, moment of its start)."""
    parents, born = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = stat_of(folder)
        except OSError:
            continue
        parents[int(folder.name)], born[int(folder.name)] = int(fields[1]), fields[19]
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return {(each, born[each]) for each in below if each in born}


def alive(process):
    pid, born = process
    try:
        fields = stat_of(Path(f"/proc/{pid}"))
    except OSError:
        return False
    return fields[0] != "Z" and fields[19] == born


class Scene:
    """An arbiter that may die, and all that was ever seen of it."""

    def __init__(self, arbiter):
        self.arbiter = arbiter
        self.processes = set()
        self.groups = set()

    def play(self, place, deed, *, move_seconds=3.0):
        """Start a match in which one bot does something at this decision; its key."""
        digest = self.arbiter.upload(archive(BOT.format(place=place, deed=deed)))
        key = f"{digest[:20]}-{time.monotonic_ns()}"
        self.start(key, digest, move_seconds)
        return key, digest

    def start(self, key, digest, move_seconds=3.0):
        self.arbiter.start_hosted(key, digest, copies=3, lane=key, move_seconds=move_seconds)

    def look(self):
        """Note the processes, and their control groups; the process at the decision, if it is reached."""
        found = None
        for pid, born in descendants(self.arbiter.process.pid):
            self.processes.add((pid, born))
            try:
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                groups = Path(f"/proc/{pid}/cgroup").read_text().split()
            except OSError:
                continue
            self.groups |= {line.rpartition("/stichkampf-")[2] for line in groups if "/stichkampf-" in line}
            if name == NAME:
                found = pid
        return found

    def launcher(self):
        """The process that starts sandboxes, one below the `unshare` that started it."""
        for pid, _ in descendants(self.arbiter.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"stichkampf_arbiter.sandbox.launcher" in command and b"--fork" not in command:
                return pid
        raise AssertionError("no launcher runs")

    def start_again(self):
        until(lambda: not any(map(alive, self.processes)))
        self.arbiter.channel.close()
        self.arbiter.start()
        self.arbiter.status()

    def assert_nothing_is_left(self):
        assert self.arbiter.stop() == 0, self.arbiter.log.read_text()
        until(lambda: not any(map(alive, self.processes)))
        folder = self.arbiter.folder
        found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        archives = {name for name in found if name.startswith("arbiter/archives/")}
        assert all(len(Path(name).name) == 64 for name in archives)
        assert found - archives <= {"arbiter", "arbiter/archives", "arbiter.sock.lock", "log", "tmp"}
        mounts = Path("/proc/self/mountinfo").read_text()
        assert str(folder) not in mounts
        # Names are used again: a group that is there for a moment may be that of another launcher.
        for group in self.groups:
            until(lambda group=group: not any(Path("/sys/fs/cgroup").rglob(f"stichkampf-{group}")))


@pytest.fixture(scope="module")
def scene(new_arbiter):
    with new_arbiter() as arbiter:
        scene = Scene(arbiter)
        yield scene
        scene.assert_nothing_is_left()


@pytest.mark.parametrize("place", DECISIONS)
@pytest.mark.parametrize(
    ("number", "kinds"), [(signal.SIGKILL, {"crashed"}), (signal.SIGSTOP, {"timeout", "disconnected"})]
)
def test_a_bot_that_dies_or_stops_is_replaced_and_the_match_ends(scene, place, number, kinds):
    key, _ = scene.play(place, signals(number), move_seconds=0.5)
    record, _ = scene.arbiter.finished(key)
    scene.look()
    faults = record["faults"]
    assert {fault["seat"] for fault in faults} == {place[0]}
    assert {fault["kind"] for fault in faults} <= kinds
    moves = record["deals"][0]["moves"]
    first = next(at for at, (seat, word) in enumerate(moves) if (seat, word.split()[0]) == place)
    own = [at for at, (seat, _) in enumerate(moves) if seat == place[0] and at >= first]
    assert [fault["move"] for fault in faults] == own
    assert len(moves) == 6


@pytest.mark.parametrize("place", DECISIONS)
def test_with_the_arbiter_killed_the_match_is_played_again_once_under_the_same_key(scene, place):
    key, digest = scene.play(place, HOLDS)
    until(scene.look)
    scene.arbiter.kill()
    scene.start_again()
    scene.start(key, digest)
    check_played_once(scene, key, digest)


@pytest.mark.parametrize("place", DECISIONS)
def test_with_the_sandboxes_lost_the_match_fails_and_a_new_arbiter_plays_it_again_once(scene, place):
    launcher = scene.launcher()
    key, digest = scene.play(place, HOLDS)
    until(scene.look)
    os.kill(launcher, signal.SIGKILL)
    (status,) = scene.arbiter.wait_over(key)
    assert (status.state, list(status.faults)) == (pb.MATCH_STATE_FAILED, [])
    assert scene.arbiter.process.wait(SECONDS) == 1
    scene.start_again()
    scene.start(key, digest)
    check_played_once(scene, key, digest)


@pytest.mark.parametrize("place", DECISIONS)
def test_an_arbiter_that_stood_still_charges_nobody_for_it(scene, place):
    key, digest = scene.play(place, HOLDS)
    until(scene.look)
    scene.arbiter.process.send_signal(signal.SIGSTOP)
    try:
        # Not a wait for something to happen: longer than the move time is what the bot must not pay for.
        time.sleep(3.5)
    finally:
        scene.arbiter.process.send_signal(signal.SIGCONT)
    check_played_once(scene, key, digest)


def check_played_once(scene, key, digest):
    record, _ = scene.arbiter.finished(key)
    assert record["faults"] == []
    assert len(record["deals"][0]["moves"]) == 6
    revision = scene.arbiter.wait_over(key)[0].revision
    scene.start(key, digest)
    assert scene.arbiter.wait_over(key)[0].revision == revision
