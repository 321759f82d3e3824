"""What the way over the network costs a remote bot, and how it is kept out of its time. Pure.

The allowance for the way there and back is what the network may add (`REMOTE_JITTER_SECONDS` either way) plus
the measured round trip, but never more than `REMOTE_ALLOWANCE_SECONDS`, nor than `SHARE` of the limit of the
decision. A question counts as begun half the allowance after it was sent, or with the arrival of the reply
before; a reply counts as given half the allowance before it arrived. Two things follow, whatever the bot says
about itself:

- A decision within its limit is in time as long as either way takes at most half the allowance.
- One that takes twice its limit is too late, because the allowance is less than the limit. Among several open
  tables this needs the reply before to have been on its way for less than the limit minus half the allowance.
"""

from __future__ import annotations

from stichkampf import limits

SHARE = 0.9


class RoundTrip:
    """The round trip of one stream, smoothed as TCP does (RFC 6298, section 2).

    A bot that delays its pongs stretches it, and gains what the limits of the allowance leave.

    :ivar seconds: the smoothed round trip; 0 before the first measurement.
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
        """What a decision of this limit may spend on the way there and back.

        Before the first measurement it is as much as it can ever be.
        """
        most = min(limits.REMOTE_ALLOWANCE_SECONDS, SHARE * limit_seconds)
        if self._variation_seconds is None:
            return most
        return min(most, 2 * limits.REMOTE_JITTER_SECONDS + self.seconds + 4 * self._variation_seconds)


class RemoteAccount:
    """Serial accounting on the wall clock, less the way over the network."""

    kind = "wall"

    def __init__(self, round_trip: RoundTrip) -> None:
        self._round_trip = round_trip
        self._previous_reply = 0.0

    def open(self, now: float) -> None:
        pass

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        seconds = self._used(sent, arrival, limit_seconds)
        self._previous_reply = max(arrival, self._previous_reply)
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        return spent_seconds + self._used(sent, now, limit_seconds) > limit_seconds

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def stop_seconds(self, limit_seconds: float) -> float:
        return limit_seconds + self._round_trip.allowance_seconds(limit_seconds)

    def was_kept(self, sent: float, now: float) -> bool:
        return False

    def postpone(self, seconds: float) -> None:
        pass

    def begun_seconds(self, sent: float, until: float) -> float:
        return self.wall_seconds(sent, until)

    def wall_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._previous_reply))

    def _used(self, sent: float, arrival: float, limit_seconds: float) -> float:
        way = self._round_trip.allowance_seconds(limit_seconds) / 2
        return max(0.0, arrival - way - max(sent + way, self._previous_reply))
