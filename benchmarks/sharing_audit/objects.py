"""Objects that two sandboxes have in common without doing anything, and calls that no table names.

Each of two sandboxes that live at once tells the numbers of what it can reach, and which system calls do
more than refuse. Nothing here depends on chance.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from benchmarks.sharing_audit.calls import LAST, calls, probes
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
    if of[found.st_dev] <= OF_EACH and not stat.S_ISFIFO(found.st_mode) and not stat.S_ISSOCK(found.st_mode):
        reached[name] = [found.st_dev, found.st_ino]
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
print(json.dumps([reached, answered, HUNG]), flush=True)
time.sleep(600)
"""
OF_THE_PARTS = ("/usr", "/opt", "/bin", "/lib", "/lib64", "/etc", "/dev")
"""Folders that are shown to all sandboxes where they cannot have files of their own."""


@dataclass(frozen=True)
class Reach:
    """Objects and calls that a sandbox reaches."""

    numbers: Mapping[str, tuple[int, int]]
    """Device and inode of what it can name and of its descriptors, but pipes and sockets."""
    calls: Collection[str]
    """System calls that do more than refuse."""
    hung: Collection[str]
    """Calls that end a process, or do not return."""


def telling(mark: str) -> str:
    """Return the program that tells what it reaches, in a line, then stays."""
    last = sorted(LAST & calls().keys())
    named = f"LAST, PROBED = {last}, {probes()}\n"
    return f"import re, stat\n{reach(mark, calls(), fill=FILL_OF_LOOKS)}PATIENCE = 2\n{named}{PROGRAM}"


def reach_of(line: str) -> Reach:
    """Read what such a program told."""
    numbers, answered, hung = json.loads(line)
    return Reach({name: (device, inode) for name, (device, inode) in numbers.items()}, answered, hung)


def in_common(one: Reach, other: Reach, *, parts_are_shared: bool) -> list[tuple[str, str]]:
    """Return the objects and file systems that both reach, with what they are, one for each file system."""

    def told(reach: Reach) -> dict[str, tuple[int, int]]:
        return {
            name: number
            for name, number in reach.numbers.items()
            if not (parts_are_shared and (name == "/" or name.startswith(OF_THE_PARTS)))
        }

    first, second = told(one), told(other)
    objects, devices = set(second.values()), {device for device, _ in second.values()}
    found = {
        device: (name, "the same object" if (device, inode) in objects else "the same file system")
        for name, (device, inode) in reversed(first.items())
        if device in devices
    }
    return list(found.values())
