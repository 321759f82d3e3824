"""An open question on a stream, and who waits for its answer."""

from __future__ import annotations

from typing import Protocol

from stichkampf.wire.v1 import bot_pb2 as pb


class Player(Protocol):
    """What a stream tells the match about one of its seats."""

    def answered(self, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        """An answer to the open question; `seconds` is what the bot is charged."""

    def timed_out(self, asked: Asked, seconds: float) -> None:
        """The open question was not answered in time."""

    def kept_from_core(self, asked: Asked) -> None:
        """The open question ended unanswered, and for most of its time the machine gave the bot no core."""

    def stale(self) -> None:
        """An answer that nobody waits for."""

    def lost(self) -> None:
        """The stream is gone. Nothing follows."""


class Asked:
    """An open question on the stream.

    :ivar number: the number of the decision at its table.
    :ivar limit_seconds: what the decision may take.
    :ivar spent_seconds: what the bot has used of it, beside what it uses since it was sent or gave its last
        reply: on a stream that was lost, or before it answered a later question first.
    :ivar wall_seconds: how long it took on the wall clock, also on the way over the network, but not while
        the bot was out of reach.
    :ivar sent: when the writer sent it, on the monotonic clock; 0 while it is not sent.
    :ivar stop: when it is over whatever the bot does: after its own limit and those of all that were open
        before it.
    :ivar left: when the line was lost on which the bot was at work on it, on the monotonic clock; 0 if it was
        not.
    :ivar lag_seconds: for how long the arbiter itself was late while it was open.
    """

    __slots__ = (
        "lag_seconds",
        "left",
        "limit_seconds",
        "number",
        "player",
        "sent",
        "spent_seconds",
        "stop",
        "table",
        "wall_seconds",
    )

    def __init__(
        self, player: Player, table: int, number: int, limit_seconds: float, spent_seconds: float
    ) -> None:
        self.player = player
        self.table = table
        self.number = number
        self.limit_seconds = limit_seconds
        self.spent_seconds = spent_seconds
        self.wall_seconds = spent_seconds
        self.sent = 0.0
        self.stop = 0.0
        self.left = 0.0
        self.lag_seconds = 0.0
