"""Places at work: so many threads, each of which keeps one connection to the database, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.conf import settings
from django.db import close_old_connections

WAIT_SECONDS = 4.0
"""So long a request waits for a place. Then it hears that there are too many visitors."""

Made = TypeVar("Made")


class NoPlace(Exception):
    """No place became free in time, or the visitor went away first."""


class Places:
    """So many requests are at work at once; the others wait in the order in which they came."""

    def __init__(self, number: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(number, thread_name_prefix=name)

    async def work(self, deed: Callable[[], Made], *, gone: asyncio.Future[Any]) -> Made:
        """The outcome of `deed`, once a place is free for it.

        `gone` is done when the visitor has left: then what has not begun is forgotten.

        :raises NoPlace: the deed was not begun.
        """
        job = self._threads.submit(deed)
        outcome = asyncio.wrap_future(job)
        await asyncio.wait({outcome, gone}, timeout=WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if job.cancel():
            raise NoPlace
        return await outcome

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
