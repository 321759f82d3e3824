from stichkampf.wire.v1 import bot_pb2 as _bot_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_WAITING: _ClassVar[MatchState]
    MATCH_STATE_RUNNING: _ClassVar[MatchState]
    MATCH_STATE_FINISHED: _ClassVar[MatchState]
    MATCH_STATE_CANCELLED: _ClassVar[MatchState]
    MATCH_STATE_FAILED: _ClassVar[MatchState]

class SandboxLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANDBOX_LEVEL_UNSPECIFIED: _ClassVar[SandboxLevel]
    SANDBOX_LEVEL_REFUSED: _ClassVar[SandboxLevel]
    SANDBOX_LEVEL_DEVELOPMENT: _ClassVar[SandboxLevel]
    SANDBOX_LEVEL_HOSTED: _ClassVar[SandboxLevel]
    SANDBOX_LEVEL_GVISOR: _ClassVar[SandboxLevel]
MATCH_STATE_UNSPECIFIED: MatchState
MATCH_STATE_WAITING: MatchState
MATCH_STATE_RUNNING: MatchState
MATCH_STATE_FINISHED: MatchState
MATCH_STATE_CANCELLED: MatchState
MATCH_STATE_FAILED: MatchState
SANDBOX_LEVEL_UNSPECIFIED: SandboxLevel
SANDBOX_LEVEL_REFUSED: SandboxLevel
SANDBOX_LEVEL_DEVELOPMENT: SandboxLevel
SANDBOX_LEVEL_HOSTED: SandboxLevel
SANDBOX_LEVEL_GVISOR: SandboxLevel

class StartMatchRequest(_message.Message):
    __slots__ = ("idempotency_key", "game", "options_json", "seats", "seed", "deals_json", "lane", "time_control", "fault_allowance", "block", "block_tables", "alone", "tournament", "substitute_version", "moves_json")
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    DEALS_JSON_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    FAULT_ALLOWANCE_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    BLOCK_TABLES_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    SUBSTITUTE_VERSION_FIELD_NUMBER: _ClassVar[int]
    MOVES_JSON_FIELD_NUMBER: _ClassVar[int]
    idempotency_key: str
    game: str
    options_json: str
    seats: _containers.RepeatedCompositeFieldContainer[Seat]
    seed: bytes
    deals_json: str
    lane: str
    time_control: _bot_pb2.TimeControl
    fault_allowance: int
    block: str
    block_tables: int
    alone: bool
    tournament: str
    substitute_version: int
    moves_json: str
    def __init__(self, idempotency_key: _Optional[str] = ..., game: _Optional[str] = ..., options_json: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[Seat, _Mapping]]] = ..., seed: _Optional[bytes] = ..., deals_json: _Optional[str] = ..., lane: _Optional[str] = ..., time_control: _Optional[_Union[_bot_pb2.TimeControl, _Mapping]] = ..., fault_allowance: _Optional[int] = ..., block: _Optional[str] = ..., block_tables: _Optional[int] = ..., alone: _Optional[bool] = ..., tournament: _Optional[str] = ..., substitute_version: _Optional[int] = ..., moves_json: _Optional[str] = ...) -> None: ...

class Seat(_message.Message):
    __slots__ = ("bot", "version", "house", "archive_sha256", "remote", "person")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HOUSE_FIELD_NUMBER: _ClassVar[int]
    ARCHIVE_SHA256_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    house: str
    archive_sha256: str
    remote: str
    person: bool
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., house: _Optional[str] = ..., archive_sha256: _Optional[str] = ..., remote: _Optional[str] = ..., person: _Optional[bool] = ...) -> None: ...

class StartMatchResponse(_message.Message):
    __slots__ = ("match", "started")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    match: MatchStatus
    started: bool
    def __init__(self, match: _Optional[_Union[MatchStatus, _Mapping]] = ..., started: _Optional[bool] = ...) -> None: ...

class MatchStatus(_message.Message):
    __slots__ = ("match", "state", "revision", "deals", "moves", "scores", "faults", "reason", "kept_seats")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    KEPT_SEATS_FIELD_NUMBER: _ClassVar[int]
    match: str
    state: MatchState
    revision: int
    deals: int
    moves: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    reason: str
    kept_seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[str] = ..., state: _Optional[_Union[MatchState, str]] = ..., revision: _Optional[int] = ..., deals: _Optional[int] = ..., moves: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., reason: _Optional[str] = ..., kept_seats: _Optional[_Iterable[int]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("deal", "move", "seat", "kind")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    deal: int
    move: int
    seat: int
    kind: str
    def __init__(self, deal: _Optional[int] = ..., move: _Optional[int] = ..., seat: _Optional[int] = ..., kind: _Optional[str] = ...) -> None: ...

class WatchMatchesRequest(_message.Message):
    __slots__ = ("matches", "after_revision")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    AFTER_REVISION_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedScalarFieldContainer[str]
    after_revision: int
    def __init__(self, matches: _Optional[_Iterable[str]] = ..., after_revision: _Optional[int] = ...) -> None: ...

class WatchMatchesResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: MatchStatus
    def __init__(self, match: _Optional[_Union[MatchStatus, _Mapping]] = ...) -> None: ...

class CancelMatchRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class CancelMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: MatchStatus
    def __init__(self, match: _Optional[_Union[MatchStatus, _Mapping]] = ...) -> None: ...

class FetchRecordRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class FetchRecordResponse(_message.Message):
    __slots__ = ("record_json", "match", "reports")
    RECORD_JSON_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    record_json: str
    match: MatchStatus
    reports: _containers.RepeatedCompositeFieldContainer[SeatReport]
    def __init__(self, record_json: _Optional[str] = ..., match: _Optional[_Union[MatchStatus, _Mapping]] = ..., reports: _Optional[_Iterable[_Union[SeatReport, _Mapping]]] = ...) -> None: ...

class SeatReport(_message.Message):
    __slots__ = ("seat", "exit_kind", "exit_code", "stderr", "complaints", "stale_answers", "absent", "games", "written", "complaint_decisions")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    EXIT_KIND_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    COMPLAINTS_FIELD_NUMBER: _ClassVar[int]
    STALE_ANSWERS_FIELD_NUMBER: _ClassVar[int]
    ABSENT_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    COMPLAINT_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    exit_kind: str
    exit_code: int
    stderr: str
    complaints: _containers.RepeatedScalarFieldContainer[str]
    stale_answers: int
    absent: bool
    games: _containers.RepeatedScalarFieldContainer[str]
    written: _containers.RepeatedCompositeFieldContainer[DecisionOutput]
    complaint_decisions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., exit_kind: _Optional[str] = ..., exit_code: _Optional[int] = ..., stderr: _Optional[str] = ..., complaints: _Optional[_Iterable[str]] = ..., stale_answers: _Optional[int] = ..., absent: _Optional[bool] = ..., games: _Optional[_Iterable[str]] = ..., written: _Optional[_Iterable[_Union[DecisionOutput, _Mapping]]] = ..., complaint_decisions: _Optional[_Iterable[int]] = ...) -> None: ...

class DecisionOutput(_message.Message):
    __slots__ = ("decision", "begin", "end")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    decision: int
    begin: int
    end: int
    def __init__(self, decision: _Optional[int] = ..., begin: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class FetchMovesRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class FetchMovesResponse(_message.Message):
    __slots__ = ("moves_json", "replaced_seats")
    MOVES_JSON_FIELD_NUMBER: _ClassVar[int]
    REPLACED_SEATS_FIELD_NUMBER: _ClassVar[int]
    moves_json: str
    replaced_seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, moves_json: _Optional[str] = ..., replaced_seats: _Optional[_Iterable[int]] = ...) -> None: ...

class CollectMatchesRequest(_message.Message):
    __slots__ = ("matches", "seconds")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedScalarFieldContainer[str]
    seconds: float
    def __init__(self, matches: _Optional[_Iterable[str]] = ..., seconds: _Optional[float] = ...) -> None: ...

class CollectMatchesResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[FetchRecordResponse]
    def __init__(self, matches: _Optional[_Iterable[_Union[FetchRecordResponse, _Mapping]]] = ...) -> None: ...

class AcknowledgeRecordRequest(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: str
    def __init__(self, match: _Optional[str] = ...) -> None: ...

class AcknowledgeRecordResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HasBotsRequest(_message.Message):
    __slots__ = ("archive_sha256s",)
    ARCHIVE_SHA256S_FIELD_NUMBER: _ClassVar[int]
    archive_sha256s: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, archive_sha256s: _Optional[_Iterable[str]] = ...) -> None: ...

class HasBotsResponse(_message.Message):
    __slots__ = ("missing_sha256s",)
    MISSING_SHA256S_FIELD_NUMBER: _ClassVar[int]
    missing_sha256s: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, missing_sha256s: _Optional[_Iterable[str]] = ...) -> None: ...

class UploadBotRequest(_message.Message):
    __slots__ = ("archive_sha256", "chunk")
    ARCHIVE_SHA256_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    archive_sha256: str
    chunk: bytes
    def __init__(self, archive_sha256: _Optional[str] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadBotResponse(_message.Message):
    __slots__ = ("archive_bytes",)
    ARCHIVE_BYTES_FIELD_NUMBER: _ClassVar[int]
    archive_bytes: int
    def __init__(self, archive_bytes: _Optional[int] = ...) -> None: ...

class AdmitRemoteBotsRequest(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[RemoteBot]
    def __init__(self, bots: _Optional[_Iterable[_Union[RemoteBot, _Mapping]]] = ...) -> None: ...

class AdmitRemoteBotsResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RemoteBot(_message.Message):
    __slots__ = ("name", "token_sha256", "plays_no_more")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOKEN_SHA256_FIELD_NUMBER: _ClassVar[int]
    PLAYS_NO_MORE_FIELD_NUMBER: _ClassVar[int]
    name: str
    token_sha256: bytes
    plays_no_more: str
    def __init__(self, name: _Optional[str] = ..., token_sha256: _Optional[bytes] = ..., plays_no_more: _Optional[str] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[ConnectedBot]
    def __init__(self, bots: _Optional[_Iterable[_Union[ConnectedBot, _Mapping]]] = ...) -> None: ...

class ConnectedBot(_message.Message):
    __slots__ = ("program", "lane", "tables", "agent", "latency_seconds", "connected_seconds", "leaving", "games")
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    LATENCY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    program: str
    lane: str
    tables: int
    agent: str
    latency_seconds: float
    connected_seconds: int
    leaving: bool
    games: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, program: _Optional[str] = ..., lane: _Optional[str] = ..., tables: _Optional[int] = ..., agent: _Optional[str] = ..., latency_seconds: _Optional[float] = ..., connected_seconds: _Optional[int] = ..., leaving: _Optional[bool] = ..., games: _Optional[_Iterable[str]] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("process_id", "version", "wire_version", "sandbox_level", "sandbox_reason", "tables", "tables_limit", "draining", "house_bots", "remote_bots_sha256", "remote_address", "refused_calls", "missing_parts", "sandbox_trouble", "match_trouble")
    class RefusedCallsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    PROCESS_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WIRE_VERSION_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_REASON_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    TABLES_LIMIT_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    HOUSE_BOTS_FIELD_NUMBER: _ClassVar[int]
    REMOTE_BOTS_SHA256_FIELD_NUMBER: _ClassVar[int]
    REMOTE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_CALLS_FIELD_NUMBER: _ClassVar[int]
    MISSING_PARTS_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_TROUBLE_FIELD_NUMBER: _ClassVar[int]
    MATCH_TROUBLE_FIELD_NUMBER: _ClassVar[int]
    process_id: str
    version: str
    wire_version: int
    sandbox_level: SandboxLevel
    sandbox_reason: str
    tables: int
    tables_limit: int
    draining: bool
    house_bots: _containers.RepeatedCompositeFieldContainer[HouseBot]
    remote_bots_sha256: str
    remote_address: str
    refused_calls: _containers.ScalarMap[str, int]
    missing_parts: _containers.RepeatedScalarFieldContainer[str]
    sandbox_trouble: str
    match_trouble: str
    def __init__(self, process_id: _Optional[str] = ..., version: _Optional[str] = ..., wire_version: _Optional[int] = ..., sandbox_level: _Optional[_Union[SandboxLevel, str]] = ..., sandbox_reason: _Optional[str] = ..., tables: _Optional[int] = ..., tables_limit: _Optional[int] = ..., draining: _Optional[bool] = ..., house_bots: _Optional[_Iterable[_Union[HouseBot, _Mapping]]] = ..., remote_bots_sha256: _Optional[str] = ..., remote_address: _Optional[str] = ..., refused_calls: _Optional[_Mapping[str, int]] = ..., missing_parts: _Optional[_Iterable[str]] = ..., sandbox_trouble: _Optional[str] = ..., match_trouble: _Optional[str] = ...) -> None: ...

class HouseBot(_message.Message):
    __slots__ = ("name", "games")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    name: str
    games: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ...) -> None: ...
