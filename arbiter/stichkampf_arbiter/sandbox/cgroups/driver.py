"""Control groups: what keeps a sandbox's memory, processes and CPU within bounds.

Version 1 has a hierarchy per controller, version 2 one for all. Version 2 could not be tried where this was
written: its driver is tested on a tree of plain files only.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stichkampf_arbiter.sandbox.cgroups.freezer import thaw_group
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.isolation.uids import is_claimed
from stichkampf_arbiter.sandbox.limits import Limits

PREFIX = "stichkampf-"
PERIOD_US = 100_000


class CgroupUnusable(SandboxError):
    """This machine, or this container, gives no control group to write to."""


class Group(Protocol):
    """The control group of one sandbox."""

    cpu_files: Mapping[str, Path]
    """The files that `cpu.Meter` reads, by its names for them; anyone may read them."""
    freezer_file: Path
    """The file that freezes and thaws all processes; see `freezer`."""

    def add(self, pid: int) -> None: ...
    def memory_kills(self) -> int: ...
    def refused_processes(self) -> int: ...
    def remove(self) -> None: ...


class Driver(Protocol):
    """Makes the groups of one launcher."""

    unkillable: Path | None
    """The folder of the groups whose processes must be thawed to be killed; None: they die frozen."""

    def make(self, name: str, limits: Limits) -> Group: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """One mounted cgroup file system and where this process stands in it."""

    mounted: Path
    own: Path
    """The folder of this process's own group."""
    version: int
    controllers: frozenset[str]


def hierarchies(proc: Path = Path("/proc/self")) -> list[Hierarchy]:
    """What /proc says about the cgroup file systems that this process can reach."""
    membership: dict[frozenset[str], str] = {}
    for line in (proc / "cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        membership[frozenset(names.split(",")) if names else frozenset()] = path
    found = []
    for line in (proc / "mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        root, place = left.split()[3:5]
        kind, _, options = right.split()[:3]
        if kind == "cgroup2":
            path, version, controllers = membership.get(frozenset(), "/"), 2, frozenset[str]()
        elif kind == "cgroup":
            given = frozenset(options.split(","))
            name = next((names for names in membership if names and names <= given), None)
            if name is None:
                continue
            path, version, controllers = membership[name], 1, name
        else:
            continue
        inside = os.path.relpath(path, root) if path.startswith(root) else "."
        found.append(Hierarchy(Path(place), (Path(place) / inside).resolve(), version, controllers))
    return found


def open_driver(name: str, parent: Path | None = None, proc: Path = Path("/proc/self")) -> Driver:
    """The driver that fits this machine.

    :param name: of the group that will hold those of all bots, as `group_name` makes it.
    :param parent: an empty cgroup of version 2 that was delegated to the platform; None: below this
        process's own group.
    :raises CgroupUnusable: none can be written to; says why.
    """
    from stichkampf_arbiter.sandbox.cgroups.v1 import NEEDED, V1Driver
    from stichkampf_arbiter.sandbox.cgroups.v2 import V2Driver

    if parent is not None:
        return V2Driver(name, parent)
    found = hierarchies(proc)
    v1 = {name: each for each in found if each.version == 1 for name in each.controllers}
    if all(each in v1 for each in NEEDED):
        return V1Driver(name, {each: v1[each].own for each in NEEDED})
    v2 = next((each for each in found if each.version == 2), None)
    if v2 is None:
        lacking = ", ".join(each for each in NEEDED if each not in v1)
        raise CgroupUnusable(
            f"version 1 lacks the controllers {lacking}" if v1 else "no cgroup file system is mounted"
        )
    return V2Driver(name, v2.own)


def group_name(first_uid: int) -> str:
    """The name of the group of the launcher that has claimed this block of uids."""
    return f"{PREFIX}{first_uid}"


def sweep(folder: Path, own: str) -> None:
    """Remove the groups of launchers that were killed, and what lies under one's own name."""
    for left in folder.glob(f"{PREFIX}*"):
        number = left.name.removeprefix(PREFIX)
        if left.name == own or (number.isdecimal() and not is_claimed(int(number))):
            remove_tree(left)


def write(file: Path, value: object) -> None:
    """Write one control file.

    :raises CgroupUnusable: the kernel does not take it.
    """
    try:
        file.write_text(f"{value}")
    except OSError as error:
        raise CgroupUnusable(f"{file}: {error.strerror}") from None


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise CgroupUnusable(f"{folder}: {error.strerror}") from None


def is_readable(file: Path) -> bool:
    """Whether the kernel has what a control file tells; one without pressure refuses to open or to read."""
    try:
        file.read_bytes()
    except OSError:
        return False
    return True


def read_keys(file: Path) -> Mapping[str, int]:
    """A control file of lines ``name number``."""
    return {name: int(value) for name, value in (line.split() for line in file.read_text().splitlines())}


def remove_tree(folder: Path) -> None:
    """Remove a group and those inside it; one that is gone already, or still holds a process, stays as it
    is. What was left frozen is thawed."""
    if not folder.is_dir():
        return
    thaw_group(folder)
    for inside in folder.iterdir():
        if inside.is_dir():
            remove_tree(inside)
    try:
        folder.rmdir()
    except OSError:
        return
