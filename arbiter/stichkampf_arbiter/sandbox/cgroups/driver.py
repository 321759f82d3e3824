"""Control groups: they keep a sandbox's memory, processes and CPU within bounds.

Version 1 has a hierarchy per controller, version 2 one for all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stichkampf_arbiter.sandbox.cgroups import v1, v2
from stichkampf_arbiter.sandbox.cgroups.files import CgroupUnusable
from stichkampf_arbiter.sandbox.limits import Limits


class ControlGroup(Protocol):
    """The control group of one sandbox.

    :ivar cpu_files: the files that `cpu.CpuMeter` reads, by its names for them; any uid may read them.
    :ivar freezer_file: the file that freezes and thaws all processes; see `freezer`.
    """

    cpu_files: Mapping[str, Path]
    freezer_file: Path

    def add(self, pid: int) -> None: ...
    def memory_kills(self) -> int: ...
    def refused_processes(self) -> int: ...
    def read_again_bytes(self) -> int: ...
    def remove(self) -> None: ...


class CgroupDriver(Protocol):
    """Makes the groups of one launcher.

    :ivar freezer: the folder of the groups whose processes must be thawed to be killed; None: they die
        frozen.
    """

    freezer: Path | None

    def make(self, name: str, limits: Limits) -> ControlGroup: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CgroupHierarchy:
    """One mounted cgroup file system.

    :ivar own: the folder of this process's own group.
    """

    mounted: Path
    own: Path
    version: int
    controllers: frozenset[str]


def hierarchies(proc: Path = Path("/proc/self")) -> list[CgroupHierarchy]:
    """Read from /proc the cgroup file systems that this process can reach."""
    membership: dict[frozenset[str], str] = {}
    for line in (proc / "cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        membership[frozenset(names.split(",")) if names else frozenset()] = path
    found = []
    for line in (proc / "mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        root, target = left.split()[3:5]
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
        found.append(CgroupHierarchy(Path(target), (Path(target) / inside).resolve(), version, controllers))
    return found


def open_driver(name: str, parent: Path | None = None, proc: Path = Path("/proc/self")) -> CgroupDriver:
    """Open the driver that fits this machine.

    :param name: name of the group that will hold all bots' groups, as `group_name` makes it.
    :param parent: an empty cgroup of version 2 that was delegated to the platform; None: below this
        process's own group.
    :raises CgroupUnusable: no group can be written to; the message says why.
    """
    if parent is not None:
        return v2.V2Driver(name, parent)
    own = own_groups(proc)
    return v2.V2Driver(name, v2.delegated(own)) if isinstance(own, Path) else v1.V1Driver(name, own)


def empty_own_group(proc: Path = Path("/proc/self")) -> None:
    """Prepare this process's own group, so that `open_driver` can make groups below it.

    To be called where all processes of the group can be seen, before the launcher's namespaces are made.
    """
    with suppress(CgroupUnusable):  # `open_driver` meets the same, and says why
        own = own_groups(proc)
        if isinstance(own, Path):
            v2.empty(v2.delegated(own))


def own_groups(proc: Path) -> Path | Mapping[str, Path]:
    """Choose the version that this machine can use, and return the folders of this process's own groups.

    :returns: of version 1 one folder for each controller, where it has all that are needed; else that of
        version 2.
    :raises CgroupUnusable: neither can be used; the message says why.
    """
    found = hierarchies(proc)
    first = {name: each.own for each in found if each.version == 1 for name in each.controllers}
    lacking = [name for name in v1.NEEDED if name not in first]
    if not lacking:
        return {name: first[name] for name in v1.NEEDED}
    second = next((each.own for each in found if each.version == 2), None)
    if second is not None:
        return second
    if not first:
        raise CgroupUnusable("no cgroup file system is mounted")
    raise CgroupUnusable(f"version 1 lacks the controllers {', '.join(lacking)}")
