"""Files that commands write: there as a whole afterwards, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from stichkampf.errors import StichkampfError


@contextmanager
def whole_file(file: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written; what it held before is left unless the block ends without an error.

    A pipe, a terminal or a device takes what is written as it comes.

    :raises StichkampfError: the file cannot be written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "karl.zip")
    >>> with whole_file(path) as stream:
    ...     _ = stream.write(b"PK")
    >>> path.read_bytes()
    b'PK'
    """
    in_place = file.exists() and not file.is_file()
    written = file if in_place else file.resolve()
    partial = written if in_place else written.with_name(f".{written.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as stream:
            yield stream
        if not in_place:
            partial.replace(written)
    except OSError as error:
        raise StichkampfError(f"cannot write {file}: {error.strerror or error}; nothing is written") from None
    finally:
        if not in_place:
            with suppress(OSError):
                partial.unlink()
