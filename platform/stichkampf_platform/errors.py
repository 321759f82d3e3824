"""The errors of the platform. Pages and API show their messages."""

from __future__ import annotations

from stichkampf.errors import StichkampfError

BUSY = "The database is busy or away. Try again in some seconds."
BUSY_SECONDS = 5


class PlatformError(StichkampfError):
    """The base of the platform's own errors."""


class Refused(PlatformError):
    """A request that the rules of the platform do not allow."""


class NotOpenYet(PlatformError):
    """Something of a block whose last table has not ended."""


class RecordUnreadable(PlatformError):
    """A record that is open, but whose file is missing or damaged. The log names the file."""


class ArbiterGone(PlatformError):
    """The arbiter cannot be reached, or forgot its matches. Nobody's fault: try again."""


class MatchFailed(PlatformError):
    """The arbiter could not play a match although it was there. Nobody's fault: play it anew."""
