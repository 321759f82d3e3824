"""Limit on the answers that a bot may send: a token bucket.

Every question allows one answer. Beyond that a bot may send a few, which are read slowly, and that reserve
refills slowly too; more is a flood. The limit counts answers, not messages, because one message can hold
thousands of them.
"""

from __future__ import annotations

from time import monotonic

SPARE_ANSWERS = 100.0
SPARE_ANSWERS_A_SECOND = 20.0


class FloodError(Exception):
    """A bot sends far more answers than it was asked for."""


class AnswerLimit:
    """The answers that one stream may still send.

    :param most_questions: the largest number of questions ever open at once.
    """

    def __init__(self, most_questions: int) -> None:
        self._most = SPARE_ANSWERS + most_questions
        self._left = SPARE_ANSWERS
        self._refilled = monotonic()

    def add(self, questions: int) -> None:
        """Allow one answer for each of these questions.

        Answers to a cancelled table may still be on their way, so they are not taken back.
        """
        self._left = min(self._left + questions, self._most)

    @property
    def is_exceeded(self) -> bool:
        """True if the bot has lately sent more answers than it was asked for."""
        return self._left < SPARE_ANSWERS

    def take(self, answers: int) -> None:
        """Count answers that arrived.

        :raises FloodError: the reserve is used up.
        """
        self._left -= answers
        if self.is_exceeded:
            now = monotonic()
            refill = (now - self._refilled) * SPARE_ANSWERS_A_SECOND
            self._left = min(SPARE_ANSWERS, self._left + min(SPARE_ANSWERS, refill))
            self._refilled = now
            if self._left < 0:
                raise FloodError("more answers than questions")
