"""The clock of one bot in one match.

Pure: it is told how long a decision took, and never looks at the time itself.

A decision is free up to `move_seconds`; what goes beyond comes out of the bank; no decision may take more
than `cap_seconds`. What a decision took is measured by an account (`accounts.py`): for a hosted bot it is the
CPU time of its sandbox, for others, with several tables open on one connection, `reply - max(sent, previous
reply)`, and for the oldest question what went by before others (`open_questions.py`). So a bot is charged for
its own thinking, once, and not for its other tables.
"""

from __future__ import annotations

from stichkampf.time_control import TimeControl


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
