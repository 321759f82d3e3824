"""The assignment of a bot process to a seat of a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from stichkampf.faults import FaultKind
from stichkampf.time_control import TimeControl

from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.output_counts import PrintedBytes


class SeatProgram(Protocol):
    """The bot process behind a seat."""

    async def why_lost(self) -> FaultKind | None:
        """Return the fault that the loss of its stream means; None for a failure of the platform."""


class Reconnectable(Protocol):
    """A bot that may lose its connection and reconnect.

    :ivar forgiven_outages: outages with a question open that cost it nothing.
    """

    forgiven_outages: float

    async def wait_for_reconnect(self) -> BotStream | None:
        """Return the stream on which its table resumes; None if it does not reconnect in time."""


@dataclass(frozen=True, kw_only=True)
class SeatAssignment:
    """The bot process of a seat.

    :ivar stream: its stream; None if the bot is not at the table. Then `fault` is the kind of its fault, and
        `reason` a message to its owner.
    :ivar bot: name of the bot in a process that holds several; else "".
    :ivar reconnectable: waits for the bot if its stream is lost; None if the loss ends its part.
    :ivar control: its own time control; None for that of the match.
    :ivar match: the key of the match where a person sits, who is told of every event at once; else "".
    :ivar printed_bytes: counts what the bot has printed; None where the bot's output is not read.
    """

    program: SeatProgram
    stream: BotStream | None
    bot: str = ""
    reconnectable: Reconnectable | None = None
    control: TimeControl | None = None
    match: str = ""
    printed_bytes: PrintedBytes | None = None
    fault: FaultKind = FaultKind.CRASHED
    reason: str = "the bot was not at the table when the match began"
