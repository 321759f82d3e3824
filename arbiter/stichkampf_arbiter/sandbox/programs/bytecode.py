"""Bytecode of the SDK in an image: a sandbox can write none, and would compile at every start."""

from __future__ import annotations

import importlib.util
import py_compile
from pathlib import Path

HEADER_BYTES = 16


def compile_missing(folder: Path) -> None:
    """Compile the modules below a folder of whose source there is no other form yet."""
    for source in folder.rglob("*.py"):
        compiled = Path(importlib.util.cache_from_source(str(source)))
        if not _is_current(compiled, source) and not any(source.parent.glob(f"{source.stem}.*.so")):
            compiled.unlink(missing_ok=True)
            unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH  # no bot can change the source
            py_compile.compile(str(source), str(compiled), doraise=True, invalidation_mode=unchecked)


def _is_current(compiled: Path, source: Path) -> bool:
    try:
        with compiled.open("rb") as file:
            header = file.read(HEADER_BYTES)
    except FileNotFoundError:
        return False
    found = source.stat()
    times = int(found.st_mtime).to_bytes(4, "little") + (found.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    return header == importlib.util.MAGIC_NUMBER + bytes(4) + times
