"""Versions whose archives hold the same files: a comparison of two says nothing, and is mostly a slip."""

from __future__ import annotations

import hashlib

from stichkampf.errors import ArchiveError
from stichkampf.packaging.members import chunks, members

from stichkampf_platform.bots.models import Version

TOLD = (".md", ".rst")
"""Files of these kinds are for readers; no program is another one for them."""


def are_same(one: Version, other: Version) -> bool:
    """Tell whether the archives of two versions hold the same files, however they were packed."""
    if not one.archive or not other.archive:
        return False
    if one.digest == other.digest:
        return True
    files = _files(one)
    return bool(files) and files == _files(other)


def _files(version: Version) -> dict[str, str]:
    """Return the digest of each file of an archive; none where the archive is gone."""
    found = {}
    try:
        with version.archive.open("rb") as file:
            for member in members(file.read()):
                if member.content is not None and not member.path.lower().endswith(TOLD):
                    digest = hashlib.sha256()
                    for chunk in chunks(member.content):
                        digest.update(chunk)
                    found[member.path] = digest.hexdigest()
    except (FileNotFoundError, ArchiveError):  # archives of rejected versions are deleted
        return {}
    return found
