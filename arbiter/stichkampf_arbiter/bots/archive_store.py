"""The archives of hosted bots that the platform has uploaded, by their digest."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from stichkampf.errors import ArchiveError
from stichkampf.limits import WeightClass
from stichkampf.packaging.archive import check_archive
from stichkampf.packaging.manifest import Manifest

UNUSED_SECONDS = 24 * 3600
"""Far longer than a match: its processes may be restarted until it ends."""
DIGEST = re.compile(r"[0-9a-f]{64}")


class ArchiveNeeds(NamedTuple):
    """Needs of an archive that its sandbox must meet.

    :ivar parts: the parts of the runtime.
    :ivar manifest: what its client is told.
    """

    weight: WeightClass
    parts: tuple[str, ...]
    manifest: Manifest = Manifest()


@functools.lru_cache(maxsize=1024)
def needs_of_archive(path: Path) -> ArchiveNeeds:
    """Return the needs of a stored archive.

    Cached by path: the name of a stored archive is the digest of its content.
    """
    archive = check_archive(path.read_bytes())
    return ArchiveNeeds(archive.manifest.weight, archive.parts, archive.manifest)


class ArchiveStore:
    """A folder of archives, each complete or absent, even after a crash.

    An archive that no match has needed for a day is deleted when another is added; the platform uploads it
    again.

    :param folder: made if missing; readable by the arbiter only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, digest: str) -> Path:
        """Return the path of the archive with a digest, present or not.

        :raises ArchiveError: that is not a digest.
        """
        if not DIGEST.fullmatch(digest):
            raise ArchiveError(
                f"a digest is a SHA-256 as 64 lower-case hexadecimal digits, not {digest!r:.80}"
            )
        return self._folder / digest

    def has(self, digest: str) -> bool:
        """Tell whether an archive is stored, and keep it for another day."""
        try:
            os.utime(self.path(digest))
        except FileNotFoundError:
            return False
        return True

    def add(self, digest: str, content: bytes) -> None:
        """Store an archive.

        :raises ArchiveError: the bytes do not have the announced digest, or are not the archive of a bot.
            Nothing is stored then.
        """
        path = self.path(digest)
        found = hashlib.sha256(content).hexdigest()
        if found != digest:
            raise ArchiveError(f"the archive was announced as {digest} and is {found}; send it again")
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
        """Delete files unused for a day, including those left unfinished when the arbiter was killed."""
        for file in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another upload was quicker
                if file.stat().st_mtime < time.time() - UNUSED_SECONDS:
                    file.unlink()
