"""The runtime of bots: each named part a copy in memory, filled once and packed, read-only for every sandbox.

Each sandbox mounts the packed parts for itself, so no inode and no page of them is another's. Where that is
not possible all show the copy. A file in a memory file system without swap is always there. A bot that reads
it leaves no trace: nothing is fetched from a disk, nothing can be evicted, and a missing name is not
remembered.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stichkampf.packaging.parts import ONNXRUNTIME, PARTS, PYTHON

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs import packed
from stichkampf_arbiter.sandbox.programs.bytecode import compile_missing
from stichkampf_arbiter.sandbox.programs.elf import named_files
from stichkampf_arbiter.sandbox.programs.image_copier import ImageCopier
from stichkampf_arbiter.sandbox.programs.libraries import libraries_of
from stichkampf_arbiter.sandbox.programs.onnxruntime_part import onnxruntime_part
from stichkampf_arbiter.sandbox.programs.parts import FINDERS, SHOWN_AT, CopiedPath, RuntimePart
from stichkampf_arbiter.sandbox.programs.python_part import VENV, python_part

IMAGE_BYTES = 1 << 30
PARTS_OF_VIEW = "parts"
SDK = f"{VENV}/lib/*/site-packages/stichkampf"
ALL_FINDERS = {**FINDERS, ONNXRUNTIME: onnxruntime_part}
"""Finders of all parts beside `python`."""


@dataclass(frozen=True, slots=True)
class BindMount:
    """A file or folder of the launcher, and its path in a sandbox, read-only."""

    source: Path
    target: Path


class RuntimeImages:
    """The parts that bots have asked for so far.

    :param folder: an empty folder of the launcher, for mounts.
    :ivar why_shared: why sandboxes have the files of the runtime in common; empty if each has its own.
    """

    def __init__(self, folder: Path) -> None:
        """Make the image of `python`.

        :raises SandboxError: a package that every sandbox needs is not installed.
        """
        self._folder = folder
        self._common: frozenset[str] = frozenset()
        self._made: dict[str, Path | None] = {}
        self._links: dict[tuple[str, ...], dict[Path, Path | None]] = {}
        self.why_shared = ""
        self._packed = folder / "packed"
        self._packed.mkdir()
        try:
            mounts.mount_memory(self._packed)
        except OSError as error:
            self.why_shared = str(error)
        python = self._image(PYTHON)
        assert python is not None
        self._common = frozenset(path.name for path in python.rglob("*.so*"))

    @staticmethod
    def missing() -> list[str]:
        """Return the parts that this node lacks, because their programs are not installed."""
        return [name for name, find in ALL_FINDERS.items() if find() is None]

    def show(self, parts: Sequence[str], folder: Path) -> list[BindMount]:
        """Show `python` and these parts in a sandbox's own folder; called again, show more.

        :param folder: a memory file system of the sandbox's own.
        :return: the mounts that the sandbox is made with.
        :raises SandboxError: there is no part of that name, or this node lacks it.
        """
        images = self._images_of(parts)
        for name in images:
            self._show_part(name, folder / PARTS_OF_VIEW / name)
        usr = folder / "usr"
        if usr.is_dir():
            self._replace(usr, tuple(images))
        else:
            self._make_links(usr, tuple(images))
        python = folder / PARTS_OF_VIEW / PYTHON
        return [
            BindMount(folder / PARTS_OF_VIEW, SHOWN_AT),
            BindMount(usr, Path("/usr")),
            BindMount(python / "etc", Path("/etc")),
            BindMount(python / VENV, Path("/") / VENV),
        ]

    def _show_part(self, name: str, place: Path) -> None:
        if place.is_dir():
            return
        place.mkdir(parents=True)
        if self.why_shared:
            image = self._made[name]
            assert image is not None
            mounts.bind(image, place)
        else:
            packed.mount(self._packed / name, place)

    def _replace(self, usr: Path, names: tuple[str, ...]) -> None:
        """Show other links in a sandbox that is built, read-only like those before."""
        new = usr.with_name("-".join(("usr", *names)))
        if not new.is_dir():
            self._make_links(new, names)
            handle = os.open(new, os.O_PATH | os.O_CLOEXEC)
            try:
                mounts.bind_read_only(handle, usr)
            finally:
                os.close(handle)

    def _make_links(self, usr: Path, names: tuple[str, ...]) -> None:
        """Make one /usr of links into several parts."""
        if names not in self._links:
            images = {name: image / "usr" for name in names if (image := self._made[name]) is not None}
            folders = {name: folder for name, folder in images.items() if folder.is_dir()}
            self._links[names] = dict(_compose(Path(), folders))
        usr.mkdir()
        for place, text in self._links[names].items():
            if text is None:
                (usr / place).mkdir()
            else:
                (usr / place).symlink_to(text)

    def _images_of(self, parts: Sequence[str]) -> list[str]:
        """Return the names of `python` and these parts, each of which has its image.

        :raises SandboxError: there is no part of that name, or this node lacks it.
        """
        unknown = set(parts) - set(PARTS)
        if unknown:
            raise SandboxError(f"there is no part {min(unknown)!r}; possible are {', '.join(PARTS)}")
        wanted = [PYTHON, *sorted(set(parts) - {PYTHON})]
        for name in wanted:
            if self._image(name) is None:
                raise SandboxError(f"this node lacks the part {name!r} of the runtime")
        return wanted

    def _image(self, name: str) -> Path | None:
        if name not in self._made:
            part = python_part() if name == PYTHON else ALL_FINDERS[name]()
            self._made[name] = None if part is None else self._fill(part)
        return self._made[name]

    def _fill(self, part: RuntimePart) -> Path:
        image = self._mount(part.name, IMAGE_BYTES)
        copier = ImageCopier(image)
        for copied in part.copies:
            copier.copy(copied)
        for folder in image.glob(SDK):
            compile_missing(folder)
        for text, name in part.links:
            link = image / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(text)
        for text, name in part.texts:
            file = image / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for copied in libraries_of(copier.binaries.copy(), self._common):
            copier.copy(copied)
        named = {path for binary in copier.binaries for path in named_files(binary, part.named)}
        for path in sorted(path for path in named if path.is_relative_to("/usr")):
            copier.copy(CopiedPath(path.resolve(), str(path.relative_to("/"))))
        mounts.make_read_only(image)
        # Sandboxes may show copies: what vanishes with one is not another's.
        mounts.separate(image)
        return image if self.why_shared else self._pack(part.name, image)

    def _pack(self, name: str, image: Path) -> Path:
        """Pack an image and give it up for a mount of the packed one; or note why that cannot be."""
        place = self._folder / f"{name}-packed"
        place.mkdir()
        try:
            packed.pack(image, self._packed / name)
            packed.mount(self._packed / name, place)
        except (OSError, SandboxError) as error:
            if name != PYTHON:
                raise
            self.why_shared = str(error)
            return image
        mounts.unmount(image)
        return place

    def _mount(self, name: str, size_bytes: int) -> Path:
        """Mount an empty memory file system of its own: numbers of its files tell nothing of other parts."""
        folder = self._folder / name
        folder.mkdir(mode=0o755)
        mounts.mount_tmpfs(folder, size_bytes=size_bytes, mode=0o755)
        return folder


def _compose(inside: Path, folders: dict[str, Path]) -> Iterator[tuple[Path, Path | None]]:
    """Give the places below /usr, each with its link; None for a folder with entries of several parts."""
    holders: dict[str, list[str]] = {}
    for part, folder in folders.items():
        for entry in sorted(os.listdir(folder)):
            holders.setdefault(entry, []).append(part)
    for entry, parts in holders.items():
        # Files that two parts both hold are the same libraries.
        if len(parts) == 1 or not (folders[parts[0]] / entry).is_dir():
            yield inside / entry, SHOWN_AT / parts[0] / "usr" / inside / entry
        else:
            yield inside / entry, None
            yield from _compose(inside / entry, {part: folders[part] / entry for part in parts})
