"""The few mount calls that Python 3.11 lacks."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC = 0x1, 0x2, 0x4, 0x1000, 0x4000
MS_PRIVATE, MS_SHARED = 1 << 18, 1 << 20
MNT_DETACH = 0x2
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
"""Numbers that these calls have on every architecture; older C libraries lack the names."""
OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH, MOUNT_ATTR_RDONLY = 0x1, 0x4, 0x1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, action: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{action}: {os.strerror(number)}")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _check(
        _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
        f"mount on {target}",
    )


def enter_private_namespace() -> None:
    """Give this process mounts of its own, which no other process sees.

    :raises OSError: the kernel or a container forbids it.
    """
    _check(_libc.unshare(CLONE_NEWNS), "a mount namespace of one's own")
    _mount(None, "/", None, MS_REC | MS_PRIVATE, None)


def mount_tmpfs(target: Path, *, size_bytes: int, mode: int, with_devices: bool = False) -> None:
    """Mount an empty memory file system, which is never swapped out where the kernel offers that."""
    flags = MS_NOSUID if with_devices else MS_NOSUID | MS_NODEV
    options = f"size={size_bytes},mode={mode:04o}"
    try:
        _mount("tmpfs", str(target), "tmpfs", flags, f"{options},noswap")
    except OSError:
        # Kernels before 6.4 do not know it, later ones grant it to root only.
        _mount("tmpfs", str(target), "tmpfs", flags, options)


def mount_memory(target: Path) -> None:
    """Mount an empty memory file system without a limit, never swapped out, for the launcher alone."""
    _mount("ramfs", str(target), "ramfs", MS_NOSUID | MS_NODEV, "mode=0700")


def mount_read_only(source: str, target: Path, kind: str) -> None:
    """Mount a file system of this kind that lies in a file or on a device."""
    _mount(source, str(target), kind, MS_RDONLY | MS_NOSUID | MS_NODEV, None)


def share(target: Path) -> None:
    """Let later mounts below `target` appear in sandboxes that are already running."""
    _mount(None, str(target), None, MS_SHARED, None)


def separate(target: Path) -> None:
    """Keep what is mounted or unmounted in one copy of the mount at `target` from all its other copies."""
    _mount(None, str(target), None, MS_REC | MS_PRIVATE, None)


def bind(source: Path, target: Path) -> None:
    """Show a file or folder at `target` as well, with what is mounted inside it."""
    _mount(str(source), str(target), None, MS_BIND | MS_REC, None)


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace"))


def make_read_only(target: Path) -> None:
    """Forbid to write through this mount and those inside it, also times and modes; devices stay devices."""
    _set_read_only(AT_FDCWD, os.fsencode(target), AT_RECURSIVE)


def bind_read_only(source_fd: int, target: Path) -> None:
    """Show an open file at `target` as well, read-only from the first moment and in copies of it."""
    tree = _call(OPEN_TREE, source_fd, b"", AT_EMPTY_PATH | OPEN_TREE_CLONE | os.O_CLOEXEC)
    try:
        _set_read_only(tree, b"", AT_EMPTY_PATH)
        _call(MOVE_MOUNT, tree, b"", AT_FDCWD, os.fsencode(target), MOVE_MOUNT_F_EMPTY_PATH)
    finally:
        os.close(tree)


def _set_read_only(folder: int, path: bytes, flags: int) -> None:
    wanted = _Attributes(set=MOUNT_ATTR_RDONLY)
    _call(MOUNT_SETATTR, folder, path, flags, ctypes.byref(wanted), ctypes.sizeof(wanted))


def _call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        _check(result, f"mount call {number}")
    return result


def unmount(target: Path) -> None:
    """Take a mount away, at once from sight and from memory when its last user is gone."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")
