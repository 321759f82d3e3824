"""The ways in which a bot can fail, and how many failures a match forgives."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Final

FAULT_ALLOWANCE: Final = 2
"""Faults after which a bot still plays on. With the next one a substitute plays the rest of the match."""


class FaultKind(StrEnum):
    """A way in which a bot can fail, as match records spell it.

    A failure of the platform is no fault: it ends the match without a result.

    >>> FaultKind.RESOURCE_LIMIT == "resource-limit"
    True
    """

    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    CRASHED = "crashed"
    DISCONNECTED = "disconnected"
    RESOURCE_LIMIT = "resource-limit"
    RESIGNED = "resigned"


def forfeits(kinds: Collection[str], decisions: int, allowance: int = FAULT_ALLOWANCE) -> bool:
    """Tell whether these faults of a seat in one match forfeit it: too many, a resignation, or one at each of
    its decisions, so that no move was the bot's own.

    >>> forfeits(["timeout", "illegal"], 9), forfeits(["resigned"], 9), forfeits(["crashed", "crashed"], 2)
    (False, True, True)
    """
    return len(kinds) > allowance or FaultKind.RESIGNED in kinds or 0 < decisions <= len(kinds)
