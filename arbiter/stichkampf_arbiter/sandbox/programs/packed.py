"""Folders packed into one file in memory, which each sandbox mounts for itself.

The kernel keeps inodes and pages, and all that is found by them, such as waiters on words of files, by file
system. Two mounts of one packed folder have none of it in common; the packed file itself, a third copy, is
seen by no sandbox. Only pages that a sandbox looks at take memory of its own.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.contract import SandboxError

PACKER = "mkfs.erofs"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
FILE_SYSTEM = "erofs"
READ_AHEAD_KIB = 32
"""Pages that come along with one that is looked at; with the kernel's usual 128 KiB a Python client takes a
quarter more."""
LOOP_CONTROL = "/dev/loop-control"
LOOP_TRIES = 20
"""Another process may take a free device first."""
_LOOP_CONFIGURE, _LOOP_CTL_GET_FREE, _BLKRASET = 0x4C0A, 0x4C82, 0x1262
_LO_FLAGS_READ_ONLY, _LO_FLAGS_AUTOCLEAR = 1, 4
_BLOCK_BYTES = 4096


def pack(folder: Path, image: Path) -> None:
    """Pack a folder; owner and group of all files are root, times and modes stay.

    :raises SandboxError: the program that packs is missing, or fails.
    """
    program = shutil.which(PACKER, path=PATH)
    if program is None:
        raise SandboxError(f"{PACKER} is not installed: apt-get install erofs-utils")
    # Compact inodes have no times of their own, and Python knows compiled modules by these.
    options = ("--quiet", "--all-root", "-x-1", "-Eforce-inode-extended")
    command = [program, *options, str(image), str(folder)]
    done = subprocess.run(command, env={}, cwd="/", capture_output=True, text=True)
    if done.returncode != 0:
        raise SandboxError(f"{PACKER} failed: {done.stderr.strip() or done.returncode}")


def mount(image: Path, target: Path) -> None:
    """Mount a packed folder as a file system of its own.

    :raises OSError: the kernel cannot, or this process may not.
    """
    try:
        mounts.mount_read_only(str(image), target, FILE_SYSTEM)
    except OSError as error:
        # Kernels before 6.12 mount block devices only.
        if error.errno != errno.ENOTBLK:
            raise
        mount_by_device(image, target)


def mount_by_device(image: Path, target: Path) -> None:
    """Mount a packed folder through a loop device, which vanishes with the mount.

    :raises OSError: there is no free device, the kernel cannot, or this process may not.
    """
    with open(image, "rb") as file:
        device = _attach(file.fileno())
    try:
        fcntl.ioctl(device, _BLKRASET, READ_AHEAD_KIB * 2)
        mounts.mount_read_only(os.readlink(f"/proc/self/fd/{device}"), target, FILE_SYSTEM)
    finally:
        os.close(device)


def _attach(image: int) -> int:
    """Return an open loop device that shows a file."""
    information = struct.pack("=QQQQQIIII", *[0] * 8, _LO_FLAGS_READ_ONLY | _LO_FLAGS_AUTOCLEAR)
    request = struct.pack("=II", image, _BLOCK_BYTES) + information.ljust(232, b"\0") + bytes(64)
    for _ in range(LOOP_TRIES):
        with open(LOOP_CONTROL, "r+b", buffering=0) as control:
            number = fcntl.ioctl(control, _LOOP_CTL_GET_FREE)
        device = os.open(f"/dev/loop{number}", os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(device, _LOOP_CONFIGURE, request)
        except OSError as error:
            os.close(device)
            if error.errno != errno.EBUSY:
                raise
        else:
            return device
    raise OSError(errno.EBUSY, "every loop device is taken")
