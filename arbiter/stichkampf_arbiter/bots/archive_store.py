"""The archives of hosted bots that have been brought, by their digest."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from stichkampf import limits
from stichkampf.packaging.archive import check_archive
from stichkampf.packaging.manifest import ArchiveError

UNUSED_SECONDS = 24 * 3600
"""Far longer than a match: its processes may be started again until it ends."""
DIGEST = re.compile(r"[0-9a-f]{64}")


@functools.lru_cache(maxsize=1024)
def parts_of_archive(path: Path) -> tuple[str, ...]:
    """The parts of the runtime that an archive on the shelf asks for; its name stands for its content."""
    return check_archive(path.read_bytes()).parts


class Shelf:
    """A folder of archives, each complete or absent, whatever dies.

    One that no match has needed for a day is deleted when another comes; the platform brings it again.

    :param folder: made if missing; for the arbiter only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, digest: str) -> Path:
        """Where the archive of a digest lies, or would lie.

        :raises ArchiveError: that is no digest.
        """
        if not DIGEST.fullmatch(digest):
            raise ArchiveError(
                f"a digest is a SHA-256 as 64 lower-case hexadecimal digits, not {digest!r:.80}"
            )
        return self._folder / digest

    def holds(self, digest: str) -> bool:
        """Whether the archive is there; from now on for a day it is not deleted."""
        try:
            os.utime(self.path(digest))
        except FileNotFoundError:
            return False
        return True

    def put(self, digest: str, content: bytes) -> None:
        """Keep an archive.

        :raises ArchiveError: the bytes are others than announced, or not the archive of a bot. Nothing is
            kept then.
        """
        path = self.path(digest)
        found = hashlib.sha256(content).hexdigest()
        if found != digest:
            raise ArchiveError(f"the archive was announced as {digest} and is {found}; send it again")
        if len(content) > limits.ARCHIVE_BYTES:
            raise ArchiveError(
                f"the archive has {len(content):,} bytes; at most {limits.ARCHIVE_BYTES:,} are possible"
            )
        check_archive(content)
        self._delete_unused()
        handle, name = tempfile.mkstemp(dir=self._folder)
        try:
            with open(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except OSError:
            os.unlink(name)
            raise

    def _delete_unused(self) -> None:
        """Also of files that were begun when the arbiter was killed."""
        for file in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another upload was quicker
                if file.stat().st_mtime < time.time() - UNUSED_SECONDS:
                    file.unlink()
