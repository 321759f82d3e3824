import hashlib
import os
import time

import pytest
from stichkampf_arbiter.bots.archive_store import UNUSED_SECONDS, ArchiveStore
from support import archive


def packed(text):
    content = archive(text)
    return hashlib.sha256(content).hexdigest(), content


@pytest.fixture
def archives(tmp_path):
    return ArchiveStore(tmp_path)


def age(file):
    long_ago = time.time() - UNUSED_SECONDS - 60
    os.utime(file, (long_ago, long_ago))


def test_an_archive_unused_for_a_day_is_deleted_when_another_is_added(archives, tmp_path):
    old, needed, new = (packed(f"# {number}") for number in range(3))
    archives.add(*old)
    archives.add(*needed)
    (tmp_path / "begun").write_bytes(b"half")
    for file in tmp_path.iterdir():
        age(file)
    assert archives.has(needed[0])
    archives.add(*new)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([needed[0], new[0]])
    assert not archives.has(old[0])
