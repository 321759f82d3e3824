"""Folders and control files of the cgroup file systems, as both versions use them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from errno import EBUSY
from pathlib import Path
from time import sleep

from stichkampf_arbiter.sandbox.cgroups.freezer import thaw_group
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.uids import held_if_free

PREFIX = "stichkampf-"
PERIOD_US = 100_000
PAGE_BYTES = os.sysconf("SC_PAGESIZE")
REMOVE_TRIES = 20
REMOVE_PAUSE_SECONDS = 0.005


class CgroupUnusable(SandboxError):
    """This machine, or this container, gives no control group to write to."""


def group_name(first_uid: int) -> str:
    """Name the group of the launcher that has claimed this block of uids."""
    return f"{PREFIX}{first_uid}"


def sweep(folder: Path, own: str) -> None:
    """Remove the groups of launchers that were killed, and a group of one's own name."""
    for left in folder.glob(f"{PREFIX}*"):
        number = left.name.removeprefix(PREFIX)
        if left.name == own:
            remove_tree(left)
        elif number.isdecimal():
            with held_if_free(int(number)) as free:  # a launcher that begins meanwhile takes another block
                if free:
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
    """Tell whether a control file can be read: some kernels show a pressure file, but refuse to read it."""
    try:
        file.read_bytes()
    except OSError:
        return False
    return True


def read_keys(file: Path) -> Mapping[str, int]:
    """Read a control file of lines `name number`."""
    return {name: int(value) for name, value in (line.split() for line in file.read_text().splitlines())}


def read_again_bytes(group: Path) -> int:
    """Tell how much of its files a group has read again after it was evicted; 0 for one that has gone."""
    try:
        return read_keys(group / "memory.stat").get("workingset_refault_file", 0) * PAGE_BYTES
    except OSError:
        return 0


def remove_tree(folder: Path) -> None:
    """Remove a group and those inside it, and thaw them first.

    One that is gone already, or still holds a process, stays as it is.
    """
    if not folder.is_dir():
        return
    thaw_group(folder)
    for inside in folder.iterdir():
        if inside.is_dir():
            remove_tree(inside)
    # A group that has just lost its last process can be busy for another moment.
    for _ in range(REMOVE_TRIES):
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno != EBUSY or not _is_empty(folder):
                return
            sleep(REMOVE_PAUSE_SECONDS)
        else:
            return


def _is_empty(folder: Path) -> bool:
    """Tell whether a group is there and holds no process."""
    try:
        return not (folder / "cgroup.procs").read_bytes()
    except OSError:
        return False
