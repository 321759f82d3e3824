"""Bots whose `choose` is an async method."""

from __future__ import annotations

import asyncio
import threading

import pytest
from stichkampf import Bot, Note
from stichkampf.bots.bot import BotFailure, decide, traceback_of
from stichkampf.faults import FaultKind
from stichkampf.testing import assert_legal, play_deals, table_at


@pytest.fixture
def table():
    return table_at("stiche-raten", 3)


class Patient(Bot):
    async def choose(self, table):
        await asyncio.sleep(0)
        return min(table.legal), Note("waited")


def raising(error):
    class Raising(Bot):
        async def choose(self, table):
            await asyncio.sleep(0)
            raise error

    return Raising()


def test_its_answer_is_that_of_any_bot(table):
    assert decide(Patient(), table) == ("bid 0", Note("waited"))
    assert assert_legal(Patient(), table) == "bid 0"
    assert len(play_deals(Patient, "stiche-raten", 3, deals=2)) == 2


def test_tables_are_answered_while_others_wait_on_one_event_loop(table):
    meeting = asyncio.Barrier(2)
    loops, answers = [], []

    class Meets(Bot):
        async def choose(self, table):
            loops.append(asyncio.get_running_loop())
            await asyncio.wait_for(meeting.wait(), 60)
            return table.legal[0]

    def play():
        answers.append(decide(Meets(), table)[0])

    threads = [threading.Thread(target=play) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == ["bid 0", "bid 0"]
    assert loops[0] is loops[1]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("pains"), "KeyError: 'pains'"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "the bot cancelled its own answer"),
    ],
)
def test_an_error_is_a_crash_and_the_loop_goes_on(table, error, message):
    with pytest.raises(BotFailure, match=message) as caught:
        decide(raising(error), table)
    assert caught.value.kind is FaultKind.CRASHED
    assert decide(Patient(), table)[0] == "bid 0"


def test_the_traceback_begins_in_the_bots_own_code(table):
    with pytest.raises(BotFailure) as caught:
        decide(raising(KeyError("pains")), table)
    first, second, *_ = traceback_of(caught.value.__cause__).splitlines()
    assert first == "Traceback (most recent call last):"
    assert "test_async_bots.py" in second


async def test_it_decides_where_an_event_loop_runs_already(table):
    assert decide(Patient(), table)[0] == "bid 0"


def test_ctrl_c_passes_through_and_the_loop_goes_on(table):
    with pytest.raises(KeyboardInterrupt):
        decide(raising(KeyboardInterrupt()), table)
    assert decide(Patient(), table)[0] == "bid 0"
