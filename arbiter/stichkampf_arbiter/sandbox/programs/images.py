"""The runtime of bots: each named part a copy in memory, filled once, read-only for every sandbox.

A file in a memory file system without swap is always there. A bot that reads it leaves no trace: nothing
is fetched from a disk, nothing can be evicted, and a missing name is not remembered.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stichkampf.packaging.parts import ONNXRUNTIME, PARTS, PYTHON

from stichkampf_arbiter.sandbox import mounts
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs.bytecode import compile_missing
from stichkampf_arbiter.sandbox.programs.elf import named_files
from stichkampf_arbiter.sandbox.programs.image_copier import ImageCopier
from stichkampf_arbiter.sandbox.programs.libraries import libraries_of
from stichkampf_arbiter.sandbox.programs.onnxruntime_part import onnxruntime_part
from stichkampf_arbiter.sandbox.programs.parts import FINDERS, SHOWN_AT, CopiedPath, RuntimePart
from stichkampf_arbiter.sandbox.programs.python_part import VENV, python_part

IMAGE_BYTES = 1 << 30
VIEW_BYTES = 1 << 20
PARTS_OF_VIEW = "parts"
SDK = f"{VENV}/lib/*/site-packages/stichkampf"
VIEW_FOLDERS = ("usr", PARTS_OF_VIEW)
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
    """

    def __init__(self, folder: Path) -> None:
        """Make the image of `python`.

        :raises SandboxError: a package that every sandbox needs is not installed.
        """
        self._folder = folder
        self._common: frozenset[str] = frozenset()
        self._made: dict[str, Path | None] = {}
        self._views: dict[tuple[str, ...], Path] = {}
        python = self._image(PYTHON)
        assert python is not None
        self._common = frozenset(path.name for path in python.rglob("*.so*"))

    @staticmethod
    def missing() -> list[str]:
        """Return the parts that this node lacks, because their programs are not installed."""
        return [name for name, find in ALL_FINDERS.items() if find() is None]

    def mounts_of(self, parts: Sequence[str]) -> list[BindMount]:
        """Return the mounts that show `python` and these parts.

        :raises SandboxError: there is no part of that name, or this node lacks it.
        """
        return self.mounts_through(self.view_of(parts))

    def mounts_through(self, view: Path) -> list[BindMount]:
        """Return the mounts that show a view, or a bind mount of one."""
        python = self._made[PYTHON]
        assert python is not None
        return [
            BindMount(view / PARTS_OF_VIEW, SHOWN_AT),
            BindMount(view / "usr", Path("/usr")),
            BindMount(python / "etc", Path("/etc")),
            BindMount(python / VENV, Path("/") / VENV),
        ]

    def view_of(self, parts: Sequence[str]) -> Path:
        """Return the folder, read-only, whose `VIEW_FOLDERS` show `python` and these parts.

        :raises SandboxError: there is no part of that name, or this node lacks it.
        """
        unknown = set(parts) - set(PARTS)
        if unknown:
            raise SandboxError(f"there is no part {min(unknown)!r}; possible are {', '.join(PARTS)}")
        wanted = (PYTHON, *sorted(set(parts) - {PYTHON}))
        images: dict[str, Path] = {}
        for name in wanted:
            image = self._image(name)
            if image is None:
                raise SandboxError(f"this node lacks the part {name!r} of the runtime")
            images[name] = image
        key = tuple(images)
        if key not in self._views:
            self._views[key] = self._make_view(images)
        return self._views[key]

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
        return image

    def _mount(self, name: str, size_bytes: int) -> Path:
        """Mount an empty memory file system of its own: numbers of its files tell nothing of other parts."""
        folder = self._folder / name
        folder.mkdir(mode=0o755)
        mounts.mount_tmpfs(folder, size_bytes=size_bytes, mode=0o755)
        return folder

    def _make_view(self, images: dict[str, Path]) -> Path:
        """Make one /usr of links into several parts, and the folder in which they lie."""
        view = self._mount("view-" + "-".join(images), VIEW_BYTES)
        folders = {name: usr for name, image in images.items() if (usr := image / "usr").is_dir()}
        _compose(view / "usr", Path("usr"), folders)
        for name, image in images.items():
            place = view / PARTS_OF_VIEW / name
            place.mkdir(parents=True)
            mounts.bind(image, place)
        mounts.make_read_only(view)
        # Many sandboxes show copies: what one is shown later, or what vanishes with it, is not theirs.
        mounts.separate(view)
        return view


def _compose(target: Path, inside: Path, folders: dict[str, Path]) -> None:
    target.mkdir()
    holders: dict[str, list[str]] = {}
    for part, folder in folders.items():
        for entry in sorted(os.listdir(folder)):
            holders.setdefault(entry, []).append(part)
    for entry, parts in holders.items():
        # Files that two parts both hold are the same libraries.
        if len(parts) == 1 or not (folders[parts[0]] / entry).is_dir():
            (target / entry).symlink_to(SHOWN_AT / parts[0] / inside / entry)
        else:
            _compose(target / entry, inside / entry, {part: folders[part] / entry for part in parts})
