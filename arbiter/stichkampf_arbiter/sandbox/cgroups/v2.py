"""Control groups of version 2."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cgroups.files import (
    PERIOD_US,
    CgroupUnusable,
    is_readable,
    make_folder,
    read_again_bytes,
    read_keys,
    remove_tree,
    sweep,
    write,
)
from stichkampf_arbiter.sandbox.cgroups.freezer import V2_FILE
from stichkampf_arbiter.sandbox.limits import Limits

NEEDED = ("cpu", "memory", "pids")
LEAF = "platform"
"""Group of the platform's own processes, below the delegated one: a group of version 2 that holds processes
hands no controllers down."""
ROUNDS = 100
"""Times that `empty` looks again for processes that were started meanwhile."""


class V2Group:
    """One sandbox's group."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        write(folder / "memory.max", limits.memory_bytes)
        if (folder / "memory.swap.max").exists():
            write(folder / "memory.swap.max", 0)
        write(folder / "memory.oom.group", 1)
        write(folder / "pids.max", limits.processes + 1)
        write(folder / "cpu.max", f"{int(limits.cores * PERIOD_US)} {PERIOD_US}")
        files = {cpu.STAT: folder / "cpu.stat", cpu.PRESSURE: folder / "cpu.pressure"}
        self.cpu_files: Mapping[str, Path] = {name: file for name, file in files.items() if is_readable(file)}
        self.freezer_file = folder / V2_FILE

    def add(self, pid: int) -> None:
        write(self._folder / "cgroup.procs", pid)

    def memory_kills(self) -> int:
        return read_keys(self._folder / "memory.events").get("oom_kill", 0)

    def refused_processes(self) -> int:
        return read_keys(self._folder / "pids.events").get("max", 0)

    def read_again_bytes(self) -> int:
        return read_again_bytes(self._folder)

    def remove(self) -> None:
        remove_tree(self._folder)


class V2Driver:
    """Groups below a delegated one: systemd's `Delegate=yes`, or an empty group given in the settings."""

    freezer: Path | None = None

    def __init__(self, name: str, parent: Path) -> None:
        """
        :param name: name of the group that holds all bots' groups.
        :param parent: the delegated group, which holds no process: see `empty`.
        :raises CgroupUnusable: a controller is missing, or the group cannot be written to.
        """
        controllers = parent / "cgroup.controllers"
        if not controllers.is_file():
            raise CgroupUnusable(f"{parent} is no cgroup of version 2")
        missing = set(NEEDED) - set(controllers.read_text().split())
        if missing:
            raise CgroupUnusable(
                f"{parent} lacks the controllers {', '.join(sorted(missing))}: delegate them"
            )
        enable(parent)
        self._folder = parent / name
        sweep(parent, name)
        make_folder(self._folder)
        enable(self._folder)

    def make(self, name: str, limits: Limits) -> V2Group:
        folder = self._folder / name
        make_folder(folder)
        return V2Group(folder, limits)

    def close(self) -> None:
        remove_tree(self._folder)


def delegated(own: Path) -> Path:
    """Return the delegated group, given a process's own group, which may be the leaf by now."""
    return own.parent if own.name == LEAF else own


def empty(folder: Path) -> None:
    """Move the processes of a delegated group into a leaf below it, where the group needs that.

    Only a process outside the launcher's process namespace can do it: inside, the others have no number.

    :raises CgroupUnusable: the group is not ours.
    """
    try:
        enable(folder)
    except CgroupUnusable:
        leaf = folder / LEAF
        make_folder(leaf)
        for _ in range(ROUNDS):
            pids = (folder / "cgroup.procs").read_text().split()
            if not pids:
                break
            for pid in pids:
                move(pid, leaf)


def enable(folder: Path) -> None:
    """Hand the controllers down to the groups below this one."""
    write(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in NEEDED))


def move(pid: str, group: Path) -> None:
    """Move a process into a group, unless it has ended.

    :raises CgroupUnusable: the kernel refuses it.
    """
    try:
        (group / "cgroup.procs").write_text(pid)
    except ProcessLookupError:
        return
    except OSError as error:
        raise CgroupUnusable(f"{group}: {error.strerror}") from None
