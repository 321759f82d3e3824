"""The few mount calls that Python 3.11 lacks."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC = 0x2, 0x4, 0x1000, 0x4000
MS_PRIVATE, MS_SHARED = 1 << 18, 1 << 20
MNT_DETACH = 0x2

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _check(
        _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
        f"mount on {target}",
    )


def enter_private_namespace() -> None:
    """Give this process mounts of its own that nobody else sees.

    :raises OSError: the kernel or a container forbids it.
    """
    _check(_libc.unshare(CLONE_NEWNS), "a mount namespace of one's own")
    _mount(None, "/", None, MS_REC | MS_PRIVATE, None)


def mount_tmpfs(target: Path, *, size_bytes: int, mode: int) -> None:
    """Mount an empty memory file system."""
    _mount("tmpfs", str(target), "tmpfs", MS_NOSUID | MS_NODEV, f"size={size_bytes},mode={mode:04o}")


def share(target: Path) -> None:
    """Let later mounts below ``target`` appear in sandboxes that are already running."""
    _mount(None, str(target), None, MS_SHARED, None)


def bind(source: Path, target: Path) -> None:
    """Show a file or folder at ``target`` as well, with what is mounted inside it."""
    _mount(str(source), str(target), None, MS_BIND | MS_REC, None)


def unmount(target: Path) -> None:
    """Take a mount away, at once from sight and from memory when its last user is gone."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")
