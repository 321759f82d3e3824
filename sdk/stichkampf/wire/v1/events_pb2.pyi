from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_KIND_UNSPECIFIED: _ClassVar[EventKind]
    EVENT_KIND_DEAL: _ClassVar[EventKind]
    EVENT_KIND_PHASE: _ClassVar[EventKind]
    EVENT_KIND_FACTS: _ClassVar[EventKind]
    EVENT_KIND_MOVE: _ClassVar[EventKind]
    EVENT_KIND_TRICK: _ClassVar[EventKind]
    EVENT_KIND_SCORE: _ClassVar[EventKind]
    EVENT_KIND_FAULT: _ClassVar[EventKind]
    EVENT_KIND_END: _ClassVar[EventKind]
EVENT_KIND_UNSPECIFIED: EventKind
EVENT_KIND_DEAL: EventKind
EVENT_KIND_PHASE: EventKind
EVENT_KIND_FACTS: EventKind
EVENT_KIND_MOVE: EventKind
EVENT_KIND_TRICK: EventKind
EVENT_KIND_SCORE: EventKind
EVENT_KIND_FAULT: EventKind
EVENT_KIND_END: EventKind

class Event(_message.Message):
    __slots__ = ("kind", "seat", "text", "cards", "numbers", "facts_json")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    FACTS_JSON_FIELD_NUMBER: _ClassVar[int]
    kind: EventKind
    seat: int
    text: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    numbers: _containers.RepeatedScalarFieldContainer[int]
    facts_json: str
    def __init__(self, kind: _Optional[_Union[EventKind, str]] = ..., seat: _Optional[int] = ..., text: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ..., numbers: _Optional[_Iterable[int]] = ..., facts_json: _Optional[str] = ...) -> None: ...
