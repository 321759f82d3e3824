"""The members of a zip or tar.gz file, read as a stream: sizes that the file claims are not believed."""

from __future__ import annotations

import io
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from stichkampf import limits
from stichkampf.errors import ArchiveError

READ_BYTES = 64 * 1024
MADE_ON_WINDOWS = 0
"""The system that a zip file names."""
HEADER_BYTES = 4096 * limits.ARCHIVE_FILES
"""The most bytes beside the files themselves: of a tar file all together, of a zip file its directory."""
MEMBER_HEADER_BYTES = 64 * 1024
"""The most bytes that a tar file says of one member; its parser keeps all, and recurs for each header."""


@dataclass(frozen=True)
class Member:
    """A file or folder of an archive; `content` is None for a folder."""

    path: str
    is_executable: bool
    content: IO[bytes] | None


def members(content: bytes) -> Iterator[Member]:
    """Yield the members of an archive. Read a member's content, with `chunks`, before the next member.

    :raises ArchiveError: no zip or tar.gz file, damaged, too large, or with a link or device inside.

    >>> memory = io.BytesIO()
    >>> with zipfile.ZipFile(memory, "w") as file:
    ...     file.writestr("bot.py", "from stichkampf import Bot")
    >>> [(member.path, b"".join(chunks(member.content))) for member in members(memory.getvalue())]
    [('bot.py', b'from stichkampf import Bot')]
    """
    if not content:
        raise ArchiveError("the archive is empty; send a zip or tar.gz file")
    if len(content) > limits.ARCHIVE_BYTES:
        raise ArchiveError(
            f"the archive has {len(content):,} bytes; at most {limits.ARCHIVE_BYTES:,} are possible"
        )
    if content.startswith(b"\x1f\x8b"):
        return _tar_members(content)
    if content.startswith(b"PK"):
        return _zip_members(content)
    raise ArchiveError("this is neither a zip nor a tar.gz file")


def chunks(content: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a member in pieces.

    :raises ArchiveError: they are damaged.

    >>> list(chunks(io.BytesIO(b"from stichkampf import Bot")))
    [b'from stichkampf import Bot']
    """
    while True:
        with _as_archive_errors():
            chunk = content.read(READ_BYTES)
        if not chunk:
            return
        yield chunk


def plain_path(path: str, *, windows: bool = False) -> str:
    """Return a path as it is compared: in composed form (NFC), from the root of the archive.

    :param windows: it may part folders by backslashes.

    >>> plain_path("./mu\u0308ller.py"), plain_path("lib\\\\cards.py", windows=True)
    ('müller.py', 'lib/cards.py')
    """
    parted = path.replace("\\", "/") if windows else path
    return unicodedata.normalize("NFC", parted).removeprefix("./")


@contextmanager
def _as_archive_errors() -> Iterator[None]:
    try:
        yield
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        NotImplementedError,  # zipfile's answer to a version or method that it does not know
        OSError,
        ValueError,
    ) as error:
        raise ArchiveError(f"the archive is damaged: {error}; pack it again") from None


def _zip_members(content: bytes) -> Iterator[Member]:
    with _as_archive_errors():
        file = zipfile.ZipFile(_Read(content))
    places = Counter(info.header_offset for info in file.infolist())
    for info in file.infolist():
        # Not `filename`, which zipfile cuts at a NUL: a name with a control character is to be refused.
        name = plain_path(info.orig_filename, windows=info.create_system == MADE_ON_WINDOWS)
        if places[info.header_offset] > 1:  # of which zipfile warns, from some version of Python on
            raise ArchiveError(f"{name!r} lies where another file of the archive does; pack it again")
        if info.flag_bits & 0x1:
            raise ArchiveError(f"{name!r} is encrypted; pack it without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(f"{name!r} is packed in a rare way; use the plain deflate method")
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _not_plain(name)
        if name.endswith("/"):  # `is_dir` fails for an empty name
            if name != "./":
                yield Member(name, False, None)
            continue
        with _as_archive_errors():
            member = file.open(info)
        with member:
            yield Member(name, bool(mode & stat.S_IXUSR), member)


def _tar_members(content: bytes) -> Iterator[Member]:
    unpacked = _Unpacked(content)
    with _as_archive_errors(), unpacked.header():
        file = tarfile.TarFile.open(fileobj=unpacked, mode="r|")
    while True:
        with _as_archive_errors(), unpacked.header():
            info = file.next()
        if info is None:
            return
        name = plain_path(info.name)
        if info.issparse() or not (info.isreg() or info.isdir()):
            raise _not_plain(name)
        if info.isreg():
            member = file.extractfile(info)
            assert member is not None, "tarfile gives regular files a content"
            yield Member(name, bool(info.mode & stat.S_IXUSR), member)
            for _ in chunks(member):  # what was not read of it is no header
                pass
        elif name not in ("", "."):
            yield Member(name, False, None)


def _not_plain(name: str) -> ArchiveError:
    return ArchiveError(f"{name!r} is a link or a device; only plain files and folders are possible")


class _Read(io.BytesIO):
    """The bytes of a zip file, whose directory `zipfile` reads in one piece, an object an entry."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > HEADER_BYTES:
            raise ArchiveError(
                f"the directory of the zip file has {size:,} bytes; at most {HEADER_BYTES:,} are possible"
            )
        return super().read(size)


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a gzip file, never more at once than asked for, and bounded altogether."""

    def __init__(self, content: bytes) -> None:
        self._unpacker = zlib.decompressobj(wbits=31)
        self._rest = content
        self._left = limits.UNPACKED_BYTES + HEADER_BYTES
        self._header_left: int | None = None

    @contextmanager
    def header(self) -> Iterator[None]:
        """Bound what is read meanwhile, which is what the file says of one member."""
        self._header_left = MEMBER_HEADER_BYTES
        yield
        self._header_left = None

    def read(self, size: int = -1) -> bytes:
        wanted = READ_BYTES if size < 0 else size
        found = bytearray()
        while len(found) < wanted and not self._unpacker.eof:
            if not self._rest:
                raise EOFError("it ends too early")
            found += self._unpacker.decompress(self._rest, wanted - len(found))
            self._rest = self._unpacker.unconsumed_tail
        self._left -= len(found)
        if self._left < 0:
            raise ArchiveError(
                f"unpacked, the files are larger than {limits.UNPACKED_BYTES:,} bytes together"
            )
        if self._header_left is not None:
            self._header_left -= len(found)
            if self._header_left < 0:
                raise ArchiveError(
                    f"what the tar file says of one member is larger than {MEMBER_HEADER_BYTES:,} bytes"
                )
        return bytes(found)
