"""Tokens and money that a language model costs, with a limit, and a log of every request."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from io import RawIOBase
from pathlib import Path
from threading import Lock
from types import TracebackType

from stichkampf.lab.language_model.endpoint import Completion

MILLION = 1_000_000


class Spending:
    """The requests of all tables together. Threads may share one.

    :param token_limit: the most tokens, of prompts and answers together; None for no limit.
    :param prices: of a million tokens of prompts and of answers, in any currency.
    :param log: a file to which each request adds a line of JSON.
    :param when_spent: called once, when the limit is reached.
    :param when_unlogged: called once, with the reason, when the log cannot be written any more; play goes on.

    >>> spending = Spending(token_limit=1000, prices=(2.0, 8.0))
    >>> spending.add(Completion("1", 900, 100, 1.5))
    >>> spending.is_spent, str(spending)
    (True, '1 request, 900 tokens sent, 100 received, cost 0.0026')
    """

    def __init__(
        self,
        *,
        token_limit: int | None = None,
        prices: tuple[float, float] | None = None,
        log: Path | None = None,
        when_spent: Callable[[], None] | None = None,
        when_unlogged: Callable[[str], None] | None = None,
    ) -> None:
        self._limit = token_limit
        self._prices = prices
        self._when_spent = when_spent
        self._when_unlogged = when_unlogged
        self._lock = Lock()
        self._resources = ExitStack()
        self._log: RawIOBase | None = None
        if log is not None:
            self._log = self._resources.enter_context(log.open("ab", buffering=0))
        self.requests = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def __enter__(self) -> Spending:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    @property
    def is_spent(self) -> bool:
        """True when the limit is reached; nothing should be asked any more."""
        return self._limit is not None and self.prompt_tokens + self.completion_tokens >= self._limit

    @property
    def cost(self) -> float | None:
        """The money spent, in the currency of the prices; None without prices."""
        if self._prices is None:
            return None
        sent, received = self._prices
        return (self.prompt_tokens * sent + self.completion_tokens * received) / MILLION

    def add(self, reply: Completion) -> None:
        """Count a request that was answered."""
        with self._lock:
            before = self.is_spent
            self.requests += 1
            self.prompt_tokens += reply.prompt_tokens
            self.completion_tokens += reply.completion_tokens
            reached = self.is_spent and not before
        if reached and self._when_spent is not None:
            self._when_spent()

    def note(self, **fields: object) -> None:
        """Add a line to the log, with the time in UTC; nothing where there is no log."""
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="seconds"), **fields})
        with self._lock:
            if self._log is None:
                return
            try:
                self._log.write(f"{line}\n".encode())
            except OSError as error:
                self._log = None
                reason = error.strerror or str(error)
            else:
                return
        if self._when_unlogged is not None:
            self._when_unlogged(reason)

    def __str__(self) -> str:
        told = f"{self.requests} request{'' if self.requests == 1 else 's'}, {self.prompt_tokens} tokens sent"
        cost = "" if self.cost is None else f", cost {self.cost:.4g}"
        return f"{told}, {self.completion_tokens} received{cost}"
