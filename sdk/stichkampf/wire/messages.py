"""The messages between bots and arbiter without the protobuf library, whose import costs so much.

Messages look like those of the library as far as bots need it: absent fields have their defaults, and
`HasField` tells them from present ones. What they hold is generated from `proto/`. The arbiter reads
strangers' messages with the library; this reader is for what an arbiter sends.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from stichkampf.wire.v1.bot_fields import FIELDS

_DOUBLE: Final = struct.Struct("<d")
_ZERO: Final = bytes(8)
_NUMBERS: Final = frozenset({"uint32", "enum", "bool", "sint32"})
_DEFAULTS: Final[dict[str, Any]] = {
    "string": "",
    "bytes": b"",
    "double": 0.0,
    "bool": False,
    **dict.fromkeys(("uint32", "enum", "sint32"), 0),
}
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
"""The ways in which a field can be written."""


class WireError(ValueError):
    """Bytes that are no message."""


class Message:
    """A message.

    :param kind: the name in the .proto file.
    :param fields: those that are present.

    >>> pong = Message("FromBot", pong=Message("Pong", number=300))
    >>> pong.HasField("pong"), pong.HasField("hello"), pong.hello.agent
    (True, False, '')
    >>> decode("FromBot", encode(pong)).pong.number
    300
    """

    def __init__(self, kind: str, /, **fields: Any) -> None:
        self.__dict__ = fields
        self._kind = kind

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None: ...

    def HasField(self, name: str) -> bool:
        return name in self.__dict__

    def SerializeToString(self, *, deterministic: bool = True) -> bytes:
        return encode(self)

    def __getattr__(self, name: str) -> Any:
        """Return the default of a field that is absent."""
        try:
            return _defaults(self._kind)[name]
        except KeyError:
            raise AttributeError(f"a {self._kind} has no field {name!r}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and encode(self) == encode(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = "".join(f", {name}={value!r}" for name, value in self.__dict__.items() if name != "_kind")
        return f"Message({self._kind!r}{fields})"


@cache
def _defaults(kind: str) -> dict[str, Any]:
    return {name: () if many == "many" else _default(of) for name, of, many in FIELDS[kind].values()}


def _default(of: str) -> Any:
    return Message(of) if of in FIELDS else _DEFAULTS[of]


# Reading ----------------------------------------------------------------------------------------------------


@cache
def _readers(kind: str) -> dict[int, tuple[str, str, bool]]:
    """Return by what stands before a field: its name, its type, and whether there may be many."""
    readers = {}
    for number, (name, of, many) in FIELDS[kind].items():
        way = _VARINT if of in _NUMBERS else _EIGHT_BYTES if of == "double" else _LENGTH
        readers[number << 3 | way] = (name, of, many == "many")
        if many == "many" and way != _LENGTH:
            readers[number << 3 | _LENGTH] = (name, f"packed {of}", False)
    return readers


def decode(kind: str, message: bytes, start: int = 0, end: int | None = None) -> Message:
    """Read a message of a kind.

    :raises WireError: it is none.
    """
    try:
        return _decoded(kind, message, start, len(message) if end is None else end)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise WireError(f"no {kind}: {error}") from None


def _decoded(kind: str, data: bytes, at: int, end: int) -> Message:
    found = Message(kind)
    fields = found.__dict__
    readers = _readers(kind)
    while at < end:
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = _varint(data, at - 1)
        reader = readers.get(tag)
        way = tag & 7
        value: Any
        if way == _LENGTH:
            size = data[at]
            at += 1
            if size > 127:
                size, at = _varint(data, at - 1)
            after = at + size
            if after > end:
                raise IndexError("a field is longer than its message")
            if reader is None:
                at = after
                continue
            name, of, many = reader
            if of == "string":
                value = data[at:after].decode()
            elif of == "bytes":
                value = data[at:after]
            elif of in FIELDS:
                value = _decoded(of, data, at, after)
            else:
                value = _packed(data, at, after, of.removeprefix("packed "))
            at = after
        elif way == _VARINT:
            value = data[at]
            at += 1
            if value > 127:
                value, at = _varint(data, at - 1)
            if reader is None:
                continue
            name, of, many = reader
            value = _number(value, of)
        elif way in (_EIGHT_BYTES, _FOUR_BYTES):
            if reader is not None:
                name, _, many = reader
                (value,) = _DOUBLE.unpack_from(data, at)
            at += 8 if way == _EIGHT_BYTES else 4
            if reader is None:
                continue
        else:
            raise IndexError(f"a field is written in the unknown way {way}")
        if many:
            if name in fields:
                fields[name].append(value)
            else:
                fields[name] = [value]
        else:
            fields[name] = value
    if at > end:
        raise IndexError("a field is longer than its message")
    return found


def _packed(data: bytes, at: int, end: int, of: str) -> list[int]:
    numbers = []
    while at < end:
        number, at = _varint(data, at)
        numbers.append(_number(number, of))
    return numbers


def _number(value: int, of: str) -> int:
    if of == "sint32":
        return value >> 1 ^ -(value & 1)
    return bool(value) if of == "bool" else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number with seven bits in each byte, the lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise IndexError("a number is longer than ten bytes")


# Writing ----------------------------------------------------------------------------------------------------


def encode(message: Message) -> bytes:
    """Write a message, its fields in the order of their numbers, as the protobuf library does."""
    parts: list[bytes] = []
    present = message.__dict__
    for number, (name, of, many) in FIELDS[message._kind].items():
        if name not in present:
            continue
        value = present[name]
        if many != "many":
            # of a double only all bits tell, as minus zero equals zero
            absent = of not in FIELDS and (
                _DOUBLE.pack(value) == _ZERO if of == "double" else value == _DEFAULTS[of]
            )
            if many == "choice" or not absent:
                _write(parts, number, of, value)
        elif of in _NUMBERS:
            if value:
                _write(parts, number, "bytes", b"".join([_bytes_of(_raw(each, of)) for each in value]))
        else:
            for each in value:
                _write(parts, number, of, each)
    return b"".join(parts)


def _write(parts: list[bytes], number: int, of: str, value: Any) -> None:
    if of in _NUMBERS:
        parts += (_bytes_of(number << 3 | _VARINT), _bytes_of(_raw(value, of)))
    elif of == "double":
        parts += (_bytes_of(number << 3 | _EIGHT_BYTES), _DOUBLE.pack(value))
    else:
        content = value.encode() if of == "string" else value if of == "bytes" else encode(value)
        parts += (_bytes_of(number << 3 | _LENGTH), _bytes_of(len(content)), content)


def _raw(value: int, of: str) -> int:
    return value << 1 ^ value >> 31 if of == "sint32" else int(value)


def _bytes_of(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    return bytes((number & 127 | 128,)) + _bytes_of(number >> 7)
