"""Folders packed into one file, which each sandbox mounts for itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from stichkampf_arbiter.sandbox.contract import SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.programs import packed

TWICE = """
import os, sys
from pathlib import Path
from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.programs import packed
mounts.enter_private_namespace()
image, first, second = map(Path, sys.argv[2:])
for place in (first, second):
    getattr(packed, sys.argv[1])(image, place)
one, other = ((place / "sub/file").stat() for place in (first, second))
assert one.st_dev != other.st_dev and (first / "sub/file").read_text() == "text"
assert (one.st_mtime_ns, one.st_uid, one.st_mode & 0o777) == (5_000_000_001, 0, 0o444)
for place in (first, second):
    mounts.unmount(place)
"""


@pytest.fixture
def folder(tmp_path):
    file = tmp_path / "folder/sub/file"
    file.parent.mkdir(parents=True)
    file.write_text("text")
    file.chmod(0o444)
    os.utime(file, ns=(1, 5_000_000_001))
    return tmp_path / "folder"


@pytest.mark.parametrize("how", ["mount", "mount_by_device"])
def test_two_mounts_of_a_packed_folder_are_two_file_systems_with_the_same_files(tmp_path, folder, arena, how):
    if "files of the runtime in common" in arena.launcher.reason:
        return  # this machine or user cannot
    packed.pack(folder, tmp_path / "image")
    places = [tmp_path / "first", tmp_path / "second"]
    for place in places:
        place.mkdir()
    subprocess.run(
        [sys.executable, "-c", TWICE, how, *map(str, (tmp_path / "image", *places))], check=True, timeout=60
    )


def test_what_to_install_is_said_where_the_program_that_packs_is_missing(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(packed, "PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="apt-get install erofs-utils"):
        packed.pack(folder, tmp_path / "image")


def test_the_words_of_the_program_that_packs_are_passed_on(tmp_path):
    with pytest.raises(SandboxError, match=r"failed: <E> erofs: failed to (parse|stat)"):
        packed.pack(tmp_path / "absent", tmp_path / "image")


def test_where_parts_cannot_be_packed_sandboxes_share_them_and_the_reason_says_so(start):
    launcher = start("own files")
    assert launcher.level in (SandboxLevel.HOSTED, SandboxLevel.DEVELOPMENT)
    assert launcher.reason.endswith("sandboxes have the files of the runtime in common: taken away")
