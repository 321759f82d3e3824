"""Workers' threads: as quick as Celery's processes to take the next task, and held to limits like those."""

import subprocess
import sys
from threading import Event

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from stichkampf_platform.operations.thread_pool import ThreadPool

HANGS = """
from stichkampf_platform.operations.thread_pool import ThreadPool
pool = ThreadPool(1)
pool.on_start()
pool.on_apply(input, (), timeout=0.1).wait()
"""
STOPPED = """
from threading import Event
from celery.worker import state
from stichkampf_platform.operations.thread_pool import ThreadPool
pool, begun = ThreadPool(1), Event()
pool.on_apply(lambda: (begun.set(), Event().wait()), ())
begun.wait()
state.should_terminate = True
pool.on_stop()
"""


@pytest.fixture
def pool():
    pool = ThreadPool(1)
    pool.on_start()
    yield pool
    pool.on_stop()


def goes_on():
    turn = Event()
    while True:
        turn.wait(0.01)


def test_a_task_beyond_its_soft_limit_is_asked_to_end_and_the_thread_takes_the_next(pool):
    results = []
    with pytest.raises(SoftTimeLimitExceeded):
        pool.on_apply(goes_on, (), callback=results.append, soft_timeout=0.1, timeout=60).get(timeout=30)
    pool.on_apply(lambda: "next", (), callback=results.append, soft_timeout=60).get(timeout=30)
    assert results == ["next"]


def test_a_task_that_ends_in_time_hears_nothing_of_its_limit(pool):
    done = []
    for _ in range(200):
        pool.on_apply(lambda: None, (), callback=done.append, soft_timeout=0.001, timeout=60)
    pool.on_apply(lambda: None, (), callback=done.append).get(timeout=30)
    assert done[-1] is None


def test_the_loop_of_the_worker_is_woken_by_each_end(pool):
    pool._woken.setblocking(True)
    pool.on_apply(lambda: None, (), callback=lambda _: None).get(timeout=30)
    assert pool._woken.recv(10) == b"\0"


@pytest.mark.machine
@pytest.mark.parametrize(("program", "code"), [(HANGS, 1), (STOPPED, 0)], ids=["hangs", "is told to stop"])
def test_a_worker_ends_with_a_task_that_cannot_be_ended(program, code):
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={"DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.test", "PATH": "/usr/bin"},
        stdin=subprocess.PIPE,
    )
    assert process.wait(60) == code
    process.stdin.close()
