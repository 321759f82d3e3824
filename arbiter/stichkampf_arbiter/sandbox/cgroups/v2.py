"""Control groups of version 2; tested on a fake tree, not yet tried on a machine that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cgroups.files import (
    PERIOD_US,
    CgroupUnusable,
    is_readable,
    make_folder,
    read_keys,
    remove_tree,
    sweep,
    write,
)
from stichkampf_arbiter.sandbox.cgroups.freezer import V2_FILE
from stichkampf_arbiter.sandbox.limits import Limits

NEEDED = ("cpu", "memory", "pids")


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

    def remove(self) -> None:
        remove_tree(self._folder)


class V2Driver:
    """Groups below a delegated one: systemd's `Delegate=yes`, or an empty group given in the settings."""

    unkillable: Path | None = None

    def __init__(self, name: str, parent: Path) -> None:
        """
        :param name: name of the group that holds all bots' groups.
        :param parent: the delegated group; processes in it are moved to a leaf of their own, as version 2
            demands.
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
        self._enable(parent)
        self._folder = parent / name
        sweep(parent, name)
        make_folder(self._folder)
        self._enable(self._folder)

    def _enable(self, folder: Path) -> None:
        wanted = " ".join(f"+{name}" for name in NEEDED)
        try:
            write(folder / "cgroup.subtree_control", wanted)
        except CgroupUnusable:
            leaf = folder / "platform"
            make_folder(leaf)
            for pid in (folder / "cgroup.procs").read_text().split():
                write(leaf / "cgroup.procs", pid)
            write(folder / "cgroup.subtree_control", wanted)

    def make(self, name: str, limits: Limits) -> V2Group:
        folder = self._folder / name
        make_folder(folder)
        return V2Group(folder, limits)

    def close(self) -> None:
        remove_tree(self._folder)
