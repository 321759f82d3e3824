"""Control groups of version 1."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cgroups.files import (
    PERIOD_US,
    make_folder,
    read_again_bytes,
    read_keys,
    remove_tree,
    sweep,
    write,
)
from stichkampf_arbiter.sandbox.cgroups.freezer import V1_FILE
from stichkampf_arbiter.sandbox.limits import Limits

NEEDED = ("memory", "pids", "cpu", "cpuacct", "freezer")


class V1Group:
    """One sandbox's groups, a folder in each hierarchy."""

    def __init__(self, folders: Mapping[str, Path], limits: Limits) -> None:
        self._folders = folders
        memory = folders["memory"]
        write(memory / "memory.limit_in_bytes", limits.memory_bytes)
        if (memory / "memory.memsw.limit_in_bytes").exists():
            write(memory / "memory.memsw.limit_in_bytes", limits.memory_bytes)
        # One more, for pid 1 of the sandbox, which is not the bot's.
        write(folders["pids"] / "pids.max", limits.processes + 1)
        write(folders["cpu"] / "cpu.cfs_period_us", PERIOD_US)
        write(folders["cpu"] / "cpu.cfs_quota_us", int(limits.cores * PERIOD_US))
        self.cpu_files: Mapping[str, Path] = {
            cpu.USAGE: folders["cpuacct"] / "cpuacct.usage",
            cpu.STAT: folders["cpu"] / "cpu.stat",
        }
        self.freezer_file = folders["freezer"] / V1_FILE

    def add(self, pid: int) -> None:
        for folder in set(self._folders.values()):
            write(folder / "cgroup.procs", pid)

    def memory_kills(self) -> int:
        return read_keys(self._folders["memory"] / "memory.oom_control").get("oom_kill", 0)

    def refused_processes(self) -> int:
        return read_keys(self._folders["pids"] / "pids.events").get("max", 0)

    def read_again_bytes(self) -> int:
        return read_again_bytes(self._folders["memory"])

    def remove(self) -> None:
        for folder in set(self._folders.values()):
            remove_tree(folder)


class V1Driver:
    """Groups below those of the launcher itself, so that limits set on the platform as a whole still hold."""

    def __init__(self, name: str, own: Mapping[str, Path]) -> None:
        """
        :param name: name of the group that holds all bots' groups.
        :param own: the launcher's own group in each hierarchy, by controller.
        :raises CgroupUnusable: a group cannot be made there.
        """
        self._folders = {controller: folder / name for controller, folder in own.items()}
        self.freezer: Path | None = self._folders["freezer"]
        for folder in set(self._folders.values()):
            sweep(folder.parent, name)
            make_folder(folder)

    def make(self, name: str, limits: Limits) -> V1Group:
        folders = {controller: folder / name for controller, folder in self._folders.items()}
        for folder in set(folders.values()):
            make_folder(folder)
        return V1Group(folders, limits)

    def close(self) -> None:
        for folder in set(self._folders.values()):
            remove_tree(folder)
