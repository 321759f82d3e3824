"""Faults in words: what the bot did wrong, and what became of it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy
from stichkampf.faults import FaultKind

NAMES = {
    FaultKind.TIMEOUT: gettext_lazy("timeout"),
    FaultKind.ILLEGAL: gettext_lazy("forbidden action"),
    FaultKind.MALFORMED: gettext_lazy("unreadable answer"),
    FaultKind.CRASHED: gettext_lazy("crash"),
    FaultKind.DISCONNECTED: gettext_lazy("connection lost"),
    FaultKind.RESOURCE_LIMIT: gettext_lazy("limit exceeded"),
    FaultKind.RESIGNED: gettext_lazy("gave up"),
}
SAID = {
    FaultKind.TIMEOUT: gettext_lazy("it had no answer when its time was up"),
    FaultKind.ILLEGAL: gettext_lazy("its answer was an action that was not allowed here"),
    FaultKind.MALFORMED: gettext_lazy("its answer was no action of the game"),
    FaultKind.CRASHED: gettext_lazy("its program ended with an error, or never began"),
    FaultKind.DISCONNECTED: gettext_lazy("its connection was lost and did not come back in time"),
    FaultKind.RESOURCE_LIMIT: gettext_lazy(
        "it needed more memory, processes or disk space than a bot may have"
    ),
    FaultKind.RESIGNED: gettext_lazy("it gave up; the platform plays for it from here on"),
}


def said(kind: str) -> str:
    """Return the fault in words, without its subject; a kind that is not known is returned as it is."""
    return SAID.get(FaultKind(kind), kind) if kind in list(FaultKind) else kind


def name(kind: str) -> str:
    """Return the name of a kind of fault for pages; a kind that is not known is returned as it is."""
    return str(NAMES[FaultKind(kind)]) if kind in list(FaultKind) else kind
