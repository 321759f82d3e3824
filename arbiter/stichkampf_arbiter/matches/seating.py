"""Who takes a seat of a match: a bot process, and the stream that leads to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from stichkampf.faults import FaultKind

from stichkampf_arbiter.connection.stream import BotStream


class Program(Protocol):
    """The bot process behind a seat."""

    async def why_lost(self) -> FaultKind | None:
        """What the loss of its stream is: a fault of the bot, or None for a failure of the platform."""


class Returning(Protocol):
    """A bot that may lose its line and come back."""

    async def come_back(self) -> BotStream | None:
        """The stream on which it takes up its table; None if it does not come in time."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Who takes a seat.

    :ivar stream: None if the bot is not at the table; then `fault` says in which way, and `reason` tells its
        owner.
    :ivar bot: the name of the bot in its process, where that holds several; else "".
    :ivar returning: where the bot is waited for when its stream is lost; None where that ends its part.
    """

    program: Program
    stream: BotStream | None
    bot: str = ""
    returning: Returning | None = None
    fault: FaultKind = FaultKind.CRASHED
    reason: str = "the bot was not at the table when the match began"
