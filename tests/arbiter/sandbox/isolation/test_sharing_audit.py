"""The audit of what sandboxes share, on the default and with one wall after the other taken away.

`STICHKAMPF_WEAKENINGS` names a folder of more weakenings, files such as those beside `weak_launcher.py`; with
`-m nightly` the audit is tried on each of them.
"""

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

ROUNDS = int(os.environ.get("STICHKAMPF_AUDIT_ROUNDS", "36"))


@pytest.fixture
def findings(prelude, until, tmp_path):
    """Return what the audit finds in an arena."""

    def looks(place, rounds) -> list[tuple[str, str]]:
        done, seen = [], []
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "audit.sock"))
            listener.listen()
            listener.settimeout(60)
            spec = place.spec(prelude + audit.looking())
            limits = dataclasses.replace(spec.limits, wall_seconds=10_000)
            spec = dataclasses.replace(spec, socket_path=tmp_path / "audit.sock", limits=limits)
            looking = place.launch(spec)
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lines:

                def look(known):
                    lines.write("look\n")
                    lines.flush()
                    answer = lines.readline()
                    assert answer, place.wait(looking)
                    return audit.seen_then(known, answer)

                now = look({})
                for chosen in audit.subsets(rounds, random.randrange(1 << 30)):
                    moment = {"before": now}
                    doing = place.start(prelude + audit.doing(chosen))
                    assert until(lambda doing=doing: "done" in doing.stderr), doing.stderr
                    doing.freeze()
                    moment["meanwhile"] = look(moment["before"])
                    place.kill(doing)
                    moment["after"] = now = look(moment["meanwhile"])
                    seen.append(moment)
                    done.append(chosen)
            place.kill(looking)
        return audit.found(done, seen)

    yield looks
    with suppress(OSError):
        Path("/var/tmp/stichkampf-audit").rmdir()
    libc = ctypes.CDLL(None)
    libc.shmctl(libc.shmget(0x5A5A5A5A, 4096, 0o666), 0, None)


def test_on_the_default_only_what_is_published_tells_what_another_did(arena, findings):
    assert audit.unpublished(findings(arena, ROUNDS)) == []


def test_without_the_filter_and_own_files_the_audit_tells_what_another_did(arenas, findings):
    told = audit.unpublished(findings(arenas("seccomp", "own files"), 32))
    assert {"words of files", "locks"} <= {action for _, action in told}


OWN = Path(__file__).parents[1] / "weakenings"
WEAKENINGS = [
    *(("net",), ("uid",), ("devices",), ("pid",), ("tmp", "uid"), ("ipc", "seccomp", "uid")),
    *((str(path),) for folder in (OWN, os.environ.get("STICHKAMPF_WEAKENINGS", OWN / "none"))
      for path in sorted(Path(folder).glob("*.py"))),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("taken", WEAKENINGS, ids=lambda taken: Path(taken[0]).stem)
def test_each_wall_that_is_taken_away_is_found(arenas, findings, taken):
    told = audit.unpublished(findings(arenas(*taken), ROUNDS))
    print(len(told), "findings:", *told[:20], sep="\n")
    assert told


def test_numbers_that_say_nothing_are_told_of_no_action():
    chance = random.Random(5)
    done = list(audit.subsets(40, 5, ["burn", *map(str, range(20))]))

    def look():
        return {f"number {n}": chance.random() for n in range(100)}

    moments = [{when: look() for when in audit.WHEN} for _ in done]
    assert audit.found(done, moments) == []
    for moment, chosen in zip(moments, done, strict=True):
        moment["meanwhile"]["number 7"] += "burn" in chosen
    assert {("number 7", "burn")} <= set(audit.found(done, moments))
    assert {action for _, action in audit.found(done, moments)} == {"burn"}
