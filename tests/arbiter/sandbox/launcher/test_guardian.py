"""The guardian leaves nothing on the disk: what one that was killed left, the next removes."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.client import GUARDIAN
from stichkampf_arbiter.sandbox.launcher import guardian

HOUR_AGO = time.time() - 3600


@pytest.fixture
def start():
    """Start guardians, each with a command that waits; give process and folder."""
    running = []

    def started():
        ours, theirs = socket.socketpair()
        with theirs:
            command = ["/bin/sh", "-c", 'echo "$TMPDIR"; cat']
            process = subprocess.Popen(
                [sys.executable, *GUARDIAN, "--fd", str(theirs.fileno()), "--", *command],
                pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        running.append((process, ours))
        return process, Path(process.stdout.readline().decode().strip())

    yield started
    for process, ours in running:
        ours.close()
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_what_a_killed_guardian_left_is_removed_by_the_next(start):
    lives, of_the_living = start()
    killed, left = start()
    killed.kill()
    killed.wait()
    for folder in (of_the_living, left):
        os.utime(folder, (HOUR_AGO, HOUR_AGO))
    assert left.exists()
    start()
    assert (left.exists(), of_the_living.exists()) == (False, True)
    assert lives.poll() is None


def test_a_folder_that_has_just_been_made_is_left_alone(start):
    """Its guardian may not hold it yet."""
    with tempfile.TemporaryDirectory(prefix=guardian.PREFIX, dir=guardian.TEMPORARY) as young:
        start()
        assert Path(young).exists()
