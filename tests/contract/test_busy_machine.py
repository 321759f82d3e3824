"""Busy machines: they cost a bot nothing, but a bot that only waits pays.

`make nightly` plays ten blocks beside eight busy processes a core; the suite plays fewer.
"""

import json
import os

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2
from support import archive, busy_cores

BLOCKS = int(os.environ.get("STICHKAMPF_BUSY_BLOCKS", "1"))
BUSY_A_CORE = int(os.environ.get("STICHKAMPF_BUSY_PROCESSES", "3"))
SEATS = 4
MOVE_SECONDS = 0.8
THINKS = f"""
import time
from stichkampf import Bot

class Thinks(Bot):
    def choose(self, table):
        begun = time.process_time()
        while time.process_time() - begun < {MOVE_SECONDS / 2}:
            pass
        return table.legal[0]
"""
BURNS = """
import os, time
from stichkampf import Bot

END = time.monotonic() + 600
for _ in range(6):
    if os.fork() == 0:
        while time.monotonic() < END:
            pass
        os._exit(0)

class Burns(Bot):
    def choose(self, table):
        return table.legal[0]
"""
SLEEPS = """
import time
from stichkampf import Bot

class Sleeps(Bot):
    def choose(self, table):
        time.sleep({seconds})
        return table.legal[0]
"""


def start(arbiter, key, digests, number, *, alone=False, **control):
    request = pb.StartMatchRequest(
        idempotency_key=key,
        game="stiche-raten",
        seats=[pb.Seat(bot="eva/karl", version=1, archive_sha256=digest) for digest in digests],
        seed=bytes([number]) * 32,
        options_json=json.dumps({"length": "deals:1"}),
        lane=key,
        time_control=bot_pb2.TimeControl(**control),
        fault_allowance=1000,
        alone=alone,
    )
    arbiter.stub.StartMatch(request)


def times_of(record, seat):
    return [
        (cost, wall)
        for deal, costs, walls in zip(record["deals"], record["costs"], record["wall_times"], strict=True)
        for (mover, _), cost, wall in zip(deal["moves"], costs, walls, strict=True)
        if mover == seat
    ]


@pytest.mark.timeout(BLOCKS * 1200)
def test_a_bot_beside_three_busy_ones_on_a_busy_machine_has_no_fault(arbiter):
    """The bot uses half of its CPU time."""
    thinks, burns = (arbiter.upload(archive(source)) for source in (THINKS, BURNS))
    control = {"move_seconds": MOVE_SECONDS, "bank_seconds": 0, "cap_seconds": MOVE_SECONDS}
    with busy_cores(BUSY_A_CORE):
        for block in range(BLOCKS):
            for honest in range(SEATS) if BLOCKS > 1 else (0,):
                key = f"busy-{block}-{honest}"
                digests = [thinks if seat == honest else burns for seat in range(SEATS)]
                start(arbiter, key, digests, block, **control)
                (status,) = arbiter.wait_over(key, seconds=1200)
                assert status.state == pb.MATCH_STATE_FINISHED, status.reason
                assert [fault for fault in status.faults if fault.seat == honest] == []


def test_a_match_played_alone_begins_when_the_others_have_ended(arbiter):
    slow, quick = (arbiter.upload(archive(SLEEPS.format(seconds=seconds))) for seconds in (1.0, 0.0))
    control = {"move_seconds": 3, "bank_seconds": 0, "cap_seconds": 3}
    start(arbiter, "others", [slow] * SEATS, 1, **control)
    start(arbiter, "by-itself", [quick] * SEATS, 1, alone=True, **control)
    others, alone = arbiter.wait_over("others", "by-itself")
    assert others.revision < alone.revision
    assert {others.state, alone.state} == {pb.MATCH_STATE_FINISHED}


@pytest.fixture(scope="module")
def sleepers_record(arbiter):
    """The record of a match of two bots that sleep, for less and for more than their free time."""
    short, long = (arbiter.upload(archive(SLEEPS.format(seconds=seconds))) for seconds in (1.6, 8.0))
    start(arbiter, "sleepers", [short, long, short, short], 1, move_seconds=3, bank_seconds=0, cap_seconds=3)
    record, _ = arbiter.finished("sleepers")
    return record


def test_a_bot_pays_for_waiting_beyond_a_second(sleepers_record):
    times = times_of(sleepers_record, 0)
    assert all(cost <= wall for cost, wall in times), times
    # On a busy machine one decision may cost little, because time without a core is not charged, and may
    # seem short, because an answer counts as arrived at the earliest moment at which it can have.
    assert any(wall >= 1.6 and cost > 0.1 for cost, wall in times), times


def test_a_bot_that_waits_longer_than_its_limit_and_a_second_times_out(sleepers_record):
    faults = {(fault["seat"], fault["kind"]) for fault in sleepers_record["faults"]}
    assert (1, "timeout") in faults
    assert all(wall < 8.0 for _, wall in times_of(sleepers_record, 1))
