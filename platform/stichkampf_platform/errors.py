"""The errors of the platform. Pages and API show their messages."""

from __future__ import annotations

from stichkampf.errors import StichkampfError


class PlatformError(StichkampfError):
    """The base of the platform's own errors."""


class Refused(PlatformError):
    """A request that the rules of the platform do not allow."""


class NotOpenYet(PlatformError):
    """Something of a block whose last table has not ended."""


class ArbiterGone(PlatformError):
    """The arbiter cannot be reached, or forgot its matches. Nobody's fault: try again."""


class MatchFailed(PlatformError):
    """The arbiter could not play a match although it was there. Nobody's fault: play it anew."""
