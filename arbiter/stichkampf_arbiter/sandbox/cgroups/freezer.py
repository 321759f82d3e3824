"""Freezing: the control file that stops every process of a sandbox, and lets them go on.

Version 1 freezes step by step: a thread on a processor is interrupted at once, any other is stopped before
its next instruction. So the arbiter does not wait until the kernel reports that all are frozen. A frozen
process of version 1 cannot even be killed: a signal waits until it is thawed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

V1_FILE = "freezer.state"
V2_FILE = "cgroup.freeze"
WORDS = {V1_FILE: (b"FROZEN", b"THAWED"), V2_FILE: (b"1", b"0")}
"""Contents of each file that freeze and thaw."""
REGISTER = "frozen-groups"
"""Name of the pipe, in the launcher's folder of temporary files, over which it says where its groups are."""


class Freezer:
    """The open control file of one sandbox.

    :param name: name of the file, which tells the version.
    :param descriptor: the file, open for writing; closed by `close`.
    """

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self._frozen, self._thawed = WORDS[name]
        self._descriptor = descriptor

    @classmethod
    def open(cls, file: Path) -> Freezer:
        """
        :raises OSError: the file is not there, or may not be written.
        """
        return cls(file.name, os.open(file, os.O_WRONLY | os.O_CLOEXEC))

    def freeze(self) -> None:
        self._write(self._frozen)

    def thaw(self) -> None:
        self._write(self._thawed)

    def duplicate(self) -> int:
        """Return another descriptor of the file, to be handed on."""
        return os.dup(self._descriptor)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, word: bytes) -> None:
        if self._descriptor < 0:
            return
        # The group of a sandbox that has ended is removed before the arbiter hears of the end.
        with suppress(OSError):
            os.pwrite(self._descriptor, word, 0)


def register(folder: Path) -> None:
    """Tell the guardian which groups it must thaw when the launcher dies.

    The pipe stays open for as long as this process lives; its end is the sign.
    """
    pipe = Path(os.environ.get("TMPDIR", "")) / REGISTER
    if pipe.is_fifo():
        os.write(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC), os.fsencode(folder))


def thaw_below(folder: Path) -> None:
    """Thaw every group in this folder, so that the processes that were killed there can end."""
    for file in folder.glob(f"*/{V1_FILE}"):
        thaw_group(file.parent)


def thaw_group(folder: Path) -> None:
    """Thaw one group; one without a freezer, or that is gone, stays as it is."""
    for name, (_, thawed) in WORDS.items():
        with suppress(OSError):
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, thawed, 0)
            finally:
                os.close(descriptor)
