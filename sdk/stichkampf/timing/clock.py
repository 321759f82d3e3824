"""The clock of one bot in one match.

Pure: it is told the time of each decision, and never looks at the time itself.

A decision is free up to `move_seconds`; time beyond that comes out of the bank; no decision may take more
than `cap_seconds`. The time of a decision is measured by a time account (`time_accounts.py`): for a hosted
bot it is the CPU time of its sandbox; for other bots, with several tables open on one connection, it is
`reply - max(sent, previous reply)`, and the oldest question also pays for the time that passed before others
were asked (the arbiter's `pending.py`). So a bot is charged for its own thinking, once, and not for its other
tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from mypy_extensions import mypyc_attr

from stichkampf import limits
from stichkampf.time_control import TimeControl


@mypyc_attr(native_class=True)
class Clock:
    """The remaining time of a bot in one match.

    :ivar bank_seconds: time left in the bank.
    """

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank_seconds = control.bank_seconds

    def limit_seconds(self) -> float:
        """Return the time that the next decision may take."""
        return min(self.control.cap_seconds, self.control.move_seconds + self.bank_seconds)

    def charge(self, seconds: float, away_seconds: float = 0.0) -> bool:
        """Take the time of a decision off the bank; return False if it was longer than `limit_seconds()`.

        :param away_seconds: time for which the bot was out of reach with the question open. The bank pays for
            that too, as far as it goes, but it makes no decision late.
        """
        in_time = seconds <= self.limit_seconds()
        beyond = max(0.0, seconds + away_seconds - self.control.move_seconds)
        self.bank_seconds = max(0.0, self.bank_seconds - beyond)
        return in_time


def too_long(charged: str, seconds: float, limit_seconds: float, legal: Sequence[str]) -> str:
    """Return the message to the owner about a timeout: the limit that was exceeded, and the question.

    :param charged: the kind of time that the clock counts, "cpu" or "wall".
    """
    allowed = f"{limit_seconds:.2f} s allowed"
    if charged == "cpu":
        free = f"{limits.FREE_WAIT_FACTOR:g} x CPU time + {limits.FREE_WAIT_SECONDS:g} s"
        allowed += f"; waiting beyond {free} is charged too"
    used = f"{seconds:.2f} s of {charged} time used"
    return f"timeout: {used}, {allowed}; legal were {', '.join(legal)}"
