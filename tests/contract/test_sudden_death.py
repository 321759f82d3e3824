"""Sudden death of any process at any decision: the match ends or is played again once, and nothing is left.

Six matches of Stiche-Raten, three seats and one deal, run side by side, each held at another of its six
decisions. Then a process is killed or stopped, and all six matches are followed to their end.
"""

import errno
import glob
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.sandbox.uids import held_if_free
from support import archive, stat_of, wait_until

DECISIONS = [(seat, kind) for kind in ("bid", "play") for seat in range(3)]
SECONDS = 120.0
NAME = "at-decision"
BOT = """
import ctypes, os, signal, time
from stichkampf import Bot

rehearsed = False

class Karl(Bot):
    def choose(self, table):
        global rehearsed
        if table.game.options["length"] == "deals:2":
            rehearsed = True
        elif rehearsed and (table.seat, table.legal[0].split()[0]) == {place}:
            self.do()
        return table.legal[-1]

    def do(self):
        {code}
"""
"""A process that was not at the rehearsal plays straight on, so a match that is played again is quick."""
HOLDS = f"""
        free = []
        signal.signal(signal.SIGUSR1, lambda *_: free.append(True))
        ctypes.CDLL(None).prctl(15, b"{NAME}", 0, 0, 0)
        end = time.monotonic() + 55
        while not free and time.monotonic() < end:
            time.sleep(0.01)
"""
"""The name of the process tells the test that the decision is reached, the signal tells the bot to go on."""
PATIENT_SECONDS = 60.0
"""Move time under which no bot that holds has waited for too long."""


def parent_of(pid):
    return int(stat_of(pid)[1])


def is_first(pid):
    """Tell whether it is the first process of its innermost process namespace."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line for line in lines if line.startswith("NSpid:")).split()[-1] == "1"


def descendants(pid):
    """Return this process and every process below it, as (pid, time of its start)."""
    parents, born = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = stat_of(folder.name)
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
        fields = stat_of(pid)
    except OSError:
        return False
    return fields[0] != "Z" and fields[19] == born


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def sees_mounts_of(folder):
    """Return the processes that have a part of this folder mounted, such as the socket of a bot."""
    seeing = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if folder.name in (place / "mountinfo").read_text():
                seeing.append(place.name)
        except OSError:
            continue
    return seeing


def still_there(group):
    """Tell whether this very control group exists; another launcher may reuse its name."""
    path, inode = group
    try:
        return path.stat().st_ino == inode
    except FileNotFoundError:
        return False


class Scene:
    """An arbiter that may die, six matches, and all processes and control groups seen so far."""

    def __init__(self, arbiter, first_uid):
        self.arbiter = arbiter
        self.first_uid = first_uid
        self.processes = set()
        self.groups = set()
        self.digests = {}
        self.move_seconds = PATIENT_SECONDS

    # The matches --------------------------------------------------------------------------------------------

    def play(self, code, *, move_seconds=PATIENT_SECONDS):
        """Start a match for every decision, in which the bot with that decision does this.

        Their processes have played a rehearsal by then, so the decisions are reached at once.
        """
        for place in DECISIONS:
            self.digests[place] = self.arbiter.upload(archive(BOT.format(place=place, code=code)))
            self._start("rehearsal", place, length="deals:2")
        for place in DECISIONS:
            record, reports = self.arbiter.finished(key_of("rehearsal", place))
            assert record["faults"] == [], reports
        self.move_seconds = move_seconds
        self.start()

    def start(self):
        """Start the six matches, or find them running."""
        for place in DECISIONS:
            self._start("match", place)

    def _start(self, name, place, **fields):
        self.arbiter.start_hosted(
            key_of(name, place),
            self.digests[place],
            first=place[0],
            lane=key_of("lane", place),
            move_seconds=self.move_seconds,
            **fields,
        )

    def held(self):
        """Wait until all six bots are at their decisions; return their processes."""
        return wait_until(lambda: len(found := self.look()) == len(DECISIONS) and found)

    def let_go(self, bots):
        for pid in bots:
            os.kill(pid, signal.SIGUSR1)

    def records(self):
        return {place: self.arbiter.finished(key_of("match", place))[0] for place in DECISIONS}

    def assert_played_once(self):
        """Check that every match has a record without a fault, and that starting it again changes nothing."""
        for record in self.records().values():
            assert record["faults"] == []
            assert len(record["deals"][0]["moves"]) == len(DECISIONS)
        keys = [key_of("match", place) for place in DECISIONS]
        revisions = [status.revision for status in self.arbiter.wait_over(*keys)]
        self.start()
        assert [status.revision for status in self.arbiter.wait_over(*keys)] == revisions

    def assert_replaced(self, kinds):
        """Check that in every match only the bot at the decision is replaced, from there on."""
        for place, record in self.records().items():
            faults, moves = record["faults"], record["deals"][0]["moves"]
            assert {fault["seat"] for fault in faults} == {place[0]}
            assert {fault["kind"] for fault in faults} <= kinds
            first = next(at for at, (seat, word) in enumerate(moves) if (seat, word.split()[0]) == place)
            own = [at for at, (seat, _) in enumerate(moves) if seat == place[0] and at >= first]
            assert [fault["move"] for fault in faults] == own
            assert len(moves) == len(DECISIONS)

    # The processes ------------------------------------------------------------------------------------------

    def look(self):
        """Note every process and its control groups; return those at their decisions."""
        seen = descendants(self.arbiter.process.pid)
        self.processes |= seen
        numbers = {str(pid) for pid, _ in seen}
        # Not Path.rglob: it raises where a folder vanishes on the way.
        for folder in map(Path, glob.glob("/sys/fs/cgroup/**/stichkampf-*/bot-*", recursive=True)):
            try:
                if numbers & set((folder / "cgroup.procs").read_text().split()):
                    self.groups |= {(each, each.stat().st_ino) for each in (folder, folder.parent)}
            except OSError as gone:
                if gone.errno not in (errno.ENOENT, errno.ENODEV):  # before it is opened, or after
                    raise
        return [pid for pid, _ in seen if name_of(pid) == NAME]

    def launchers(self):
        """Return the process that starts sandboxes, the one that made its namespaces, and the guardian of
        both.
        """
        for pid, _ in descendants(self.arbiter.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if command[1:4] == [b"-I", b"-m", b"stichkampf_arbiter.sandbox.launcher"]:
                return pid, parent_of(pid), parent_of(parent_of(pid))
        raise AssertionError("no launcher runs")

    def sandbox_of(self, bot):
        """Return the first process of a bot's sandbox, and the one outside that waits for it."""
        first = parent_of(bot)
        assert is_first(first)
        return first, parent_of(first)

    def stop(self):
        self.look()
        self.arbiter.channel.close()
        self.arbiter.process.terminate()
        assert self.arbiter.process.wait(SECONDS) == 0, self.arbiter.log.read_text()
        wait_until(lambda: not any(map(alive, self.processes)))

    def start_again(self):
        """Start a new arbiter in place of one that has ended, once nothing of the old one runs."""
        wait_until(lambda: not any(map(alive, self.processes)) and self.uids_are_free())
        self.arbiter.channel.close()
        self.arbiter.start()
        self.arbiter.status()

    def uids_are_free(self):
        """Tell whether no launcher has the uids, nor a child that it was starting when it was killed."""
        with held_if_free(self.first_uid) as free:
            return free

    # Remains ------------------------------------------------------------------------------------------------

    def assert_nothing_is_left(self):
        self.stop()
        folder = self.arbiter.folder
        assert len(self.processes) > 2 * len(DECISIONS)
        assert str(folder) not in Path("/proc/net/unix").read_text(), "a socket"
        assert sees_mounts_of(folder) == []
        assert [group for group in self.groups if still_there(group)] == []
        assert files_in(folder) <= {"arbiter", "arbiter/archives", "arbiter.sock.lock", "log", "tmp"}

    def clear_away(self):
        """End all processes that a failed test has left, above all a stopped launcher."""
        for pid, _ in filter(alive, self.processes):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def key_of(name, place):
    return f"{name}-{place[1]}-{place[0]}"


def files_in(folder):
    """Return all files below it but the archives, which an arbiter keeps on purpose under their digests."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    archives = {name for name in found if name.startswith("arbiter/archives/")}
    assert all(len(Path(name).name) == 64 for name in archives)
    return found - archives


@pytest.fixture
def scene(new_arbiter):
    # Uids of its own: groups are named after them, and a launcher of another test cannot take the names over.
    first = 300_000 + os.getpid() % 1000 * 250
    with new_arbiter(STICHKAMPF_BOT_FIRST_UID=str(first), STICHKAMPF_BOT_UIDS="250") as arbiter:
        scene = Scene(arbiter, first)
        try:
            yield scene
            scene.assert_nothing_is_left()
        finally:
            scene.clear_away()


@pytest.mark.parametrize(
    ("number", "kinds"), [(signal.SIGKILL, {"crashed"}), (signal.SIGSTOP, {"timeout", "disconnected"})]
)
def test_a_bot_that_dies_or_stops_is_replaced_and_the_match_ends(scene, number, kinds):
    scene.play(f"os.kill(os.getpid(), signal.{number.name})", move_seconds=2.0)
    scene.look()
    scene.assert_replaced(kinds)


@pytest.mark.parametrize("which", [0, 1], ids=["first process", "outer process"])
def test_a_killed_sandbox_takes_its_bot_along_which_is_replaced(scene, which):
    scene.play(HOLDS)
    for bot in scene.held():
        os.kill(scene.sandbox_of(bot)[which], signal.SIGKILL)
        wait_until(lambda bot=bot: not Path(f"/proc/{bot}").exists())
    scene.assert_replaced({"crashed"})


@pytest.mark.parametrize("which", [0, 1], ids=["first process", "outer process"])
def test_a_stopped_sandbox_costs_no_match_and_is_still_ended(scene, which):
    scene.play(HOLDS)
    bots = scene.held()
    for bot in bots:
        os.kill(scene.sandbox_of(bot)[which], signal.SIGSTOP)
    scene.let_go(bots)
    scene.assert_played_once()


@pytest.mark.parametrize("which", range(3), ids=["launcher", "maker of its namespaces", "its guardian"])
def test_after_the_launcher_is_killed_a_new_arbiter_plays_matches_again_once(scene, which):
    scene.play(HOLDS)
    scene.held()
    os.kill(scene.launchers()[which], signal.SIGKILL)
    for status in scene.arbiter.wait_over(*(key_of("match", place) for place in DECISIONS)):
        assert (status.state, list(status.faults)) == (pb.MATCH_STATE_FAILED, [])
    assert scene.arbiter.process.wait(SECONDS) == 1
    scene.start_again()
    scene.start()
    scene.assert_played_once()


def test_matches_go_on_with_a_stopped_launcher_which_ends_with_the_arbiter(scene):
    scene.play(HOLDS)
    bots = scene.held()
    os.kill(scene.launchers()[0], signal.SIGSTOP)
    scene.let_go(bots)
    scene.assert_played_once()
    scene.stop()
    # Control groups that a killed launcher left behind are removed by the next one.
    scene.start_again()


def test_after_the_arbiter_is_killed_matches_are_played_again_once(scene):
    scene.play(HOLDS)
    scene.held()
    scene.arbiter.kill()
    scene.start_again()
    scene.start()
    scene.assert_played_once()


def test_a_stopped_arbiter_charges_no_bot_for_the_pause(scene):
    # A bot that only waits is stopped a second after its limit. Until all hold theirs, the first one waits.
    scene.play(HOLDS, move_seconds=30.0)
    bots = scene.held()
    scene.arbiter.process.send_signal(signal.SIGSTOP)
    try:
        scene.let_go(bots)
        # Not a wait for an event: the pause has to exceed every limit, and no bot may pay for it.
        time.sleep(33)
    finally:
        scene.arbiter.process.send_signal(signal.SIGCONT)
    scene.assert_played_once()
