"""The clock of one bot in one match.

Pure: it is told how long a decision took, and never looks at the time itself.

A decision is free up to `move_seconds`; what goes beyond comes out of the bank; no decision may take more
than `cap_seconds`. What a decision took is measured by an account (`accounts.py`): for a hosted bot it is the
CPU time of its sandbox, for others, with several tables open on one connection, `reply - max(sent, previous
reply)`, and for the oldest question what went by before others (`open_questions.py`). So a bot is charged for
its own thinking, once, and not for its other tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from stichkampf.errors import StichkampfError

LONGEST_SECONDS = 3600.0


class TimeControlError(StichkampfError):
    """A time control that makes no sense."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """How long a bot may think.

    :raises TimeControlError: a number is not finite, negative, above an hour, or the cap lies below the move
        time.
    """

    move_seconds: float = 2.0
    bank_seconds: float = 30.0
    cap_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name, least in (("move_seconds", 0.001), ("bank_seconds", 0.0), ("cap_seconds", 0.001)):
            seconds = getattr(self, name)
            if not math.isfinite(seconds) or not least <= seconds <= LONGEST_SECONDS:
                raise TimeControlError(
                    f"{name} must lie between {least:g} and {LONGEST_SECONDS:g}, not {seconds:g}"
                )
        if self.cap_seconds < self.move_seconds:
            raise TimeControlError(
                f"cap_seconds ({self.cap_seconds:g}) is less than move_seconds ({self.move_seconds:g})"
            )

    def to_json(self) -> dict[str, float]:
        return {
            "move_seconds": self.move_seconds,
            "bank_seconds": self.bank_seconds,
            "cap_seconds": self.cap_seconds,
        }


class Clock:
    """What is left of a bot's time in one match.

    :ivar bank_seconds: what is left in the bank.
    """

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.bank_seconds = control.bank_seconds

    def limit_seconds(self) -> float:
        """What the next decision may take."""
        return min(self.control.cap_seconds, self.control.move_seconds + self.bank_seconds)

    def charge(self, seconds: float, away_seconds: float = 0.0) -> bool:
        """Take the time of a decision off the bank; False if it was longer than `limit_seconds()`.

        :param away_seconds: for how long the bot was out of reach with the question open. The bank pays for
            that too, as far as it goes, but it makes no decision late.
        """
        in_time = seconds <= self.limit_seconds()
        beyond = max(0.0, seconds + away_seconds - self.control.move_seconds)
        self.bank_seconds = max(0.0, self.bank_seconds - beyond)
        return in_time
