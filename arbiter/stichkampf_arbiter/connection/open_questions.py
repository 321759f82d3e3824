"""The questions of one stream that wait for an answer, and what the answers cost.

A bot is held to work off its questions one by one, the oldest first. So every span in which any is open is
charged once: to the question that is answered next, or, if a later one is answered first, to the oldest for
the time before that later one was asked. Nothing is won by answering out of turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from stichkampf_arbiter.connection.pending import Asked
from stichkampf_arbiter.connection.time_accounts import Account

# Twenty ticks of the arbiter, and a message is read within three turns of its loop.
SPARE_SECONDS = 1.0


class OpenQuestions:
    """In the order in which they were sent.

    :param account: measures what the bot is charged.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._open: dict[tuple[int, int], Asked] = {}
        self._limit_seconds = 0.0

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, asked: Asked) -> bool:
        return self._open.get((asked.table, asked.number)) is asked

    @property
    def oldest(self) -> Asked | None:
        return next(iter(self._open.values()), None)

    def all(self) -> list[Asked]:
        return list(self._open.values())

    def overdue(self, now: float) -> list[Asked]:
        """Those that are over whatever the bot does."""
        return [asked for asked in self._open.values() if now > asked.stop]

    def long_overdue(self, now: float, late_seconds: float) -> list[Asked]:
        """Credit a delay of the arbiter to all of them; those that are over in spite of all such delays.

        Their answers may have come and wait to be read. So they have twice the time that they may stay open,
        and some more, in which the arbiter has read several times what came.
        """
        for asked in self._open.values():
            asked.lag_seconds += late_seconds
        return [
            asked
            for asked in self._open.values()
            if now - asked.sent - asked.lag_seconds > 2 * (asked.stop - asked.sent) + SPARE_SECONDS
        ]

    def was_kept(self, asked: Asked, now: float) -> bool:
        """Whether the machine kept the bot from a core for most of the time of a question that ends now."""
        return self._account.was_kept(asked.sent, now)

    def is_slow(self, oldest: Asked, now: float) -> bool:
        """Whether the bot has taken more than it may for its oldest question."""
        return self._account.is_over(oldest.sent, oldest.limit_seconds, now, oldest.spent_seconds)

    def postpone(self, seconds: float) -> None:
        """The bot stood still for so long, which is nobody's time."""
        for asked in self._open.values():
            asked.sent += seconds
            asked.stop += seconds
        self._account.postpone(seconds)

    def add(self, asked: Asked, now: float) -> None:
        """A question is sent."""
        asked.sent = now
        self._limit_seconds += asked.limit_seconds
        asked.stop = now + self._account.stop_seconds(self._limit_seconds)
        self._open[asked.table, asked.number] = asked

    def take(self, table: int, number: int) -> Asked | None:
        """The question of this number, open no longer; None if it is not."""
        asked = self._open.pop((table, number), None)
        if asked is not None:
            still = self._limit_seconds - asked.limit_seconds
            self._limit_seconds = max(0.0, still) if self._open else 0.0
        return asked

    def drop(self, table: int) -> None:
        """The questions of a table are open no longer."""
        for asked in [asked for asked in self._open.values() if asked.table == table]:
            self.take(asked.table, asked.number)

    def charge(self, taken: Sequence[Asked], arrival: float) -> list[float]:
        """What the answers to these cost, which came together; in seconds."""
        sent = min(asked.sent for asked in taken)
        limit_seconds = min(asked.limit_seconds for asked in taken)
        self._charge_oldest(sent)
        wall = self._account.wall_seconds(sent, arrival)
        for asked in taken:
            asked.wall_seconds += wall / len(taken)
        share = self._account.charge(sent, arrival, limit_seconds) / len(taken)
        return [asked.spent_seconds + share for asked in taken]

    def give_up(self, asked: Asked, now: float) -> float:
        """Nobody waits for it any longer; what it cost, in seconds."""
        self.take(asked.table, asked.number)
        self._charge_oldest(asked.sent)
        asked.wall_seconds += self._account.wall_seconds(asked.sent, now)
        return asked.spent_seconds + self._account.give_up(asked.sent, now, asked.limit_seconds)

    def leave(self, alive: float) -> None:
        """The stream is lost; the bot gave its last sign of life then."""
        self._charge_oldest(alive)
        if self.oldest is not None:
            self.oldest.left = max(alive, self.oldest.sent)
        self._open.clear()

    def _charge_oldest(self, until: float) -> None:
        """What went by until then, and is charged to no other, the bot used for its oldest question."""
        oldest = self.oldest
        if oldest is not None:
            oldest.wall_seconds += self._account.wall_seconds(oldest.sent, until)
            oldest.spent_seconds += self._account.begun_seconds(oldest.sent, until)
