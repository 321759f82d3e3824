"""Faults in words: what the bot did wrong, and what became of it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy
from stichkampf.faults import FaultKind

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
