"""The launcher's private mounts, from which every sandbox is put together.

A memory file system that only the launcher sees holds the parts of the runtime, the devices, and a folder for
each sandbox. Bots' uids can reach it, even where an interpreter or a checkout lies below a folder that is
closed to them, and all of it vanishes with the launcher.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs.images import BindMount, RuntimeImages

MOUNT_POINTS = ("/dev/shm", "/media", "/srv", "/mnt")
"""Folders that every system has and a launcher does not need; the tree covers one, for the launcher alone."""
TREE_BYTES = 16 << 20
SHOWN_BYTES = 1 << 16
"""Room for the folders in which one sandbox mounts the runtime."""
SOCKET_BYTES = 1 << 20
"""Room beside the archive in the folder of a bot."""
DEVICES = ("null", "zero", "full", "random", "urandom")


class MountTree:
    """The tree of mounts; one for each launcher, built before the first sandbox."""

    def __init__(self) -> None:
        """
        :raises OSError: this process may not mount.
        :raises SandboxError: no folder of the machine can be covered, or a package is missing.
        """
        root = self._root = _free_mount_point()
        mounts.enter_private_namespace()
        mounts.mount_tmpfs(root, size_bytes=TREE_BYTES, mode=0o711)
        # Shared with the sandboxes' own namespaces, so that a waiting one is given its socket.
        mounts.share(root)
        self._bots = root / "bots"
        self._bots.mkdir(mode=0o711)
        self._shown = root / "shown"
        self._shown.mkdir(mode=0o711)
        (root / "images").mkdir()
        self._images = RuntimeImages(root / "images")

    @property
    def why_shared(self) -> str:
        """The reason why sandboxes have the files of the runtime in common; empty if each has its own."""
        return self._images.why_shared

    def runtime_mounts(self, bot_folder: Path, parts: Sequence[str]) -> list[BindMount]:
        """Return the mounts that show the runtime to a sandbox, in which `show_parts` can show more later.

        :raises SandboxError: a part does not exist, or this node lacks it.
        """
        own = self._shown / bot_folder.name
        own.mkdir(mode=0o755)
        # A file system of its own: numbers of its folders do not tell how many sandboxes were made before.
        mounts.mount_tmpfs(own, size_bytes=SHOWN_BYTES, mode=0o755)
        return self._images.show(parts, own)

    def devices(self, bot_folder: Path) -> Path:
        """Make the folder that becomes `/dev` of a sandbox, after `runtime_mounts`."""
        folder = self._shown / bot_folder.name / "dev"
        folder.mkdir()
        _make_devices(folder)
        return folder

    def show_parts(self, bot_folder: Path, parts: Sequence[str]) -> None:
        """Show these parts too, in a sandbox that is built.

        :raises SandboxError: a part does not exist, or this node lacks it.
        """
        self._images.show(parts, self._shown / bot_folder.name)

    @property
    def missing_parts(self) -> list[str]:
        """The parts of the runtime that this node lacks."""
        return self._images.missing()

    def new_bot_folder(self, uid: int, archive_bytes: int) -> Path:
        """Make the folder that becomes one sandbox's `/bot`.

        It is a file system of its own: numbers of its files do not tell how many were made before.
        """
        bot_folder = self._bots / secrets.token_hex(8)
        bot_folder.mkdir(mode=0o500)
        mounts.mount_tmpfs(bot_folder, size_bytes=archive_bytes + SOCKET_BYTES, mode=0o500)
        (bot_folder / "arbiter.sock").touch(mode=0o400)
        os.chown(bot_folder, uid, uid)
        return bot_folder

    def bundle(self, number: int) -> Path:
        """Return the folder of a sandbox's OCI bundle."""
        return self._root / "bundles" / str(number)

    def new_bundle(self, number: int) -> Path:
        """Make an OCI bundle with an empty root, for a sandbox that gVisor makes."""
        bundle = self.bundle(number)
        (bundle / "rootfs").mkdir(parents=True)
        return bundle

    def put_archive(self, bot_folder: Path, archive_fd: int, digest: str, most_bytes: int) -> None:
        """Copy the archive into a sandbox's folder.

        :raises SandboxError: it is too large, or its digest is not the announced one.
        """
        found = hashlib.sha256()
        size = 0
        with open(archive_fd, "rb", closefd=False) as archive, open(bot_folder / "archive", "xb") as copy:
            os.fchmod(copy.fileno(), 0o444)
            archive.seek(0)
            while part := archive.read(1 << 20):
                size += len(part)
                if size > most_bytes:
                    raise SandboxError(f"the archive is larger than {most_bytes:,} bytes")
                found.update(part)
                copy.write(part)
        if found.hexdigest() != digest:
            raise SandboxError(f"the archive's SHA-256 is {found.hexdigest()}, announced was {digest}")

    def put_socket(self, bot_folder: Path, path: Path, *, owner_uid: int, uid: int) -> None:
        """Hand the arbiter's socket to the bot's uid and show it in the sandbox's folder.

        :raises SandboxError: it is no socket, or not the arbiter's.
        """
        if path.is_relative_to(self._root):
            raise SandboxError(f"the arbiter's sockets cannot lie in {self._root}: choose another folder")
        # Opened once and used by its descriptor only: the file of that name may change at any time.
        handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(handle)
            if not stat.S_ISSOCK(found.st_mode):
                raise SandboxError(f"{path} is no socket")
            if found.st_uid != owner_uid:
                raise SandboxError(f"{path} belongs to uid {found.st_uid}, the arbiter is uid {owner_uid}")
            through = Path(f"/proc/self/fd/{handle}")
            os.chown(through, uid, uid)
            os.chmod(through, 0o600)
            mounts.bind_read_only(handle, bot_folder / "arbiter.sock")
        finally:
            os.close(handle)

    def remove_bot_folder(self, bot_folder: Path) -> None:
        """Remove a sandbox's folder and what it was shown while it waited, if they exist."""
        for folder in (bot_folder, self._shown / bot_folder.name):
            if folder.is_mount():
                mounts.unmount(folder)
            if folder.is_dir():
                folder.rmdir()


def _free_mount_point() -> Path:
    needed = [
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(__file__).resolve(),
        Path(sys.executable).resolve(),
    ]
    for text in MOUNT_POINTS:
        folder = Path(text)
        if folder.is_dir() and not any(source.is_relative_to(folder) for source in needed):
            return folder
    raise SandboxError(
        f"a sandbox is put together in one of {', '.join(MOUNT_POINTS)}: make one of these folders"
    )


def _make_devices(folder: Path) -> None:
    """Make five devices whose times and modes no bot can change.

    Root makes nodes of its own; an ordinary user may not, and shows the machine's.
    """
    mounts.mount_tmpfs(folder, size_bytes=4096 * 16, mode=0o755, with_devices=True)
    for name in DEVICES:
        node, own = Path("/dev") / name, folder / name
        try:
            os.mknod(own, 0o666 | stat.S_IFCHR, node.stat().st_rdev)
            own.chmod(0o666)
        except PermissionError:
            own.touch()
            mounts.bind(node, own)
    (folder / "shm").symlink_to("/tmp")
    mounts.make_read_only(folder)
