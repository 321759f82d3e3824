"""Answers to questions: the time that they took, the reason why one is a fault, and who answers instead."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from stichkampf.faults import FaultKind
from stichkampf.match.events import Event


class TimeTaken(NamedTuple):
    """The duration of a decision, in seconds.

    :ivar cost: charged to the bot.
    :ivar wall: passed on the wall clock.
    """

    cost: float
    wall: float


class Rejection(NamedTuple):
    """The reason why an answer is a fault.

    :ivar reason: for the owner of the bot.
    """

    kind: FaultKind
    reason: str


class Substitute(Protocol):
    """A stand-in for a bot, with the knowledge of its seat only."""

    def choose(self, events: list[Event], legal: list[str]) -> str:
        """Return one of the legal words.

        :param events: everything that the seat has seen since the last call; at the first call, since the
            match began.
        """
