"""Copying of this machine's programs into an image."""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

from stichkampf_arbiter.sandbox.programs.elf import MAGIC
from stichkampf_arbiter.sandbox.programs.parts import CopiedPath

LEFT_OUT_NAMES = (
    "config-3.*",
    "dist-packages",
    "ensurepip",
    "f2py",
    "idlelib",
    "include",
    "site-packages",
    "test",
    "tests",
    "turtledemo",
    "*.a",
    "*.h",
    "*.opt-[12].pyc",
    "*.pod",
    "*.pxd",
    "*.pyi",
)
"""Files and folders that no bot runs, left out of folders that are copied."""
LEFT_OUT = re.compile("|".join(map(fnmatch.translate, LEFT_OUT_NAMES)))
CALL_BYTES = 1 << 30
"""The most that the kernel is asked to copy in one call."""


class ImageCopier:
    """Copies into one image.

    Files keep their times, by which Python knows compiled modules. Everything is opened once: an image holds
    some thousand files, and every launcher makes one.

    :param image: the folder that is filled.
    :ivar binaries: the programs and shared libraries among the copies so far.
    """

    def __init__(self, image: Path) -> None:
        self._image = image
        self.binaries: list[Path] = []

    def copy(self, copied: CopiedPath) -> None:
        """Copy a file, or a folder without what is left out.

        :raises OSError: it cannot be read, or the image is full.
        """
        target = self._image / copied.target
        target.parent.mkdir(parents=True, exist_ok=True)
        if copied.source.is_dir():
            self._copy_folder(str(copied.source), str(target))
        else:
            self._copy_file(str(copied.source), str(target))

    def _copy_folder(self, source: str, target: str) -> None:
        os.makedirs(target, exist_ok=True)
        with os.scandir(source) as entries:
            for entry in entries:
                if LEFT_OUT.fullmatch(entry.name):
                    continue
                if entry.is_dir():
                    self._copy_folder(entry.path, f"{target}/{entry.name}")
                else:
                    self._copy_file(entry.path, f"{target}/{entry.name}")

    def _copy_file(self, source: str, target: str) -> None:
        read = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
        try:
            written = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
            try:
                _copy_open(read, written)
            finally:
                os.close(written)
            if os.pread(read, len(MAGIC), 0) == MAGIC:
                self.binaries.append(Path(target))
        finally:
            os.close(read)


def _copy_open(read: int, written: int) -> None:
    while os.sendfile(written, read, None, CALL_BYTES):
        pass
    found = os.fstat(read)
    os.fchmod(written, 0o555 if found.st_mode & 0o111 else 0o444)
    os.utime(written, ns=(found.st_mtime_ns, found.st_mtime_ns))
