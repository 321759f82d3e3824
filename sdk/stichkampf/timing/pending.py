"""The pending decisions of one stream: questions that wait for an answer, and the cost of the answers.

A bot is expected to answer its questions one by one, the oldest first. So every span in which any question is
open is charged once: to the question that is answered next, or, if a later one is answered first, to the
oldest for the time before that later one was asked. Answering out of turn gains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import mypyc_attr

from stichkampf.timing.time_accounts import TimeAccount

RESERVE_SECONDS: Final = 1.0
"""Twenty ticks of the arbiter; a message is read within three turns of its loop."""


@mypyc_attr(native_class=True)
class PendingDecision:
    """A question that was sent on a stream, or is about to be, and is not answered yet.

    :ivar number: number of the decision at its table.
    :ivar limit_seconds: time that the decision may take.
    :ivar spent_seconds: part of it that is used already, beside the time since the question was sent or the
        bot's last reply: on a lost stream, or before the bot answered a later question first.
    :ivar wall_seconds: time that it took on the wall clock, including the way over the network, but not the
        time for which the bot was out of reach.
    :ivar sent: time at which the writer sent it, on the monotonic clock; 0 before.
    :ivar stop: deadline, whatever the bot does: after its own limit and those of all decisions that were
        pending before it.
    :ivar left: time at which the connection was lost while the bot worked on it, on the monotonic clock; 0
        if it was not lost.
    :ivar lag_seconds: delays of the arbiter itself since it was sent (see its `connection/lateness.py`).
    """

    __slots__ = (
        "lag_seconds",
        "left",
        "limit_seconds",
        "number",
        "sent",
        "spent_seconds",
        "stop",
        "table",
        "wall_seconds",
    )

    def __init__(self, table: int, number: int, limit_seconds: float, spent_seconds: float = 0.0) -> None:
        self.table = table
        self.number = number
        self.limit_seconds = limit_seconds
        self.spent_seconds = spent_seconds
        self.wall_seconds = spent_seconds
        self.sent = 0.0
        self.stop = 0.0
        self.left = 0.0
        self.lag_seconds = 0.0


@mypyc_attr(native_class=True)
class PendingDecisions:
    """The pending decisions of a stream, in the order in which they were sent.

    :param account: measures the time that the bot is charged.
    """

    def __init__(self, account: TimeAccount) -> None:
        self._account = account
        self._open: dict[tuple[int, int], PendingDecision] = {}
        self._limit_seconds = 0.0

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, pending: PendingDecision) -> bool:
        return self._open.get((pending.table, pending.number)) is pending

    @property
    def oldest(self) -> PendingDecision | None:
        return next(iter(self._open.values()), None)

    def all(self) -> list[PendingDecision]:
        return list(self._open.values())

    def overdue(self, now: float) -> list[PendingDecision]:
        """Return the questions past their hard stop."""
        return [pending for pending in self._open.values() if now > pending.stop]

    def credit_lag(self, late_seconds: float) -> None:
        """Credit a delay of the arbiter to every pending decision, and to the account that measures them."""
        for pending in self._open.values():
            pending.lag_seconds += late_seconds
        if self._open:
            self._account.credit_lag(late_seconds)

    def long_overdue(self, now: float) -> list[PendingDecision]:
        """Return the questions that are overdue in spite of all delays of the arbiter."""
        return [
            pending
            for pending in self._open.values()
            if is_long_overdue(now - pending.sent, pending.stop - pending.sent, pending.lag_seconds)
        ]

    def was_kept_from_core(self, pending: PendingDecision, now: float) -> bool:
        """Tell whether the machine gave the bot no core for most of the time of a question that ends now."""
        return self._account.was_kept_from_core(pending.sent, now)

    def is_slow(self, oldest: PendingDecision, now: float) -> bool:
        """Tell whether the bot has exceeded the limit of its oldest question."""
        return self._account.is_over(oldest.sent, oldest.limit_seconds, now, oldest.spent_seconds)

    def postpone(self, seconds: float) -> None:
        """Move all deadlines: the arbiter froze the bot for this long, which is not charged."""
        for pending in self._open.values():
            pending.sent += seconds
            pending.stop += seconds
        self._account.postpone(seconds)

    def add(self, pending: PendingDecision, now: float) -> None:
        """Start the time of a question that is sent now."""
        pending.sent = now
        self._limit_seconds += pending.limit_seconds
        pending.stop = now + self._account.stop_seconds(self._limit_seconds)
        self._open[pending.table, pending.number] = pending

    def take(self, table: int, number: int) -> PendingDecision | None:
        """Remove and return a pending decision; None if it is not pending."""
        pending = self._open.pop((table, number), None)
        if pending is not None:
            still = self._limit_seconds - pending.limit_seconds
            self._limit_seconds = max(0.0, still) if self._open else 0.0
        return pending

    def drop(self, table: int) -> None:
        """Remove all pending decisions of a table."""
        for pending in [pending for pending in self._open.values() if pending.table == table]:
            self.take(pending.table, pending.number)

    def charge(self, taken: Sequence[PendingDecision], arrival: float) -> list[float]:
        """Return the cost in seconds of each of these decisions, whose answers arrived together."""
        sent = min([pending.sent for pending in taken])
        limit_seconds = min([pending.limit_seconds for pending in taken])
        self._charge_oldest(sent)
        wall = self._account.wall_seconds(sent, arrival)
        for pending in taken:
            pending.wall_seconds += wall / len(taken)
        share = self._account.charge(sent, arrival, limit_seconds) / len(taken)
        return [pending.spent_seconds + share for pending in taken]

    def give_up(self, pending: PendingDecision, now: float) -> float:
        """Remove a decision that is awaited no longer; return its cost in seconds."""
        self.take(pending.table, pending.number)
        self._charge_oldest(pending.sent)
        pending.wall_seconds += self._account.wall_seconds(pending.sent, now)
        return pending.spent_seconds + self._account.give_up(pending.sent, now, pending.limit_seconds)

    def leave(self, alive: float) -> None:
        """Remove all pending decisions of a lost stream.

        :param alive: the bot's last sign of life, on the monotonic clock.
        """
        self._charge_oldest(alive)
        if self.oldest is not None:
            self.oldest.left = max(alive, self.oldest.sent)
        self._open.clear()

    def _charge_oldest(self, until: float) -> None:
        """Charge time up to `until`, not charged elsewhere, to the oldest question."""
        oldest = self.oldest
        if oldest is not None:
            oldest.wall_seconds += self._account.wall_seconds(oldest.sent, until)
            oldest.spent_seconds += self._account.begun_seconds(oldest.sent, until)


def is_long_overdue(open_seconds: float, allowed_seconds: float, lag_seconds: float) -> bool:
    """Tell on a late tick whether a pending decision is overdue in spite of all delays of the arbiter.

    Its answer may have arrived and wait to be read. Within this time the arbiter has read several times since
    the deadline.

    :param open_seconds: time since the question was sent.
    :param allowed_seconds: time that the question may stay open.
    :param lag_seconds: delays of the arbiter since the question was sent.
    """
    return open_seconds - lag_seconds > 2 * allowed_seconds + RESERVE_SECONDS
