"""The shared libraries that programs need, as they lie on this machine."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from stichkampf_arbiter.sandbox.programs.elf import read_needs
from stichkampf_arbiter.sandbox.programs.parts import CopiedPath

C_LIBRARY = "libc.so.6"


def libraries_of(binaries: Iterable[Path], known: Set[str]) -> Iterator[CopiedPath]:
    """Find the shared libraries that programs and libraries need, and those that these need in turn.

    All go beside the C library, where the loader looks without being told.

    :param known: names of libraries that a sandbox shows anyway.
    """
    folders = _library_folders()
    home = next(folder for folder in folders if (folder / C_LIBRARY).exists()).resolve().relative_to("/")
    found = set(known)
    waiting = list(binaries)
    while waiting:
        needs = read_needs(waiting.pop())
        if needs.loader and Path(needs.loader).name not in found:
            found.add(Path(needs.loader).name)
            yield CopiedPath(Path(needs.loader).resolve(), f"usr{needs.loader}")
        for name in needs.libraries:
            source = next((folder / name for folder in folders if (folder / name).is_file()), None)
            # A library that a package brings lies in its own folder, and needs none of the machine.
            if name not in found and "/" not in name and source is not None:
                found.add(name)
                waiting.append(source)
                yield CopiedPath(source.resolve(), str(home / name))


def _library_folders() -> list[Path]:
    triple = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    names = [f"/lib/{triple}", f"/usr/lib/{triple}", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]
    return [Path(name) for name in (*names, "/usr/local/lib") if os.path.isdir(name)]
