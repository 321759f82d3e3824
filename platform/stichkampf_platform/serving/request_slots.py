"""Slots for requests: a fixed number of threads, each of which keeps one connection to the database."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.db import close_old_connections

from stichkampf_platform.serving.endable_tasks import EndableTask

END_AGAIN_SECONDS = 0.2
REQUEST_SECONDS = 60.0
"""The longest time in which an answer is made. Then its work ends, as it does when the visitor leaves."""
WAIT_SECONDS = 4.0
"""The longest wait of a request for a slot. Then it is answered that there are too many visitors."""

Outcome = TypeVar("Outcome")


class NoFreeSlot(Exception):
    """No slot became free in time, or the visitor left first."""


class TookTooLong(Exception):
    """The answer was not made in `REQUEST_SECONDS`, and the work on it was ended."""


@dataclass
class SharedTask:
    """A task in a slot or waiting for one, and the number of requests that wait for its outcome."""

    outcome: Future[Any]
    work: EndableTask[Any]
    waiting: int = 0


class FairQueue:
    """Work that waits, of which each address has one in turn, its oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[Callable[[], None]]] = OrderedDict()

    def put(self, address: str, work: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.setdefault(address, deque()).append(work)

    def run_next(self) -> None:
        with self._lock:
            address, own = self._waiting.popitem(last=False)
            work = own.popleft()
            if own:
                self._waiting[address] = own
        work()


class RequestSlots:
    """A fixed number of requests is answered at once; the others wait, and addresses take turns."""

    def __init__(self, number: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._queue = FairQueue()
        self._not_begun: dict[Hashable, SharedTask] = {}

    async def run(
        self,
        task: Callable[[], Outcome],
        *,
        gone: asyncio.Future[Any],
        same: Hashable | None = None,
        address: str = "",
        drop: Callable[[Outcome], object] = lambda _: None,
    ) -> Outcome:
        """Run `task` in a slot and return its outcome.

        :param gone: done when the visitor has left. A task that no other visitor waits for is then dropped
            or ended.
        :param same: a key of tasks with the same outcome. Requests that arrive before such a task has begun
            share it.
        :param address: of the visitor; one with many requests keeps those of others waiting for one at most.
        :param drop: called with an outcome that comes when no visitor waits for it any more.
        :raises NoFreeSlot: the task was not begun, or has no visitor any more.
        :raises TookTooLong: it was ended after `REQUEST_SECONDS`.
        """
        job = self._not_begun.get(same) or self._submit(task, same, address)
        job.waiting += 1
        outcome = asyncio.wrap_future(job.outcome)
        await asyncio.wait({outcome, gone}, timeout=WAIT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if job.outcome.running() and not gone.done():
            await asyncio.wait({outcome, gone}, timeout=REQUEST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        job.waiting -= 1
        if outcome.done() and not outcome.cancelled():
            return await outcome
        outcome.add_done_callback(_look_at)
        if not job.waiting:
            if job.outcome.cancel():
                self._not_begun.pop(same, None)
            else:
                job.outcome.add_done_callback(lambda late: _drop(late, drop))
                _end(job)
        raise TookTooLong if job.outcome.running() and not gone.done() else NoFreeSlot

    def _submit(self, task: Callable[[], Outcome], same: Hashable | None, address: str) -> SharedTask:
        job = SharedTask(Future(), EndableTask(task))

        def begin() -> None:
            if not job.outcome.set_running_or_notify_cancel():
                return
            if same is not None:
                self._not_begun.pop(same, None)
            try:
                job.outcome.set_result(job.work())
            except BaseException as error:  # noqa: BLE001 - it is handed on
                job.outcome.set_exception(error)

        if same is not None:
            self._not_begun[same] = job  # before the submission, because `begin` removes it in its thread
        self._queue.put(address, begin)
        self._threads.submit(self._queue.run_next)
        return job

    async def run_part(self, task: Callable[[], Outcome], *, address: str = "") -> Outcome:
        """Run `task`, a further part of a begun answer, and return its outcome. It waits without a limit."""

        def part() -> Outcome:
            close_old_connections()
            try:
                return task()
            finally:
                close_old_connections()

        outcome: Outcome = await asyncio.wrap_future(self._submit(part, None, address).outcome)
        return outcome


def _end(job: SharedTask) -> None:
    """End what runs in a thread, and look again until it has ended."""
    if not job.outcome.done():
        job.work.end()
        asyncio.get_running_loop().call_later(END_AGAIN_SECONDS, _end, job)


def _drop(outcome: Future[Any], drop: Callable[[Any], object]) -> None:
    if not outcome.cancelled() and outcome.exception() is None:
        drop(outcome.result())


def _look_at(outcome: asyncio.Future[Any]) -> None:
    """Take note of an outcome that no visitor waits for, which asyncio would complain about otherwise."""
    if not outcome.cancelled():
        outcome.exception()


PAGES = RequestSlots(settings.SITE_REQUEST_SLOTS, "page")
HEALTH = RequestSlots(1, "health")
"""A separate slot, so that the health check is answered however many visitors there are."""
MONITORS = RequestSlots(1, "monitor")
"""A separate slot for the questions of monitors that look at the database and the arbiter."""
STREAMS = RequestSlots(1, "stream")
"""A thread of long answers, which so keep no page waiting."""
LOGS = RequestSlots(1, "log")
"""For readers of a growing log: each looks twice a second, and none of them keeps a page waiting."""
