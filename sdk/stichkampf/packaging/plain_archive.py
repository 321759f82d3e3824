"""Unpacking of a checked archive of the usual kind, without the modules that know every kind.

`zipfile` takes twelve milliseconds to import, in each process of a bot.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import Final

from stichkampf.errors import ArchiveError
from stichkampf.values import Value

_END: Final = struct.Struct("<4s4H2LH")
_ENTRY: Final = struct.Struct("<4s4B4HL2L5H2L")
_LOCAL_HEADER_BYTES: Final = 30
_NAME_LENGTHS: Final = slice(26, 30)
_STORED, _DEFLATED = 0, 8
_UNUSUAL_FLAGS: Final = 0x2061
"""Encrypted, patched, or with hidden names."""
_FILE_TYPE, _REGULAR, _FOLDER, _EXECUTABLE = 0o170000, 0o100000, 0o040000, 0o100


class _Entry(Value, kw_only=False):
    name: str
    method: int
    crc: int
    packed_bytes: int
    size: int
    header: int
    is_executable: bool


def unpack_plain(content: bytes, folder: str, program: str) -> bool:
    """Write the files of an archive below a folder, as `archive.unpack` does.

    :param program: the path of the file that a command starts, which becomes executable; empty for none.
    :returns: False, with nothing written, for an archive of an unusual kind.
    :raises ArchiveError: it is damaged.

    >>> import tempfile
    >>> from stichkampf.packaging.archive import pack_source
    >>> folder = tempfile.mkdtemp()
    >>> unpack_plain(pack_source(b"from stichkampf import Bot"), folder, ""), os.listdir(folder)
    (True, ['bot.py'])
    """
    entries = _entries(content)
    if entries is None:
        return False
    for entry in entries:
        path = os.path.join(folder, *entry.name.split("/"))
        if entry.name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        if "/" in entry.name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        data = _content(content, entry)
        with open(path, "xb") as file:
            file.write(data)
        os.chmod(path, 0o755 if entry.is_executable or entry.name == program else 0o644)
    return True


def _content(content: bytes, entry: _Entry) -> bytes:
    lengths = content[entry.header :][_NAME_LENGTHS]
    begin = entry.header + _LOCAL_HEADER_BYTES
    begin += int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    data = content[begin : begin + entry.packed_bytes]
    if entry.method == _DEFLATED:
        try:
            data = zlib.decompress(data, -zlib.MAX_WBITS, entry.size)
        except zlib.error as error:
            raise ArchiveError(f"the archive is damaged: {error}; pack it again") from None
    if len(data) != entry.size or zlib.crc32(data) != entry.crc:
        raise ArchiveError(f"the archive is damaged: {entry.name!r} is not what it was; pack it again")
    return data


def _entries(content: bytes) -> list[_Entry] | None:
    """Return what is in a zip file in one piece with plain names; None for any other archive."""
    if content[: len(b"PK")] != b"PK" or len(content) < _END.size:
        return None
    mark, *disks, count, size, begin, comment = _END.unpack_from(content, len(content) - _END.size)
    if mark != b"PK\5\6" or comment or disks != [0, 0, count] or begin + size != len(content) - _END.size:
        return None
    entries, at = [], begin
    for _ in range(count):
        if at + _ENTRY.size > len(content):
            return None
        found = _ENTRY.unpack_from(content, at)
        flags, method, crc, packed, unpacked = found[5], found[6], *found[9:12]
        name_bytes, more, note, attributes, header = found[12], found[13], found[14], found[17], found[18]
        name = content[at + _ENTRY.size :][:name_bytes]
        at += _ENTRY.size + name_bytes + more + note
        mode = attributes >> 16
        plain = _plain(name)
        if found[0] != b"PK\1\2" or plain is None or mode & _FILE_TYPE not in _types(plain):
            return None
        if flags & _UNUSUAL_FLAGS or method not in (_STORED, _DEFLATED):
            return None
        is_executable = bool(mode & _EXECUTABLE)
        entries.append(_Entry(plain, method, crc, packed, unpacked, header, is_executable))
    return entries if at == begin + size else None


def _types(name: str) -> tuple[int, int]:
    """Return the types of file that an entry may have by its name."""
    return 0, _FOLDER if name.endswith("/") else _REGULAR


def _plain(name: bytes) -> str | None:
    """Return a name that needs no thought, else None."""
    text = name.decode("ascii", "replace")
    parts = text.removesuffix("/").split("/")
    is_plain = text.isascii() and text.isprintable() and not set(text) & {"\\", ":"}
    return text if is_plain and not {"", ".", ".."} & set(parts) else None
