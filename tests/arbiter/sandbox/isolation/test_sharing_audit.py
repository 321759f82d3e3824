"""The audit of what sandboxes share, on the default and with one wall after the other taken away."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import random
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks import sharing_audit as audit

ROUNDS = int(os.environ.get("STICHKAMPF_AUDIT_ROUNDS", "30"))


@pytest.fixture
def findings(prelude, until, tmp_path):
    """Return what the audit finds in an arena."""

    def looks(place) -> list[tuple[str, str]]:
        done, seen = [], []
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "audit.sock"))
            listener.listen()
            listener.settimeout(60)
            spec = place.spec(prelude + audit.COMMON + audit.LOOKS)
            limits = dataclasses.replace(spec.limits, wall_seconds=600)
            spec = dataclasses.replace(spec, socket_path=tmp_path / "audit.sock", limits=limits)
            looking = place.launch(spec)
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lines:
                for chosen in audit.subsets(ROUNDS, random.randrange(1 << 30)):
                    doing = place.start(prelude + audit.doing(chosen))
                    assert until(lambda doing=doing: "done" in doing.stderr), doing.stderr
                    doing.freeze()
                    lines.write("look\n")
                    lines.flush()
                    answer = lines.readline()
                    place.kill(doing)
                    assert answer, place.wait(looking)
                    seen.append(audit.parsed(answer))
                    done.append(chosen)
            place.kill(looking)
        return audit.found(done, seen)

    yield looks
    with suppress(OSError):
        Path("/var/tmp/stichkampf-audit").rmdir()
    libc = ctypes.CDLL(None)
    libc.shmctl(libc.shmget(0x5A5A5A5A, 4096, 0o666), 0, None)


def test_on_the_default_only_what_is_published_tells_what_another_did(arena, findings):
    told = {name.removeprefix(audit.CHANGE) for name, _ in findings(arena)}
    assert told <= set(audit.PUBLISHED)


WEAKENINGS = [
    pytest.param(("seccomp",), ("wait for a word of a file", "lock files"), id="seccomp"),
    pytest.param(("net",), ("listen in the network",), id="net"),
    pytest.param(("uid",), ("start threads",), id="uid"),
    pytest.param(("still",), ("set times",), id="still", marks=pytest.mark.nightly),
    pytest.param(("pid",), ("start processes",), id="pid", marks=pytest.mark.nightly),
    pytest.param(("tmp", "uid"), ("set times",), id="tmp", marks=pytest.mark.nightly),
    pytest.param(("ipc", "seccomp", "uid"), ("leave shared memory",), id="ipc", marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("taken", "actions"), WEAKENINGS)
def test_each_wall_that_is_taken_away_is_found(arenas, findings, taken, actions):
    told = findings(arenas(*taken))
    print(*told, sep="\n")
    assert set(actions) <= {action for _, action in told}


def test_numbers_that_say_nothing_are_told_of_no_action():
    chance = random.Random(5)
    done = list(audit.subsets(40, 5))
    seen = [{f"number {n}": chance.random() for n in range(100)} for _ in done]
    assert audit.found(done, seen) == []
    for one, chosen in zip(seen, done, strict=True):
        one["number 7"] += "burn" in chosen
    assert set(audit.found(done, seen)) == {("number 7", "burn")}
