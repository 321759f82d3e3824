"""An arbiter whose loop is never on time."""

import asyncio
import time
from contextlib import asynccontextmanager

from stichkampf.time_control import TimeControl
from stichkampf_arbiter.connection.lateness import TICK_SECONDS, ticks

CONTROL = TimeControl(move_seconds=0.2, bank_seconds=0.0, cap_seconds=0.2)


@asynccontextmanager
async def busy(stream):
    """Sweep a stream on ticks while every turn of the loop takes two and a half ticks; yield their delays."""
    late = []

    async def be_busy():
        while True:
            await asyncio.sleep(0)
            until = time.monotonic() + 2.5 * TICK_SECONDS
            while time.monotonic() < until:
                pass

    busy = asyncio.Event()
    busy.set()

    async def sweep():
        async for now, late_seconds in ticks(busy):
            late.append(late_seconds)
            stream.sweep(now, late_seconds)

    tasks = [asyncio.ensure_future(coroutine) for coroutine in (be_busy(), sweep())]
    try:
        yield late
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_an_unanswered_question_still_times_out(timeless_harness):
    async with timeless_harness.bot() as bot:
        await bot.hello()
        match = await timeless_harness.start_match(control=CONTROL)
        await bot.question()
        async with busy(timeless_harness.gateway.stream.result()) as late, asyncio.timeout(60):
            while not match.faults:
                await asyncio.sleep(0)
    assert match.faults[0]["kind"] == "timeout"
    assert all(late)
    # It had twice its limit in ticks, however late those were.
    assert len(late) >= 2 * CONTROL.cap_seconds / TICK_SECONDS
