"""Places at work: a fixed number, for which the others wait for a while."""

import asyncio
import threading
import time

import pytest
from stichkampf_platform.serving import request_slots
from stichkampf_platform.serving.request_slots import NoPlace, Places


@pytest.fixture
def held():
    """A place for one, taken until the test lets it go."""
    one, free, begun = Places(1, "test"), threading.Event(), threading.Event()

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


async def test_no_more_are_at_work_than_there_are_places():
    at_work, most, lock = 0, 0, threading.Lock()

    def deed():
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.01)
        with lock:
            at_work -= 1

    three = Places(3, "test")
    await asyncio.gather(*(three.work(deed, gone=never_gone()) for _ in range(60)))
    assert most == 3


async def test_who_waits_in_vain_is_told_and_the_deed_is_never_done(held, monkeypatch):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.05)
    one, free = held
    done = []
    with pytest.raises(NoPlace):
        await one.work(lambda: done.append("late"), gone=never_gone())
    free.set()
    await one.work(lambda: done.append("in time"), gone=never_gone())
    assert done == ["in time"]


async def test_who_leaves_while_waiting_costs_nothing(held):
    one, free = held
    done, gone = [], never_gone()
    waiting = asyncio.ensure_future(one.work(lambda: done.append("for nobody"), gone=gone))
    await asyncio.sleep(0)
    gone.set_result({"type": "http.disconnect"})
    with pytest.raises(NoPlace):
        await waiting
    free.set()
    await one.work(lambda: done.append("for somebody"), gone=never_gone())
    assert done == ["for somebody"]


async def test_what_has_begun_is_ended_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.05)
    one = Places(1, "test")
    assert await one.work(lambda: time.sleep(0.3) or "done", gone=never_gone()) == "done"


async def test_an_error_of_the_deed_is_its_own():
    def fail():
        raise KeyError("Karl")

    with pytest.raises(KeyError, match="Karl"):
        await Places(1, "test").work(fail, gone=never_gone())


async def test_who_wants_the_same_before_it_is_begun_shares_it(held):
    one, free = held
    done = []
    shared = [one.work(lambda: done.append("page") or "page", gone=never_gone(), same="/") for _ in range(9)]
    other = one.work(lambda: "other", gone=never_gone(), same="/other/")
    asked = asyncio.gather(*shared, other)
    await asyncio.sleep(0)
    free.set()
    assert await asked == ["page"] * 9 + ["other"]
    assert done == ["page"]


async def test_who_asks_once_it_is_begun_gets_one_of_his_own():
    two, begun, free = Places(2, "test"), threading.Event(), threading.Event()

    def slow():
        begun.set()
        free.wait(30)
        return "old"

    first = asyncio.ensure_future(two.work(slow, gone=never_gone(), same="/"))
    await asyncio.sleep(0)
    assert await asyncio.to_thread(begun.wait, 30)
    assert await two.work(lambda: "new", gone=never_gone(), same="/") == "new"
    free.set()
    assert await first == "old"


async def test_one_who_leaves_takes_nothing_from_those_who_wait_with_him(held):
    one, free = held
    gone = never_gone()
    leaves = asyncio.ensure_future(one.work(lambda: "page", gone=gone, same="/"))
    stays = asyncio.ensure_future(one.work(lambda: "page", gone=never_gone(), same="/"))
    await asyncio.sleep(0)
    gone.set_result({"type": "http.disconnect"})
    with pytest.raises(NoPlace):
        await leaves
    free.set()
    assert await stays == "page"
