"""The audit of what sandboxes share, on the default and with one wall after the other taken away.

`STICHKAMPF_WEAKENINGS` names a folder of more weakenings, files such as those beside `weak_launcher.py`; with
`-m nightly` the audit is tried on each of them. What identity does not find is looked for by rounds;
`STICHKAMPF_AUDIT_ROUNDS` of them are made on the others, too.
"""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import json
import os
import random
import secrets
import socket
import time
import zlib
from contextlib import suppress
from pathlib import Path

import documents
import gvisor_level
import pytest
from stichkampf_arbiter.sandbox.contract import SandboxLevel
from stichkampf_arbiter.sandbox.isolation import syscalls

from benchmarks.sharing_audit import acts, looks, objects, statistics

ROUNDS = 24
LONG_ROUNDS = int(os.environ.get("STICHKAMPF_AUDIT_ROUNDS", "0"))
OWN = Path(__file__).parents[1] / "weakenings"
SEEN_BY_ROOT = {"the same namespace"}
FEW = ("words of files", "locks", "keys", "processor")
"""Units that cost little, for an audit that looks for no others."""
LONGER = 3
"""Times the rounds, where a busy machine drowns what there is to be found in fewer."""


def clean(mark: str) -> None:
    """Remove what an audit of a weakened sandbox left on the machine."""
    with suppress(OSError):
        Path("/var/tmp", mark).rmdir()
    libc, key = ctypes.CDLL(None), zlib.crc32(mark.encode()) >> 1
    libc.shmctl(libc.shmget(key, 0, 0), 0, None)
    libc.msgctl(libc.msgget(key, 0), 0, None)
    libc.semctl(libc.semget(key, 0, 0), 0, 0)


def told_by(bot) -> str:
    """Return the last line that a bot wrote, without what makes sandboxes may write after its end."""
    return [line for line in bot.stderr.splitlines() if line.endswith("]]")][-1].lstrip("\0")


@pytest.fixture
def reaches(prelude, until):
    """Return what each of two sandboxes of an arena reaches while both live, what is kept of them, and where
    a third finds what they left."""
    known, marks = {}, []

    def told(place) -> tuple[list[objects.Reach], list[objects.Outside], list[str]]:
        if place not in known:
            marks.append(mark := f"audit-{secrets.token_hex(5)}")
            program = objects.telling(mark, syscalls.NO_EFFECT)
            telling = [place.start(prelude + program) for _ in range(2)]
            assert all(until(lambda one=one: one.stderr.endswith("]]\n")) for one in telling), telling[
                0
            ].stderr
            outside = [objects.outside(one.pid) for one in telling]
            for one in telling:
                place.kill(one)
            lines = [told_by(one) for one in telling]
            left = json.loads(place.run(prelude + objects.succeeding(mark)).stderr)
            known[place] = [objects.reach_of(line) for line in lines], outside, left
        return known[place]

    yield told
    for mark in marks:
        clean(mark)


@pytest.fixture
def in_common(reaches, arena):
    """Return what two sandboxes of an arena have in common, and calls and arguments that no list names."""

    def found(place) -> list[tuple[str, str]]:
        (one, other), outsides, left = reaches(place)
        shared = "files of the runtime in common" in arena.launcher.reason
        more = sorted({*one.calls, *other.calls} - documented())
        return [
            *objects.in_common(one, other, parts_are_shared=shared),
            *(
                each
                for each in objects.kept_together(*outsides, parts_are_shared=shared)
                if each[1] != "the same control group" or arena.launcher.level is not SandboxLevel.DEVELOPMENT
            ),
            *((name, "a call without a row") for name in more),
            *((f"{name} {value}", "an argument without a row") for name, value in unlisted(one)),
            *((name, "a call that is done") for name in one.done),
            *((folder, "left by one before") for folder in left),
        ]

    return found


def documented() -> set[str]:
    """Return the calls that docs/sandbox.md lets a sandbox make."""
    return {call for calls, _ in documents.rows_of_calls() for call in calls} - {*syscalls.UNKNOWN}


def unlisted(reach: objects.Reach) -> list[tuple[str, int]]:
    """Return the calls and arguments that a sandbox may make though no list of the filter has them."""
    told = reach.arguments
    by_value = [(call, {value & 0xFFFFFFFF for value in values}) for call, _, values in syscalls.ONLY]
    found = [
        (call, value) for call, values in by_value for value in told.get(call, ()) if value not in values
    ]
    found += [(call, v) for call, _, bits in syscalls.WITHOUT for v in told.get(call, ()) if v & bits]
    needed = (*syscalls.WITH, *syscalls.WITH_ANY)
    return found + [(call, v) for call, _, bits in needed for v in told.get(call, ()) if not v & bits]


@pytest.fixture
def findings(prelude, until, tmp_path, reaches):
    """Return what the audit finds in an arena."""
    marks, numbers = [], itertools.count(1)

    def found(place, rounds, units=(*acts.UNITS,)) -> list[tuple[str, str]]:
        reach = reaches(place)[0][0]
        let = {*reach.calls} - {*reach.hung}
        marks.append(mark := f"audit-{secrets.token_hex(5)}")
        done, moments = [], []
        with socket.socket(socket.AF_UNIX) as listener:
            path = tmp_path / f"audit-{next(numbers)}.sock"
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(60)
            spec = place.spec(prelude + looks.looking(mark, let))
            limits = dataclasses.replace(spec.limits, wall_seconds=10_000)
            looking = place.launch(dataclasses.replace(spec, socket_path=path, limits=limits))
            connection, _ = listener.accept()
            with connection, connection.makefile() as lines:

                def look(known):
                    with suppress(BrokenPipeError):
                        connection.sendall(b"look\n")
                    answer = lines.readline()
                    assert answer, place.wait(looking)
                    return looks.seen_then(known, answer)

                now, seconds = look({}), 1.0
                for chosen in acts.subsets(rounds, random.Random(), units):
                    moment = {"before": now}
                    began = time.monotonic()
                    doing = place.start(prelude + acts.doing(chosen, mark, seconds, let))
                    assert until(lambda doing=doing: "done" in doing.stderr), doing.stderr
                    seconds = time.monotonic() - began if chosen else seconds
                    doing.freeze()
                    moment["meanwhile"] = look(moment["before"])
                    place.kill(doing)
                    moment["after"] = now = look(moment["meanwhile"])
                    moments.append(moment)
                    done.append(chosen)
            place.kill(looking)
        return statistics.found(done, moments, units)

    yield found
    for mark in marks:
        clean(mark)


def test_two_sandboxes_have_no_object_in_common_and_make_no_call_that_no_row_names(arena, in_common):
    assert in_common(arena) == []


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        ((str(OWN / "written.py"), str(OWN / "pipe.py")), {"the same object", "the same file system"}),
        (
            ("tmp", "uid"),
            {"the same object", "the same file system", "the same user", "left by one before"},
        ),
        (("seccomp",), {"a call without a row", "an argument without a row", "a call that is done"}),
        (
            ("net", "proc", str(OWN / "cookies.py")),
            {"the same namespace", "made up by the kernel", "an argument without a row"},
        ),
    ],
    ids=["a file and a pipe", "a folder and a user", "the filter", "network, processes and an argument"],
)
def test_what_two_weakened_sandboxes_have_in_common_is_named(arenas, in_common, taken, told):
    found = {what for _, what in in_common(arenas(*taken))}
    assert found == (told if os.getuid() == 0 else told - SEEN_BY_ROOT)


def test_on_the_default_nothing_tells_what_another_did(arena, findings):
    # By chance one audit in a hundred names something, hardly ever two of them the same.
    beyond = gvisor_level.BEYOND_ITS_ROOM if arena.launcher.level is SandboxLevel.GVISOR else ()
    units = [unit for unit in acts.UNITS if unit not in beyond]
    told = findings(arena, ROUNDS, units)
    assert not told or not set(told) & set(findings(arena, ROUNDS, units))


def test_without_the_filter_and_own_files_the_audit_tells_what_another_did(arenas, findings):
    # What a busy machine drowns in few rounds is found in more.
    place, wanted, units = arenas("seccomp", "own files"), {"words of files", "locks"}, FEW
    told = {unit for _, unit in findings(place, ROUNDS, units)}
    assert wanted <= told or wanted <= told | {unit for _, unit in findings(place, 2 * ROUNDS, units)}


WEAKENINGS = [
    *(("net",), ("uid",), ("devices",), ("pid",), ("answers",), ("tmp", "uid"), ("ipc", "seccomp", "uid")),
    *((str(path),) for folder in (OWN, os.environ.get("STICHKAMPF_WEAKENINGS", OWN / "none"))
      for path in sorted(Path(folder).glob("*.py"))),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("taken", WEAKENINGS, ids=lambda taken: Path(taken[0]).stem)
def test_each_wall_that_is_taken_away_is_found(arenas, in_common, findings, taken):
    place = arenas(*taken)
    shared = in_common(place)
    rounds = LONG_ROUNDS or (0 if shared else 36)
    told = findings(place, rounds) if rounds else []
    print(f"{taken}: {len(shared)} in common, {len(told)} told:", *shared[:10], *told[:20], sep="\n")
    assert shared or told or findings(place, LONGER * rounds)


def test_numbers_that_say_nothing_are_told_of_no_unit():
    chance = random.Random(5)
    units = [f"unit {number}" for number in range(13)]
    done = list(acts.subsets(36, chance, units))

    def look():
        numbers = {f"number {n}": chance.choice((chance.random(), 0.0, 1e9)) for n in range(300)}
        return {**numbers, looks.CLOCK: chance.random()}

    moments = [{when: look() for when in looks.WHEN} for _ in done]
    assert statistics.found(done, moments, units) == []
    for moment, chosen in zip(moments, done, strict=True):
        moment["meanwhile"]["number 7"] = chance.random() + 20 * ("unit 3" in chosen)
    assert {unit for _, unit in statistics.found(done, moments, units)} == {"unit 3"}
