from stichkampf.wire.v1 import events_pb2 as _events_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TableEndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_END_REASON_UNSPECIFIED: _ClassVar[TableEndReason]
    TABLE_END_REASON_FINISHED: _ClassVar[TableEndReason]
    TABLE_END_REASON_CANCELLED: _ClassVar[TableEndReason]
    TABLE_END_REASON_REPLACED: _ClassVar[TableEndReason]
TABLE_END_REASON_UNSPECIFIED: TableEndReason
TABLE_END_REASON_FINISHED: TableEndReason
TABLE_END_REASON_CANCELLED: TableEndReason
TABLE_END_REASON_REPLACED: TableEndReason

class FromBot(_message.Message):
    __slots__ = ("hello", "answers", "pong", "leave")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    answers: Answers
    pong: Pong
    leave: Leave
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., answers: _Optional[_Union[Answers, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ...) -> None: ...

class ToBot(_message.Message):
    __slots__ = ("welcome", "updates", "ping", "draining", "refusal", "standing")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    STANDING_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    updates: Updates
    ping: Ping
    draining: Draining
    refusal: Refusal
    standing: Standing
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., updates: _Optional[_Union[Updates, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ..., standing: _Optional[_Union[Standing, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("wire_version_min", "wire_version_max", "games", "tables_at_once", "resume_token", "agent")
    WIRE_VERSION_MIN_FIELD_NUMBER: _ClassVar[int]
    WIRE_VERSION_MAX_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    TABLES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    wire_version_min: int
    wire_version_max: int
    games: _containers.RepeatedScalarFieldContainer[str]
    tables_at_once: int
    resume_token: bytes
    agent: str
    def __init__(self, wire_version_min: _Optional[int] = ..., wire_version_max: _Optional[int] = ..., games: _Optional[_Iterable[str]] = ..., tables_at_once: _Optional[int] = ..., resume_token: _Optional[bytes] = ..., agent: _Optional[str] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("wire_version", "resume_token", "message_bytes", "tables_at_once", "takes_leave")
    WIRE_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    TABLES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    TAKES_LEAVE_FIELD_NUMBER: _ClassVar[int]
    wire_version: int
    resume_token: bytes
    message_bytes: int
    tables_at_once: int
    takes_leave: bool
    def __init__(self, wire_version: _Optional[int] = ..., resume_token: _Optional[bytes] = ..., message_bytes: _Optional[int] = ..., tables_at_once: _Optional[int] = ..., takes_leave: _Optional[bool] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("plays_no_more",)
    PLAYS_NO_MORE_FIELD_NUMBER: _ClassVar[int]
    plays_no_more: str
    def __init__(self, plays_no_more: _Optional[str] = ...) -> None: ...

class Updates(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[TableUpdate]
    def __init__(self, tables: _Optional[_Iterable[_Union[TableUpdate, _Mapping]]] = ...) -> None: ...

class TableUpdate(_message.Message):
    __slots__ = ("table", "start", "events", "question", "end", "bank_seconds")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    BANK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    table: int
    start: TableStart
    events: _containers.RepeatedCompositeFieldContainer[_events_pb2.Event]
    question: Question
    end: TableEnd
    bank_seconds: float
    def __init__(self, table: _Optional[int] = ..., start: _Optional[_Union[TableStart, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_events_pb2.Event, _Mapping]]] = ..., question: _Optional[_Union[Question, _Mapping]] = ..., end: _Optional[_Union[TableEnd, _Mapping]] = ..., bank_seconds: _Optional[float] = ...) -> None: ...

class TableStart(_message.Message):
    __slots__ = ("game", "options_json", "seats", "seat", "time_control", "seed", "bot", "rules_version", "match")
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    game: str
    options_json: str
    seats: int
    seat: int
    time_control: TimeControl
    seed: bytes
    bot: str
    rules_version: int
    match: str
    def __init__(self, game: _Optional[str] = ..., options_json: _Optional[str] = ..., seats: _Optional[int] = ..., seat: _Optional[int] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ..., seed: _Optional[bytes] = ..., bot: _Optional[str] = ..., rules_version: _Optional[int] = ..., match: _Optional[str] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("move_seconds", "bank_seconds", "cap_seconds")
    MOVE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    BANK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CAP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    move_seconds: float
    bank_seconds: float
    cap_seconds: float
    def __init__(self, move_seconds: _Optional[float] = ..., bank_seconds: _Optional[float] = ..., cap_seconds: _Optional[float] = ...) -> None: ...

class Question(_message.Message):
    __slots__ = ("decision", "legal", "seconds", "hand")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    decision: int
    legal: _containers.RepeatedScalarFieldContainer[str]
    seconds: float
    hand: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, decision: _Optional[int] = ..., legal: _Optional[_Iterable[str]] = ..., seconds: _Optional[float] = ..., hand: _Optional[_Iterable[str]] = ...) -> None: ...

class TableEnd(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: TableEndReason
    def __init__(self, reason: _Optional[_Union[TableEndReason, str]] = ...) -> None: ...

class Answers(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    def __init__(self, answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("table", "decision", "action", "resignation", "failure", "note")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESIGNATION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    table: int
    decision: int
    action: str
    resignation: Resignation
    failure: Failure
    note: Note
    def __init__(self, table: _Optional[int] = ..., decision: _Optional[int] = ..., action: _Optional[str] = ..., resignation: _Optional[_Union[Resignation, _Mapping]] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., note: _Optional[_Union[Note, _Mapping]] = ...) -> None: ...

class Resignation(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Failure(_message.Message):
    __slots__ = ("message", "malformed")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MALFORMED_FIELD_NUMBER: _ClassVar[int]
    message: str
    malformed: bool
    def __init__(self, message: _Optional[str] = ..., malformed: _Optional[bool] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("text", "weights")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    text: str
    weights: _containers.RepeatedCompositeFieldContainer[Weight]
    def __init__(self, text: _Optional[str] = ..., weights: _Optional[_Iterable[_Union[Weight, _Mapping]]] = ...) -> None: ...

class Weight(_message.Message):
    __slots__ = ("action", "weight")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    action: str
    weight: float
    def __init__(self, action: _Optional[str] = ..., weight: _Optional[float] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ("seconds",)
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    seconds: float
    def __init__(self, seconds: _Optional[float] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("status", "reason")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    status: str
    reason: str
    def __init__(self, status: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
