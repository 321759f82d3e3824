"""Request slots: a fixed number, for which further requests wait a while."""

import asyncio
import io
import logging
import threading
import time
from contextlib import suppress
from types import ModuleType

import pytest
from django.db import DatabaseError, connection, transaction
from stichkampf_platform.people.models import User
from stichkampf_platform.serving import endable_tasks, request_slots
from stichkampf_platform.serving.request_slots import NoFreeSlot, RequestSlots, TookTooLong
from support import wait_until_async


@pytest.fixture
def held():
    """A single slot, occupied until the test sets the event."""
    one, free, begun = RequestSlots(1, "test"), threading.Event(), threading.Event()

    def hold():
        begun.set()
        free.wait(30)

    one._threads.submit(hold)
    assert begun.wait(30)
    yield one, free
    free.set()
    one._threads.shutdown()


def never_gone():
    return asyncio.get_running_loop().create_future()


async def test_no_more_tasks_run_at_once_than_there_are_slots():
    at_work, most, lock = 0, 0, threading.Lock()

    def task():
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.01)
        with lock:
            at_work -= 1

    three = RequestSlots(3, "test")
    await asyncio.gather(*(three.run(task, gone=never_gone()) for _ in range(60)))
    assert most == 3


async def test_a_task_without_a_free_slot_in_time_fails_and_never_runs(held, monkeypatch):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.05)
    one, free = held
    done = []
    with pytest.raises(NoFreeSlot):
        await one.run(lambda: done.append("late"), gone=never_gone())
    free.set()
    await one.run(lambda: done.append("in time"), gone=never_gone())
    assert done == ["in time"]


async def test_the_waiting_task_of_a_visitor_who_leaves_never_runs(held):
    one, free = held
    done, gone = [], never_gone()
    waiting = asyncio.ensure_future(one.run(lambda: done.append("without a visitor"), gone=gone))
    await asyncio.sleep(0)
    gone.set_result({"type": "http.disconnect"})
    with pytest.raises(NoFreeSlot):
        await waiting
    free.set()
    await one.run(lambda: done.append("with a visitor"), gone=never_gone())
    assert done == ["with a visitor"]


async def test_a_task_that_has_begun_finishes_after_the_longest_wait(monkeypatch):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.05)
    one = RequestSlots(1, "test")
    assert await one.run(lambda: time.sleep(0.3) or "done", gone=never_gone()) == "done"


async def test_an_error_of_a_task_reaches_its_caller():
    def fail():
        raise KeyError("Karl")

    with pytest.raises(KeyError, match="Karl"):
        await RequestSlots(1, "test").run(fail, gone=never_gone())


async def test_requests_for_the_same_task_share_it_before_it_begins(held):
    one, free = held
    done = []
    shared = [one.run(lambda: done.append("page") or "page", gone=never_gone(), same="/") for _ in range(9)]
    other = one.run(lambda: "other", gone=never_gone(), same="/other/")
    asked = asyncio.gather(*shared, other)
    await asyncio.sleep(0)
    free.set()
    assert await asked == ["page"] * 9 + ["other"]
    assert done == ["page"]


async def test_a_request_after_the_task_has_begun_gets_a_task_of_its_own():
    two, begun, free = RequestSlots(2, "test"), threading.Event(), threading.Event()

    def slow():
        begun.set()
        free.wait(30)
        return "old"

    first = asyncio.ensure_future(two.run(slow, gone=never_gone(), same="/"))
    await asyncio.sleep(0)
    assert await asyncio.to_thread(begun.wait, 30)
    assert await two.run(lambda: "new", gone=never_gone(), same="/") == "new"
    free.set()
    assert await first == "old"


async def test_a_leaving_visitor_does_not_cancel_a_shared_task(held):
    one, free = held
    gone = never_gone()
    leaves = asyncio.ensure_future(one.run(lambda: "page", gone=gone, same="/"))
    stays = asyncio.ensure_future(one.run(lambda: "page", gone=never_gone(), same="/"))
    await asyncio.sleep(0)
    gone.set_result({"type": "http.disconnect"})
    with pytest.raises(NoFreeSlot):
        await leaves
    free.set()
    assert await stays == "page"


async def test_addresses_take_turns_however_many_requests_one_of_them_has(held):
    one, free = held
    done = []

    def ask(address, number):
        return one.run(lambda: done.append((address, number)), gone=never_gone(), address=address)

    asked = asyncio.gather(*(ask("greedy", number) for number in range(50)), ask("other", 0), ask("third", 0))
    await asyncio.sleep(0)
    free.set()
    await asked
    assert done[:3] == [("greedy", 0), ("other", 0), ("third", 0)]
    assert done[3:] == [("greedy", number) for number in range(1, 50)]


class Work:
    """Endless work of one kind or another, which says when it has begun and how it ended."""

    def __init__(self, kind):
        self._kind = kind
        self.begun, self.over, self.failed = threading.Event(), threading.Event(), threading.Event()

    def __call__(self):
        try:
            with transaction.atomic():
                User.objects.create(username="half-made")
                self.begun.set()
                getattr(self, self._kind)()
        finally:
            self.over.set()

    def counts(self):
        number = 0
        while True:
            number += 1

    def swallows_errors(self):
        while True:
            with suppress(Exception):
                sum(range(1000))

    def plans(self):
        big = []
        while True:
            big = [*range(10_000)]
        return big

    def asks_the_database(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            )

    def logs_its_errors(self):
        try:
            self.asks_the_database()
        except DatabaseError:
            self.failed.set()
            logging.getLogger(__name__).exception("a page failed")


@pytest.fixture
def endable(monkeypatch):
    """Have the code of this module end as the platform's does."""
    monkeypatch.setattr(endable_tasks, "LOCKLESS", (*endable_tasks.LOCKLESS, __name__))


@pytest.mark.usefixtures("endable")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["counts", "swallows_errors", "plans", "asks_the_database"])
@pytest.mark.parametrize("why", ["the visitor leaves", "its time is over"])
async def test_work_ends_when_its_visitor_leaves_or_its_time_is_over(monkeypatch, kind, why):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(request_slots, "REQUEST_SECONDS", 0.2 if why == "its time is over" else 60)
    one, work, gone = RequestSlots(1, "test"), Work(kind), never_gone()
    running = asyncio.ensure_future(one.run(work, gone=gone))
    await asyncio.to_thread(work.begun.wait, 30)
    if why == "the visitor leaves":
        gone.set_result(None)
    with pytest.raises(NoFreeSlot if gone.done() else TookTooLong):
        await running
    assert await asyncio.to_thread(work.over.wait, 30)
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 30)
    assert await one.run(lambda: User.objects.filter(username="half-made").count(), gone=never_gone()) == 0
    await one.run_part(lambda: connection.close())  # that of the slot's thread
    one._threads.shutdown()


@pytest.mark.django_db(transaction=True)
async def test_that_the_query_of_a_visitor_who_left_was_interrupted_is_not_in_the_log(monkeypatch):
    written = io.StringIO()
    [console] = [one for one in logging.getLogger().handlers if type(one) is logging.StreamHandler]
    monkeypatch.setattr(console, "stream", written)
    one, work, gone = RequestSlots(1, "test"), Work("logs_its_errors"), never_gone()
    running = asyncio.ensure_future(one.run(work, gone=gone))
    await asyncio.to_thread(work.begun.wait, 30)
    gone.set_result(None)
    with pytest.raises(NoFreeSlot):
        await running
    assert await asyncio.to_thread(work.over.wait, 30)
    await one.run_part(lambda: connection.close())
    one._threads.shutdown()
    assert written.getvalue() == ""
    assert work.failed.is_set()


@pytest.mark.usefixtures("endable")
async def test_work_that_ends_leaves_no_lock_of_a_library_taken(monkeypatch):
    """Visitors who left had locks of imports and of the log taken for ever: the site then answered none."""
    library = ModuleType("a_library")
    exec(
        "import threading\nlock = threading.Lock()\ndef use():\n    lock.acquire()\n"
        "    try:\n        pass\n    finally:\n        lock.release()\n",
        vars(library),
    )
    monkeypatch.setattr(request_slots, "END_AGAIN_SECONDS", 0.001)
    one = RequestSlots(1, "test")

    def work():
        begun.set()
        while True:
            library.use()

    for _ in range(60):
        begun, gone = threading.Event(), never_gone()
        running = asyncio.ensure_future(one.run(work, gone=gone))
        await asyncio.to_thread(begun.wait, 30)
        gone.set_result(None)
        with pytest.raises(NoFreeSlot):
            await running
        assert await one.run(lambda: library.lock.acquire(timeout=5), gone=never_gone())
        library.lock.release()
    one._threads.shutdown()


async def test_an_answer_that_comes_when_its_visitor_has_left_is_handed_back():
    one, begun, finish, dropped = RequestSlots(1, "test"), threading.Event(), threading.Event(), []

    def work():
        begun.set()
        finish.wait(30)
        return "an answer"

    gone = never_gone()
    running = asyncio.ensure_future(one.run(work, gone=gone, drop=dropped.append))
    await asyncio.to_thread(begun.wait, 30)
    gone.set_result(None)
    with pytest.raises(NoFreeSlot):
        await running
    finish.set()
    await wait_until_async(lambda: dropped == ["an answer"])
    one._threads.shutdown()


async def test_work_that_another_visitor_waits_for_goes_on(monkeypatch):
    one, free, begun = RequestSlots(1, "test"), threading.Event(), threading.Event()
    blocked = one._threads.submit(free.wait, 30)

    def work():
        begun.set()
        time.sleep(0.05)
        return "made"

    gone = never_gone()
    leaves, stays = (
        asyncio.ensure_future(one.run(work, gone=each, same="page")) for each in (gone, never_gone())
    )
    await asyncio.sleep(0)
    free.set()
    await asyncio.to_thread(begun.wait, 30)
    gone.set_result(None)
    assert await stays == "made"
    assert isinstance((await asyncio.gather(leaves, return_exceptions=True))[0], NoFreeSlot | str)
    assert blocked.done()


async def test_a_slot_whose_work_was_just_over_is_never_hit_by_its_end(monkeypatch):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 30)
    one = RequestSlots(1, "test")
    for _ in range(300):
        gone = never_gone()
        running = asyncio.ensure_future(one.run(lambda: sum(range(200)), gone=gone))
        await asyncio.sleep(0)
        gone.set_result(None)
        await asyncio.gather(running, return_exceptions=True)
        assert await one.run(lambda: "whole", gone=never_gone()) == "whole"
    one._threads.shutdown()
