"""The shared libraries and other files that a program names in its file.

`ldd` finds the same libraries and starts a process for each file, which takes longer than all the copying.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB = 1, 5
NAME = re.compile(rb"/[\w@.+/-]+$")
NAME_BYTES = 256
MAGIC = b"\x7fELF\x02\x01"
"""The beginning of a 64-bit file with the low byte first."""


@dataclass(frozen=True, slots=True)
class ElfNeeds:
    """Files that one program or library needs to be loaded.

    :ivar loader: the path of the loader; empty for a library or a static program.
    :ivar libraries: names of shared libraries.
    """

    loader: str
    libraries: tuple[str, ...]


def read_needs(path: Path) -> ElfNeeds:
    """Read the needs of a program or library, a file that begins with `MAGIC`."""
    # Mapped: of a large library only the pages of its tables are looked at.
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
        return _needs(content)


def named_files(path: Path, endings: Sequence[bytes]) -> Iterator[Path]:
    """Yield the files of this machine whose whole paths stand in a program or library.

    :param endings: of their names, such as `.js`.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
        for ending in endings:
            at = -1
            while (at := content.find(ending + b"\0", at + 1)) != -1:
                end = at + len(ending)
                name = NAME.search(content[max(0, end - NAME_BYTES) : end])
                if name and os.path.isfile(name[0]):
                    yield Path(name[0].decode())


def _needs(content: mmap.mmap) -> ElfNeeds:
    (segments_at,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQ", content, segments_at + size * n) for n in range(count)]
    loader, dynamic = "", (0, 0)
    for kind, _, offset, _, _, length in segments:
        if kind == PT_INTERP:
            loader = _text(content, offset)
        elif kind == PT_DYNAMIC:
            dynamic = (offset, length)
    tags = list(struct.iter_unpack("<qQ", content[dynamic[0] : dynamic[0] + dynamic[1] // 16 * 16]))
    texts_at = next((value for tag, value in tags if tag == DT_STRTAB), 0)
    for kind, _, offset, address, _, length in segments:
        if kind == PT_LOAD and address <= texts_at < address + length:
            texts_at += offset - address
            break
    names = [_text(content, texts_at + value) for tag, value in tags if tag == DT_NEEDED]
    return ElfNeeds(loader, tuple(names))


def _text(content: mmap.mmap, start: int) -> str:
    return content[start : content.find(b"\0", start)].decode()
