from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CauseFound:
    """A cause of trouble.

    :ivar cause: a few words that name it, the same every time.
    :ivar seen: what was measured or answered.
    :ivar advice: what to do.
    :ivar grave: something does not work because of it; otherwise it is a note.
    """

    cause: str
    seen: str
    advice: str
    grave: bool = True

    def __str__(self) -> str:
        return f"{'BAD ' if self.grave else 'NOTE'}  {self.cause}: {self.seen}\n      {self.advice}"
