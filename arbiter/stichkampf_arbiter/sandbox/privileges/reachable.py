"""Let an unprivileged uid reach folders that lie below one that is closed to it, such as a checkout in /root.

Root covers the closed folder with an empty one, for this process and its children alone, and mounts the
needed paths inside it where they were. Nothing of the machine changes, and nothing else in the closed folder
is seen.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.contract import SandboxError

COVER_BYTES = 1 << 20


def make_reachable(paths: Sequence[Path], *, uid: int, gid: int) -> None:
    """Let `uid` reach `paths` under their own names, in this process and those it starts.

    Call it as root and before any thread is started: mounts belong to a thread. A path that is closed
    itself is opened with its present contents; files that are added later stay out of sight, unless they
    are named in `paths`.

    :raises SandboxError: a path does not exist, this process may not mount, or a path stays closed.
    """
    wanted = _resolved(paths)
    if any(_closed(path, uid, gid) for path in wanted):
        try:
            mounts.enter_private_namespace()
            _uncover(wanted, uid, gid)
        except OSError as error:
            raise SandboxError(
                f"cannot open {', '.join(map(str, wanted))} to uid {uid} ({error}): move them to a folder"
                " that everyone may enter, such as /srv"
            ) from None
    for path in wanted:
        if (closed := _closed(path, uid, gid)) is not None:
            raise SandboxError(f"{path} is closed to uid {uid}: chmod o+rx {closed}")


def _resolved(paths: Iterable[Path]) -> list[Path]:
    resolved = {path.resolve() for path in paths}
    for path in resolved:
        if not path.exists():
            raise SandboxError(f"cannot show {path}: there is no such file or folder")
    return sorted(resolved)


def _closed(path: Path, uid: int, gid: int) -> Path | None:
    """Find the outermost folder above `path`, or `path` itself, that `uid` may not enter."""
    for folder in (*reversed(path.parents), path):
        if not _may_enter(folder.stat(), uid, gid):
            return folder
    return None


def _may_enter(found: os.stat_result, uid: int, gid: int) -> bool:
    if found.st_uid == uid:
        allowed = found.st_mode >> 6
    elif found.st_gid == gid:
        allowed = found.st_mode >> 3
    else:
        allowed = found.st_mode
    # To enter a folder is enough where one need not list it; a file must be readable.
    needed = 0o1 if stat.S_ISDIR(found.st_mode) else 0o4
    return allowed & needed == needed


def _uncover(wanted: Sequence[Path], uid: int, gid: int) -> None:
    covers: dict[Path, list[Path]] = {}
    for path in wanted:
        closed = _closed(path, uid, gid)
        if closed is None:
            continue
        inside = sorted(path.iterdir()) if closed == path and path.is_dir() else [path]
        covers.setdefault(closed, []).extend(inside)
    for closed, inside in covers.items():
        _cover(closed, sorted(set(inside)))


def _cover(closed: Path, inside: Sequence[Path]) -> None:
    """Mount an empty folder over `closed`, and the paths of `inside` in it again."""
    opened = {
        path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in _outermost(inside) if not path.is_symlink()
    }
    links = {path: path.readlink() for path in inside if path.is_symlink()}
    mounts.mount_tmpfs(closed, size_bytes=COVER_BYTES, mode=0o755)
    for path, fd in opened.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            path.mkdir()
        else:
            path.touch()
        mounts.bind(Path(f"/proc/self/fd/{fd}"), path)
        os.close(fd)
    for path, text in links.items():
        path.symlink_to(text)


def _outermost(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if not any(other in path.parents for other in paths)]
