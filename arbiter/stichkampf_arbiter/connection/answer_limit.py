"""How many answers a bot may send.

Every question earns one answer. Beyond that a bot may send a few, which are read slowly, and that right
refills slowly too; more is a flood. Answers count and not messages, because one message holds thousands of
them.
"""

from __future__ import annotations

from time import monotonic

SPARE_ANSWERS = 100.0
SPARE_ANSWERS_A_SECOND = 20.0


class FloodError(Exception):
    """A bot sends far more than it was asked for."""


class SpareAnswers:
    """What one stream may still send.

    :param most_questions: that are ever open at once.
    """

    def __init__(self, most_questions: int) -> None:
        self._most = SPARE_ANSWERS + most_questions
        self._left = SPARE_ANSWERS
        self._refilled = monotonic()

    def earn(self, questions: int) -> None:
        """So many questions were sent. Tables that are cancelled leave answers on their way, so what was
        earned is kept.
        """
        self._left = min(self._left + questions, self._most)

    @property
    def overdrawn(self) -> bool:
        """Whether the bot has lately sent more than it was asked for."""
        return self._left < SPARE_ANSWERS

    def spend(self, answers: int) -> None:
        """
        :raises FloodError: these are too many.
        """
        self._left -= answers
        if self.overdrawn:
            now = monotonic()
            refill = (now - self._refilled) * SPARE_ANSWERS_A_SECOND
            self._left = min(SPARE_ANSWERS, self._left + min(SPARE_ANSWERS, refill))
            self._refilled = now
            if self._left < 0:
                raise FloodError("more answers than questions")
