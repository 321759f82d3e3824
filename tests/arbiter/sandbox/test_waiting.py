"""For how long a bot was kept from a core: what others do to it counts, what it does to itself does not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stichkampf.timing.core_waits import CoreWaitMeter, CpuSample, ThreadTimes, kept_seconds
from stichkampf.timing.time_accounts import CpuAccount
from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cpu import take_sample
from support import busy_cores

WORK = """
import time
def work(seconds):
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass
"""
ALONE = WORK + "while True: work(1)"
SLEEPS = "import time\nwhile True: time.sleep(1)"
THREADS = """
import os, time
for number in range(59):
    if os.fork() == 0:
        break
while True: pass
"""
IN_STEP = """
import os, time
for number in range(50):
    if os.fork() == 0:
        break
while True:
    now = time.time()
    time.sleep(1 - now % 1)
    begun = time.process_time()
    while time.process_time() - begun < 0.003:
        pass
"""
CHILDREN = """
import os, time
while True:
    child = os.fork()
    if child == 0:
        begun = time.process_time()
        while time.process_time() - begun < 0.5: pass
        os._exit(0)
    os.waitpid(child, 0)
"""
SECONDS = 4.0
ATTEMPTS = 3
"""On a busy machine the meter itself lacks a core now and then, and measures too little."""


def watched(bot, seconds=SECONDS):
    """For how long it was kept from a core, what it used, and how long it was watched."""
    waits = CoreWaitMeter(bot.sample)
    begun = now = time.monotonic()
    waits.measure(begun, now)
    used = bot.cpu_seconds()
    first = waits.seconds
    while now - begun < seconds:
        time.sleep(0.02)
        now = time.monotonic()
        waits.measure(begun, now)
    return waits.seconds - first, bot.cpu_seconds() - used, now - begun


@pytest.fixture
def run(arena):
    running = []

    def start(code):
        bot = arena.start(code)
        running.append(bot)
        return bot

    yield start
    for bot in running:
        arena.kill(bot)


@pytest.mark.parametrize("code", [ALONE, CHILDREN], ids=["one process", "children of a second each"])
def test_a_working_bot_was_kept_from_a_core_while_others_ran(run, code):
    bot, shares = run(code), []
    with busy_cores(4, pinned=True):
        while len(shares) < ATTEMPTS and max(shares, default=0.0) < 0.7:
            kept, used, seconds = watched(bot)
            shares.append((kept + used) / seconds)
    assert 0.7 <= max(shares) <= 1.05


def test_a_bot_that_only_waits_was_kept_from_nothing(run):
    bot, shares = run(SLEEPS), []
    with busy_cores(4, pinned=True):
        while len(shares) < ATTEMPTS and min(shares, default=1.0) >= 0.1:
            kept, _, seconds = watched(bot)
            shares.append(kept / seconds)
    assert min(shares) < 0.1


def test_threads_that_wait_for_each_other_excuse_nothing(run):
    """They use all of a core; on a machine with other work, what they lack of it others had."""
    kept, used, seconds = watched(run(THREADS))
    assert kept + used <= seconds * 1.05


def test_threads_that_wake_together_wait_for_each_other(run):
    """Each works for 3 ms a second, and waits for the others for up to 150."""
    kept, used, seconds = watched(run(IN_STEP))
    waited_for_each_other = 50 * 0.15 / 2 * seconds
    assert kept + used <= seconds * 1.05
    assert kept < waited_for_each_other / 4


def let_go_on_for(bot, limit_seconds):
    """Let a bot that answers nothing run to its stop; return the time it could run, at the last sample.

    Without a control group a sample of sixty threads takes a while on a busy machine; the bot is not charged.
    """
    waits = CoreWaitMeter(bot.sample)
    account = CpuAccount(bot.cpu_seconds, waits)
    begun = now = time.monotonic()
    account.start(begun)
    could_run = 0.0
    while not account.is_over(begun, limit_seconds, now):
        could_run = now - begun - waits.seconds
        time.sleep(0.02)
        now = time.monotonic()
    return could_run


def test_sixty_busy_threads_are_stopped_hardly_later_than_one(run):
    ratios = []
    while len(ratios) < ATTEMPTS and min(ratios, default=2.0) > 1.2:
        one = let_go_on_for(run(ALONE), 3.0)
        sixty = let_go_on_for(run(THREADS), 3.0)
        ratios.append(sixty / max(one, 3.0))
    assert min(ratios) <= 1.2


THREE = st.fixed_dictionaries({number: st.tuples(st.floats(0, 9), st.floats(0, 9)) for number in range(3)})


@given(st.floats(0, 10), st.floats(0, 10), THREE, st.floats(0, 9))
def test_no_bot_was_kept_from_a_core_for_longer_than_it_did_not_run(seconds, used, threads, throttled):
    after = CpuSample(used, throttled, {number: ThreadTimes(*thread) for number, thread in threads.items()})
    assert 0 <= kept_seconds(CpuSample(), after, seconds) <= max(0.0, seconds - used)


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (CpuSample(1.0, 0.0, {1: ThreadTimes(1.0, 3.0)}), 3.0),
        (CpuSample(1.0, 2.0, {1: ThreadTimes(1.0, 3.0)}), 1.0),
        (CpuSample(2.0, 0.0, {1: ThreadTimes(1.0, 1.0), 2: ThreadTimes(1.0, 1.0)}), 0.0),
        (CpuSample(1.0, 0.0, {1: ThreadTimes(1.0, 9.0)}), 3.0),
        (CpuSample(0.0, 0.0, {1: ThreadTimes(0.0, 0.0, waits=True)}), 0.0),
        (CpuSample(0.0, 0.0, {2: ThreadTimes(0.0, 0.0, waits=True)}), 4.0),
        (CpuSample(1.0, 0.5, {}, 3.0), 2.5),
    ],
    ids=[
        "a thread that waited",
        "its own quota",
        "two that took turns",
        "a wait that began before",
        "one that began at some time since",
        "one that goes on",
        "by pressure",
    ],
)
def test_the_time_that_counts_between_two_samples(after, kept):
    threads = {2: ThreadTimes(0.0, 0.0, waits=True)}
    before = CpuSample(threads=threads, pressure=0.0 if after.pressure is not None else None)
    assert kept_seconds(before, after, 4.0) == pytest.approx(kept)


def test_waits_before_the_question_and_while_frozen_do_not_count():
    looks = iter(
        [CpuSample(1.0, 0.0, {1: ThreadTimes(1.0, 100.0)}), CpuSample(1.0, 0.0, {1: ThreadTimes(1.0, 200.0)})]
    )
    waits = CoreWaitMeter(lambda before: next(looks))
    assert waits.measure(50.0, 50.5) == pytest.approx(0.0)  # it used a second, as far as is known meanwhile
    waits.postpone(8.0)
    assert waits.measure(50.0, 60.5) == pytest.approx(2.0)


def test_a_wait_that_is_longer_than_a_look_counts_whole_when_it_ends():
    """The kernel adds a wait of half a second at its end, four looks after it began."""
    looks = iter(
        CpuSample(ran, 0.0, {1: ThreadTimes(ran, waited)})
        for ran, waited in [(0.0, 0.0), (0.05, 0.0), (0.05, 0.0), (0.05, 0.0), (0.06, 0.54), (0.06, 0.54)]
    )
    waits = CoreWaitMeter(lambda before: next(looks))
    for number in range(5):
        waits.measure(100.0, 100.0 + 0.15 * number)
    assert waits.seconds == pytest.approx(0.54)
    assert waits.measure(100.7, 100.9) == pytest.approx(0.54)  # of a question before nothing is made up for


def test_a_meter_that_itself_waits_for_a_core_looks_as_often_as_before():
    looks = []
    waits = CoreWaitMeter(lambda before: time.sleep(0.02) or looks.append(before) or CpuSample())
    for number in range(3):
        waits.measure(100.0, 100.0 + 0.2 * number)
    assert len(looks) == 3


def test_samples_are_not_taken_more_often_than_they_are_worth():
    looks = []
    waits = CoreWaitMeter(lambda before: looks.append(before) or CpuSample())
    for number in range(50):
        waits.measure(100.0, 100.0 + number / 1000)
    assert len(looks) == 1


def test_groups_of_version_2_are_read_as_the_kernel_writes_them(tmp_path):
    stat = "usage_usec 1500000\nuser_usec 1\nsystem_usec 1\nnr_throttled 3\nthrottled_usec 250000\n"
    (tmp_path / "cpu.stat").write_text(stat)
    pressure = (
        "some avg10=0.0 avg60=0.0 avg300=0.0 total=7\nfull avg10=0.0 avg60=0.0 avg300=0.0 total=2000000\n"
    )
    (tmp_path / "cpu.pressure").write_text(pressure)
    files = {cpu.STAT: tmp_path / "cpu.stat", cpu.PRESSURE: tmp_path / "cpu.pressure"}
    meter = cpu.CpuMeter(0, cpu.open_files(files))
    assert take_sample(meter, CpuSample()) == CpuSample(1.5, 0.25, {}, 2.0)
    meter.close()


def test_groups_of_version_1_are_read_as_the_kernel_writes_them(tmp_path):
    (tmp_path / "cpu.stat").write_text("nr_periods 5\nnr_throttled 2\nthrottled_time 250000000\n")
    (tmp_path / "cpuacct.usage").write_text("1500000000\n")
    files = {cpu.STAT: tmp_path / "cpu.stat", cpu.USAGE: tmp_path / "cpuacct.usage"}
    meter = cpu.CpuMeter(0, cpu.open_files(files))
    assert take_sample(meter, CpuSample()) == CpuSample(1.5, 0.25)
    meter.close()
