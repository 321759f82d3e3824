"""Faults in words: what the bot did wrong, and what became of it."""

from __future__ import annotations

from stichkampf.faults import FaultKind

SAID = {
    FaultKind.TIMEOUT: "it had no answer when its time was up",
    FaultKind.ILLEGAL: "its answer was an action that was not allowed here",
    FaultKind.MALFORMED: "its answer was no action of the game",
    FaultKind.CRASHED: "its program ended with an error, or never began",
    FaultKind.DISCONNECTED: "its connection was lost and did not come back in time",
    FaultKind.RESOURCE_LIMIT: "it needed more memory, processes or disk space than a bot may have",
    FaultKind.RESIGNED: "it gave up; the platform plays for it from here on",
}


def said(kind: str) -> str:
    """Return the fault in words, without its subject; a kind that is not known is returned as it is."""
    return SAID.get(FaultKind(kind), kind) if kind in list(FaultKind) else kind
