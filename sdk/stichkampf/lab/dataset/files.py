"""Files of rows: Parquet, or numpy's own format, which can be read without loading it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from stichkampf.errors import StichkampfError, installing

Array = Any
ROWS_AT_ONCE: Final = 1 << 16
"""Rows of a group of a Parquet file."""


class RowFile(Protocol):
    """A file at the end of which rows are added."""

    def add(self, rows: Array) -> None: ...

    def close(self) -> None: ...


class ParquetFile:
    """A Parquet file: a column for each field, those in packed bits as binaries of fixed size.

    :param type: of a row, as a numpy type.
    :param notes: goes into the file's own description, as JSON.
    :raises StichkampfError: pyarrow is not installed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "rows.parquet")
    >>> rows = np.zeros(2, [("seat", "u1"), ("legal", "u1", (3,))])
    >>> file = ParquetFile(path, rows.dtype, {"game": "mue"})
    >>> file.add(rows)
    >>> file.close()
    >>> read_parquet(path, rows.dtype)["legal"].shape
    (2, 3)
    """

    def __init__(self, path: Path, type: Any, notes: Any) -> None:
        arrow, parquet = _arrow()
        self._type = type
        self._schema = arrow.schema(
            [(name, _arrow_type(arrow, type[name])) for name in type.names],
            metadata={"stichkampf": json.dumps(notes, ensure_ascii=False)},
        )
        packed = [name for name in type.names if type[name].shape]
        plain = [name for name in type.names if name not in packed]
        self._file = parquet.ParquetWriter(path, self._schema, compression="zstd", use_dictionary=plain)
        self._kept: list[Array] = []
        self._waiting = 0

    def add(self, rows: Array) -> None:
        """Add rows at the end; they are written in groups."""
        self._kept.append(rows)
        self._waiting += len(rows)
        if self._waiting >= ROWS_AT_ONCE:
            self._write()

    def close(self) -> None:
        try:
            self._write()
            self._file.close()
        finally:
            # otherwise pyarrow tries again when the object is collected, where nothing can report it
            self._file.is_open = False

    def _write(self) -> None:
        if not self._waiting:
            return
        rows = np.concatenate(self._kept)
        self._kept.clear()
        self._waiting = 0
        self._file.write_batch(parquet_batch(rows, self._schema))


def parquet_batch(rows: Array, schema: Any) -> Any:
    """Return rows as a record batch of pyarrow."""
    arrow, _ = _arrow()
    columns = []
    for field in schema:
        values = np.ascontiguousarray(rows[field.name])
        if values.ndim == 1:
            columns.append(arrow.array(values, field.type))
        else:
            held = arrow.py_buffer(values.tobytes())
            columns.append(arrow.FixedSizeBinaryArray.from_buffers(field.type, len(rows), [None, held]))
    return arrow.record_batch(columns, schema=schema)


def read_parquet(path: Path, type: Any) -> dict[str, Array]:
    """Return the columns of a Parquet file of rows as arrays.

    :param type: of a row, as a numpy type.
    :raises StichkampfError: pyarrow is not installed.
    """
    _, parquet = _arrow()
    file = parquet.ParquetFile(path)
    rows = file.metadata.num_rows
    found = {name: np.empty((rows, *type[name].shape), type[name].base) for name in type.names}
    at = 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        place = slice(at, at + table.num_rows)
        at += table.num_rows
        for name in type.names:
            # a group of our own files is one chunk; other programs may write more
            chunk = table.column(name).combine_chunks()
            found[name][place] = _values(chunk, type[name])
    return found


def _values(chunk: Any, item: Any) -> Array:
    if not item.shape:
        return chunk.to_numpy(zero_copy_only=False)
    size = item.itemsize
    whole = np.frombuffer(chunk.buffers()[1], np.uint8)
    own = whole[chunk.offset * size : (chunk.offset + len(chunk)) * size]
    return own.view(item.base).reshape(len(chunk), *item.shape)


class NumpyFile:
    """A file in numpy's own format: one array of rows, which `numpy.load(…, mmap_mode="r")` need not load.

    :param type: of a row, as a numpy type.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "rows.npy")
    >>> file = NumpyFile(path, np.dtype([("seat", "u1")]))
    >>> for _ in range(2):
    ...     file.add(np.ones(3, [("seat", "u1")]))
    >>> file.close()
    >>> np.load(path)["seat"].tolist()
    [1, 1, 1, 1, 1, 1]
    """

    def __init__(self, path: Path, type: Any) -> None:
        self._type, self._count = type, 0
        self._file = open(path, "wb")  # noqa: SIM115 - closed by close
        self._begin()

    def _begin(self) -> None:
        # numpy leaves room in the header, so that the number of rows can grow
        described = {
            "descr": np.lib.format.dtype_to_descr(self._type),
            "fortran_order": False,
            "shape": (self._count,),
        }
        np.lib.format.write_array_header_1_0(self._file, described)

    def add(self, rows: Array) -> None:
        """Add rows at the end."""
        self._file.write(np.ascontiguousarray(rows).tobytes())
        self._count += len(rows)

    def close(self) -> None:
        with self._file:
            self._file.seek(0)
            self._begin()


def _arrow() -> tuple[Any, Any]:
    try:
        # pyarrow is large and only Parquet needs it
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise StichkampfError(f"Parquet needs pyarrow: {installing('dataset')}") from error
    return pyarrow, pyarrow.parquet


def _arrow_type(arrow: Any, item: Any) -> Any:
    return arrow.binary(item.itemsize) if item.shape else arrow.from_numpy_dtype(item)
