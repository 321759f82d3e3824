"""The round trip to a remote bot, and the allowance that keeps it out of the bot's time. Pure.

The allowance for both ways together is the measured round trip plus `REMOTE_JITTER_SECONDS` for either way,
but never more than `REMOTE_ALLOWANCE_SECONDS`, nor than `SHARE` of the limit of the decision. A question
counts as begun half the allowance after it was sent, or with the arrival of the reply before; a reply counts
as given half the allowance before it arrived (`WallAccount`). Two things follow, whatever the bot says about
itself:

- A decision within its limit is in time as long as either way takes at most half the allowance.
- A decision that takes twice its limit is too late, because the allowance is less than the limit. With
  several open tables this requires that the reply before was on its way for less than the limit minus half
  the allowance.
"""

from __future__ import annotations

from stichkampf import limits

SHARE = 0.9


class RoundTrip:
    """The round trip of one stream, smoothed as TCP does (RFC 6298, section 2).

    A bot can lengthen it by delaying its pongs; the bounds of the allowance limit its gain.

    :ivar seconds: smoothed round trip; 0 before the first measurement.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._variation_seconds: float | None = None

    def note(self, seconds: float) -> None:
        """Take in the round trip of one ping."""
        if self._variation_seconds is None:
            self.seconds, self._variation_seconds = seconds, seconds / 2
        else:
            difference = abs(self.seconds - seconds)
            self._variation_seconds += (difference - self._variation_seconds) / 4
            self.seconds += (seconds - self.seconds) / 8

    def allowance_seconds(self, limit_seconds: float) -> float:
        """Return the time granted to both ways together for a decision of this limit.

        Before the first measurement it is the largest possible.
        """
        most = min(limits.REMOTE_ALLOWANCE_SECONDS, SHARE * limit_seconds)
        if self._variation_seconds is None:
            return most
        return min(most, 2 * limits.REMOTE_JITTER_SECONDS + self.seconds + 4 * self._variation_seconds)
