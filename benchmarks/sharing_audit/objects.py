"""Objects that two sandboxes have in common without doing anything, and calls that no table names.

Each of two sandboxes that live at once tells the numbers of what it can reach, and which system calls, and
which arguments of those that depend on one, do more than refuse. From outside, both are compared by what the
kernel keeps of them: namespaces, user, control groups and mounts. A third one looks for what they left, when
they have ended. Nothing here depends on chance.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sharing_audit.calls import LAST, calls, number_of, probes
from benchmarks.sharing_audit.reach import FILL_OF_LOOKS, reach

PROGRAM = r"""
def numbers():
    for one in HELD:
        yield f"descriptor {one}", os.fstat(one)
    for folder, below, names in (("/", [], []), ("/tmp", [], os.listdir("/tmp")), *walked()):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            if works(os.lstat, path):
                yield path, os.lstat(path)
reached, OF_EACH, of = {}, 1000, {}
for name, found in numbers():
    of[found.st_dev] = of.get(found.st_dev, 0) + 1
    # Of a file system with thousands of files, such as of control groups, the first ones say enough.
    if of[found.st_dev] <= OF_EACH:
        is_end = stat.S_ISFIFO(found.st_mode) or stat.S_ISSOCK(found.st_mode)
        reached[name] = [found.st_dev, found.st_ino, is_end]
answered, names = [], sorted({*CALLS_BY_NAME} - {*LAST} - {*PROBED})
def answers(name, found):
    if {found[key] for key in found if key.isdigit()} - {-1, -38}:
        answered.append(name)
leave(sweep(names, answers))
for name in [*LAST, *(name for name in HUNG[:] if name not in LAST)]:
    HUNG[:] = [one for one in HUNG if one != name]
    leave(sweep([name], answers))
answered += HUNG
for name, number in PROBED.items():
    if raw(number, -1, -1, -1, -1, -1, -1) >= 0 or ctypes.get_errno() not in (1, 38):
        answered.append(name)
REFUSALS = (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT)
NUMBERS_ASKED = sorted({*range(256), *(1 << bit for bit in range(32)), *range(0x5400, 0x5480), 0xFFFFFFFF})
ARGUED = {
    name: (place, NUMBERS_ASKED, REFUSALS)
    for name, place in {
        "socket": 0, "socketpair": 0, "fcntl": 1, "ioctl": 1, "prctl": 0, "personality": 0,
        "getsockopt": 2, "setsockopt": 2, "membarrier": 0,
    }.items()
}
# With these others no thread and no mapping is ever made, and no advice taken.
ARGUED["clone"] = (0, [1 << bit | 0x10000 for bit in range(8, 32)], REFUSALS)
ARGUED["mmap"] = (3, [1 << bit | 0x22 for bit in range(32)], REFUSALS)
ARGUED["futex"] = (1, [*range(14), *range(128, 142)], (*REFUSALS, errno.EAGAIN, errno.EINVAL))
ARGUED["madvise"] = (2, NUMBERS_ASKED, (*REFUSALS, errno.EINVAL))
OTHERS = {
    "clone": [0] * 6, "mmap": [0] * 6, "madvise": [ROOM, 0, 0, 0, 0, 0],
    "futex": [PLACES[0] if PLACES else ROOM, 0, 1, -1, 0, 0],
}
def asked(name):
    place, values, refusals = ARGUED[name]
    for value in values:
        arguments = list(OTHERS.get(name, [-1] * 6))
        arguments[place] = value
        if raw(NUMBER[name], *arguments) >= 0 or ctypes.get_errno() not in refusals:
            yield value
def asks():
    left, right = os.pipe()
    child = os.fork()
    if not child:
        told = {name: list(asked(name)) for name in ARGUED if name in NUMBER}
        done = [name for name in IDLE if raw(NUMBER[name], *[-1] * 6) != 0]
        os.write(right, json.dumps([told, done]).encode() + b"\n")
        os._exit(0)
    os.close(right)
    with open(left) as lines:
        answer = json.loads(lines.readline())
    os.waitpid(child, 0)
    return answer
[works(os.mkdir, f"{folder}/{MARK}") for folder in folders()]
print(json.dumps([reached, answered, HUNG, *asks()]), flush=True)
time.sleep(600)
"""
SUCCESSOR = (
    "print(json.dumps([folder for folder in folders() if os.path.exists(f'{folder}/{MARK}')]), flush=True)"
)
OF_THE_PARTS = ("/usr", "/opt", "/bin", "/lib", "/lib64", "/etc", "/dev")
"""Folders that are shown to all sandboxes where they cannot have files of their own."""


@dataclass(frozen=True)
class Reach:
    """Objects and calls that a sandbox reaches."""

    numbers: Mapping[str, tuple[int, int, bool]]
    """Device and inode of what it can name and of its descriptors, and whether that is a pipe or a socket."""
    calls: Collection[str]
    """System calls that do more than refuse."""
    hung: Collection[str]
    """Calls that end a process, or do not return."""
    arguments: Mapping[str, Collection[int]]
    """Values of the argument that decides, for which a call does more than refuse."""
    done: Collection[str]
    """Calls that should do nothing, and do."""


def telling(mark: str, idle: Collection[str]) -> str:
    """Return the program that tells what it reaches, in a line, then stays.

    :param idle: calls that do nothing.
    """
    last = sorted(LAST & calls().keys())
    known = {**calls(), **{name: number_of(name) for name in ("clone",)}}
    named = f"LAST, PROBED, NUMBER, IDLE = {last}, {probes()}, {known}, {sorted(set(idle) & known.keys())}\n"
    return f"import re, stat\n{reach(mark, calls(), fill=FILL_OF_LOOKS)}PATIENCE = 2\n{named}{PROGRAM}"


def succeeding(mark: str) -> str:
    """Return the program that tells in which folders it finds what sandboxes before it left."""
    return f"{reach(mark, {}, fill=FILL_OF_LOOKS)}{SUCCESSOR}"


def reach_of(line: str) -> Reach:
    """Read what such a program told."""
    numbers, *others = json.loads(line)
    return Reach({name: tuple(found) for name, found in numbers.items()}, *others)


def in_common(one: Reach, other: Reach, *, parts_are_shared: bool) -> list[tuple[str, str]]:
    """Return the objects and file systems that both reach, with what they are, one for each file system.

    All pipes lie in one file system of the kernel, and all sockets, and a sandbox is told no number of them:
    what both have of these is seen from outside.
    """

    def told(reach: Reach) -> dict[str, tuple[int, int, bool]]:
        return {
            name: number
            for name, number in reach.numbers.items()
            if not (parts_are_shared and (name == "/" or name.startswith(OF_THE_PARTS)))
        }

    first, second = told(one), told(other)
    objects = {(device, inode) for device, inode, _ in second.values()}
    devices = {device for device, _, is_end in second.values() if not is_end}
    same, near = {}, {}
    for name, (device, inode, is_end) in first.items():
        if inode and (device, inode) in objects:
            same.setdefault(device, (name, "the same object"))
        elif device in devices and not is_end:
            near.setdefault(device, (name, "the same file system"))
    return list({**near, **same}.values())


OWN_MOUNTS = ("/bot/arbiter.sock",)
"""Mounts of one file each, in a file system of the machine."""
OF_ALL = re.compile("time.*")
"""Namespaces that no sandbox has of its own."""
LIMITING = re.compile(r"\d+:[^:]*\b(memory|pids|cpu|freezer)\b[^:]*:.+")
"""Control groups of version 1 that limit what is in them."""


@dataclass(frozen=True)
class Outside:
    """Facts that the kernel keeps of a sandbox, seen from outside."""

    namespaces: Mapping[str, str]
    uid: int
    groups: Collection[str]
    mounts: Mapping[str, tuple[str, str]]
    """Device and kind of the file system at each place."""
    ends: Collection[str]
    """Pipes and sockets that the process has open, by the kernel's names."""


def outside(pid: int) -> Outside:
    """Read what the kernel keeps of a process; to a user neither namespaces nor descriptors."""
    proc = Path("/proc", str(pid))
    mounts, namespaces, ends = {}, {}, set()
    for line in (proc / "mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        device, _, place = left.split()[2:5]
        mounts[place] = (device, right.split()[0])
    with suppress(PermissionError):
        opened = {os.readlink(each) for each in (proc / "fd").iterdir()}
        ends = {name for name in opened if name.startswith(("pipe:", "socket:"))}
    with suppress(PermissionError):
        namespaces = {name: os.readlink(proc / "ns" / name) for name in os.listdir(proc / "ns")}
    groups = (proc / "cgroup").read_text().splitlines()
    limiting = [line for line in groups if LIMITING.fullmatch(line)]
    return Outside(namespaces, proc.stat().st_uid, limiting or groups, mounts, ends)


def kept_together(one: Outside, other: Outside, *, parts_are_shared: bool) -> list[tuple[str, str]]:
    """Return what the kernel keeps for both, and file systems of which it makes up the files."""

    def places(told: Outside) -> dict[str, tuple[str, str]]:
        shared = OF_THE_PARTS if parts_are_shared else ()
        return {
            place: mount
            for place, mount in told.mounts.items()
            if place not in OWN_MOUNTS and not place.startswith(shared)
        }

    lines = [line.split() for line in Path("/proc/filesystems").read_text().splitlines()]
    made_up = {words[-1] for words in lines if words[0] == "nodev"} - {"tmpfs", "ramfs", "overlay"}
    theirs = {device for device, _ in places(other).values()}
    return [
        *(
            (name, "the same namespace")
            for name, number in one.namespaces.items()
            if other.namespaces.get(name) == number and not OF_ALL.fullmatch(name)
        ),
        *((name, "the same object") for name in one.ends if name in other.ends),
        *([("uid", "the same user")] if one.uid == other.uid else []),
        *((line, "the same control group") for line in one.groups if line in other.groups),
        *((place, "made up by the kernel") for place, (_, kind) in places(one).items() if kind in made_up),
        *((place, "the same file system") for place, (device, _) in places(one).items() if device in theirs),
    ]
