"""Places at work: so many threads, each of which keeps one connection to the database, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.db import close_old_connections

WAIT_SECONDS = 4.0
"""So long a request waits for a place. Then it hears that there are too many visitors."""

Made = TypeVar("Made")


class NoPlace(Exception):
    """No place became free in time, or the visitor went away first."""


@dataclass
class Job:
    """A deed that waits for a place or has one, and how many wait for its outcome."""

    outcome: Future[Any]
    waiting: int = 0


class Places:
    """So many requests are at work at once; the others wait in the order in which they came."""

    def __init__(self, number: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._not_begun: dict[Hashable, Job] = {}

    async def work(
        self, deed: Callable[[], Made], *, gone: asyncio.Future[Any], same: Hashable | None = None
    ) -> Made:
        """The outcome of `deed`, once a place is free for it.

        `gone` is done when the visitor has left: what only that visitor waited for and has not begun is then
        forgotten. Deeds that are the `same` are done once for all who ask before it is begun.

        :raises NoPlace: the deed was not begun.
        """
        job = self._not_begun.get(same) or self._submit(deed, same)
        job.waiting += 1
        outcome = asyncio.wrap_future(job.outcome)
        await asyncio.wait({outcome, gone}, timeout=WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        job.waiting -= 1
        if not job.waiting and job.outcome.cancel():
            self._not_begun.pop(same, None)
        if job.outcome.cancelled() or not (job.outcome.running() or job.outcome.done()):
            raise NoPlace
        return await outcome

    def _submit(self, deed: Callable[[], Made], same: Hashable | None) -> Job:
        def begin() -> Made:
            if same is not None:
                self._not_begun.pop(same, None)
            return deed()

        job = Job(Future())
        if same is not None:
            self._not_begun[same] = job  # first, because `begin` takes it out again in its thread
        job.outcome = self._threads.submit(begin)
        return job

    async def go_on(self, deed: Callable[[], Made]) -> Made:
        """The outcome of `deed`, a further part of an answer that has begun; it waits as long as it must."""

        def part() -> Made:
            close_old_connections()
            try:
                return deed()
            finally:
                close_old_connections()

        return await asyncio.get_running_loop().run_in_executor(self._threads, part)


PAGES = Places(settings.SITE_PLACES, "page")
HEALTH = Places(1, "health")
"""Whether the site is well can be asked however many visitors it has."""
LOGS = Places(1, "log")
"""For who watches a log grow: each looks twice a second, and none of them keeps a page waiting."""
