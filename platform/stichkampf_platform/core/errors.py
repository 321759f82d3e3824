"""The errors of the platform. Pages and API show their messages."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from stichkampf.errors import StichkampfError

BUSY = gettext_lazy("The database is busy or cannot be reached. Try again in a few seconds.")
CROWDED = gettext_lazy("The site has too many visitors at once. Try again in a few seconds.")
TOO_LONG = gettext_lazy("This took longer than a request may take, so it was ended and nothing was changed.")
BUSY_SECONDS = 5


class PlatformError(StichkampfError):
    """The base of the platform's own errors."""


class RequestRefused(PlatformError):
    """A request that the rules of the platform do not allow."""


class NeedsYes(RequestRefused):
    """A request that is a slip in most cases, and is done when it says that it is none."""


class NotAllowed(RequestRefused):
    """A request that this person may not make, whatever is in it."""


class TooMany(RequestRefused):
    """More of something than one person or address may have for now.

    :param what: of what, such as "tokens".
    :param seconds: after which it may be tried again.
    """

    def __init__(self, what: str, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(
            _("Too many {what}. Try again in {seconds}.").format(what=what, seconds=duration(seconds))
        )


class DiskFull(PlatformError):
    """No room for what was sent; the platform's trouble, not the sender's."""


class StoreAway(OSError):
    """The store does not answer, or refuses; the file may well be there."""


class NotShown(PlatformError):
    """Something hidden until the last table of its block has ended, or that is not there at all."""


class RecordUnreadable(PlatformError):
    """A record that is open, but whose file is missing or damaged. The log names the file."""


class RecordAway(RecordUnreadable):
    """A record that the store does not give at the moment. Try again later."""


class RecordDeleted(RecordUnreadable):
    """A record that was deleted when its time was over, as the installation's settings ask."""


class ArbiterGone(PlatformError):
    """The arbiter cannot be reached, or forgot its matches. Try again later."""


class MatchForgotten(ArbiterGone):
    """The arbiter is there, and knows no match or archive of this name. Start the match again."""


class ArbiterBusy(ArbiterGone):
    """All tables of the arbiter are taken. Try again soon."""


class ArchiveAway(ArbiterGone):
    """An archive that the store does not give, so that the arbiter cannot get it. Try again later."""


class MatchFailed(PlatformError):
    """The arbiter could not play a match although it was there, through no fault of a bot: play it again."""


def duration(seconds: int) -> str:
    """Return a time to wait in words: `34 seconds`, `5 minutes`, `3 hours`; rounded up."""
    if seconds > 2 * 3600:
        return _("{count} hours").format(count=-(-seconds // 3600))
    if seconds > 2 * 60:
        return _("{count} minutes").format(count=-(-seconds // 60))
    return ngettext("{count} second", "{count} seconds", seconds).format(count=seconds)
