"""The check of an ONNX model in an archive: read field by field, never loaded, never run.

The file is a protobuf message. A library would build an object for each part of it, which a hostile file can
make many or deep; here every field that is read counts, and of tensors only the claims are looked at. What
passes may still be refused by onnxruntime, in the sandbox.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from stichkampf.errors import ArchiveError
from stichkampf.limits import MODEL_DEPTH, MODEL_FIELDS, MODEL_NODES

MODEL_SUFFIX: Final = ".onnx"
DOMAINS: Final = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
"""The sets of operators that onnxruntime brings itself."""
DIMENSIONS: Final = 32
EXTERNAL: Final = 1
NAME_CHARACTERS: Final = 60

# Numbers of fields in onnx.proto, by message.
MODEL_GRAPH, MODEL_FUNCTION = 7, 25
GRAPH_NODE, GRAPH_TENSOR, GRAPH_SPARSE = 1, 5, 15
NODE_OPERATOR, NODE_ATTRIBUTE, NODE_DOMAIN = 4, 5, 7
ATTRIBUTE_TENSOR, ATTRIBUTE_GRAPH, ATTRIBUTE_TENSORS, ATTRIBUTE_GRAPHS = 5, 6, 10, 11
ATTRIBUTE_SPARSE = (22, 23)
FUNCTION_NODE, FUNCTION_DOMAIN = 7, 10
TENSOR_DIMENSIONS, TENSOR_NAME, TENSOR_EXTERNAL, TENSOR_LOCATION = 1, 8, 13, 14
TENSOR_CONTENT = (4, 5, 6, 7, 9, 10, 11)
"""Fields that hold the elements of a tensor, as bytes or in lists; half a byte is the least for one."""


def check_model(path: str, content: bytes) -> None:
    """Check a model.

    :param path: in the archive, for messages.
    :raises ArchiveError: it is no ONNX model, has operators that onnxruntime does not bring, keeps data in
        another file, claims more data than it holds, or is too large or too deep.

    >>> check_model("net.onnx", b"no model")
    Traceback (most recent call last):
    stichkampf.errors.ArchiveError: net.onnx is no ONNX model: it is damaged
    """
    check = _ModelCheck(path)
    graphs = 0
    for number, value in check.fields(memoryview(content)):
        if number == MODEL_GRAPH:
            check.graph(check.message(value), 1)
            graphs += 1
        elif number == MODEL_FUNCTION:
            check.function(check.message(value))
    if graphs != 1:
        raise ArchiveError(f"{path} is no ONNX model: it has {graphs} graphs instead of one")
    check.operators()


class _ModelCheck:
    def __init__(self, path: str) -> None:
        self._path = path
        self._nodes = self._fields = 0
        self._operators: dict[str, str] = {}
        self._functions: set[str] = set()

    def fields(self, message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
        """Yield number and value of each field: a whole number, or the bytes of a text, list or message."""
        at = 0
        while at < len(message):
            self._fields += 1
            if self._fields > MODEL_FIELDS:
                raise ArchiveError(
                    f"{self._path} has more than {MODEL_FIELDS:,} fields; keep weights as raw data, as"
                    " onnx.numpy_helper.from_array does"
                )
            tag, at = self._varint(message, at)
            kind = tag & 7
            if kind == 0:
                value, at = self._varint(message, at)
                yield tag >> 3, value
                continue
            if kind == 2:
                size, at = self._varint(message, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise self._damaged()
            if size > len(message) - at:
                raise self._damaged()
            yield tag >> 3, message[at : at + size]
            at += size

    def message(self, value: int | memoryview) -> memoryview:
        if isinstance(value, int):
            raise self._damaged()
        return value

    def graph(self, message: memoryview, depth: int) -> None:
        if depth > MODEL_DEPTH:
            raise ArchiveError(f"{self._path} has more than {MODEL_DEPTH} graphs inside one another")
        for number, value in self.fields(message):
            if number == GRAPH_NODE:
                self._node(self.message(value), depth)
            elif number == GRAPH_TENSOR:
                self._tensor(self.message(value))
            elif number == GRAPH_SPARSE:
                raise self._sparse()

    def function(self, message: memoryview) -> None:
        for number, value in self.fields(message):
            if number == FUNCTION_NODE:
                self._node(self.message(value), 1)
            elif number == FUNCTION_DOMAIN:
                self._functions.add(self._text(value))

    def operators(self) -> None:
        """Check that each operator is one of onnxruntime's, or a function of the model."""
        for domain, operator in self._operators.items():
            if domain not in DOMAINS and domain not in self._functions:
                raise ArchiveError(
                    f"{self._path} has the custom operator {operator!r} of {domain!r}; possible are those"
                    f" that onnxruntime brings: {', '.join(filter(None, DOMAINS))}"
                )

    def _node(self, message: memoryview, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MODEL_NODES:
            raise ArchiveError(f"{self._path} has more than {MODEL_NODES:,} nodes")
        operator = domain = ""
        for number, value in self.fields(message):
            if number == NODE_OPERATOR:
                operator = self._text(value)
            elif number == NODE_DOMAIN:
                domain = self._text(value)
            elif number == NODE_ATTRIBUTE:
                self._attribute(self.message(value), depth)
        self._operators.setdefault(domain, operator)

    def _attribute(self, message: memoryview, depth: int) -> None:
        for number, value in self.fields(message):
            if number in (ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS):
                self.graph(self.message(value), depth + 1)
            elif number in (ATTRIBUTE_TENSOR, ATTRIBUTE_TENSORS):
                self._tensor(self.message(value))
            elif number in ATTRIBUTE_SPARSE:
                raise self._sparse()

    def _tensor(self, message: memoryview) -> None:
        name, dimensions, held = "", list[int](), 0
        for number, value in self.fields(message):
            if number == TENSOR_DIMENSIONS:
                dimensions += self._numbers(value)
                if len(dimensions) > DIMENSIONS:
                    raise ArchiveError(f"{self._path} has a tensor of more than {DIMENSIONS} dimensions")
            elif number == TENSOR_NAME:
                name = self._text(value)
            elif number in TENSOR_CONTENT:
                held += 1 if isinstance(value, int) else max(1, len(value))
            elif number == TENSOR_EXTERNAL or (number == TENSOR_LOCATION and value == EXTERNAL):
                raise ArchiveError(
                    f"{self._path} keeps the data of the tensor {name!r} in another file; save the model in"
                    " one file, weights included"
                )
        elements = math.prod(dimensions)
        if elements > 2 * held:
            raise ArchiveError(
                f"{self._path} claims {elements:,} elements for the tensor {name!r}, and holds {held:,} bytes"
            )

    def _numbers(self, value: int | memoryview) -> list[int]:
        if isinstance(value, int):
            return [value]
        found, at = list[int](), 0
        while at < len(value) and len(found) <= DIMENSIONS:
            number, at = self._varint(value, at)
            found.append(number)
        return found

    def _varint(self, message: memoryview, at: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= len(message):
                break
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise self._damaged()

    def _text(self, value: int | memoryview) -> str:
        return bytes(self.message(value)[: 4 * NAME_CHARACTERS]).decode("utf-8", "replace")[:NAME_CHARACTERS]

    def _damaged(self) -> ArchiveError:
        return ArchiveError(f"{self._path} is no ONNX model: it is damaged")

    def _sparse(self) -> ArchiveError:
        return ArchiveError(f"{self._path} has a sparse tensor; write it as a dense one")
