"""At most one hosted process of a block runs at any moment, as the processes themselves see it."""

from itertools import pairwise

import pytest
from stichkampf_arbiter.bots.turns import SLOT_SECONDS
from support import archive

TABLES = 3
COPIES = 3
# An interrupt tells a processor to stop its process, which takes a moment.
SPARE_SHARE = 0.005
# If the arbiter wakes too late to end a slot, a table goes on in those of others, and soon has its own again.
INTERRUPTED_SHARE = 0.05

NOTICES = """
import json, sys, threading
from time import monotonic
from stichkampf import Bot

spans = [[monotonic(), 0.0]]

def notice():
    # It runs all the time: where its clock jumps, it was frozen.
    while True:
        now = monotonic()
        if now - spans[-1][1] > 0.0005:
            spans.append([now, now])
        spans[-1][1] = now

threading.Thread(target=notice, daemon=True).start()

class Karl(Bot):
    def choose(self, table):
        end = monotonic() + 0.1
        while monotonic() < end:
            pass
        if table.legal[0].startswith("play"):
            print("".join(f"{begin:.4f} {end:.4f}\\n" for begin, end in spans[1:-1]), file=sys.stderr)
        return table.legal[0]
"""
WAITS = """
import time
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        before = time.monotonic()
        {code}
        return table.legal[0]
"""


def spans_of(report):
    lines = [line.split() for line in report.stderr.splitlines()[1:] if line]
    return [(float(begin), float(end)) for begin, end in lines]


def share_together(processes):
    """Return the share of their time in which they ran beside another."""
    spans = sorted(span for spans in processes for span in spans)
    latest = together = 0.0
    for begin, end in spans:
        together += max(0.0, min(latest, end) - begin)
        latest = max(latest, end)
    return together / sum(end - begin for begin, end in spans)


def share_interrupted(processes):
    """Return the share of changes to another process after which the one before ran again too soon.

    Too soon is sooner than two turns of one process can follow each other.
    """
    spans = sorted((*span, number) for number, spans in enumerate(processes) for span in spans)
    changes = sum(one[2] != other[2] for one, other in pairwise(spans))
    interruptions = sum(
        one[2] == third[2] != other[2] and third[0] - one[1] < SLOT_SECONDS * 0.9
        for one, other, third in zip(spans, spans[1:], spans[2:], strict=False)
    )
    return interruptions / changes


@pytest.mark.parametrize("is_block", [True, False], ids=["of one block", "of blocks of their own"])
def test_processes_of_one_block_never_run_together_but_others_do(arbiter, is_block):
    digest = arbiter.upload(archive(NOTICES))
    keys = [f"voice-{is_block}-{number}" for number in range(TABLES)]
    for key in keys:
        fields = {"block": f"voice-{is_block}", "block_tables": TABLES} if is_block else {}
        arbiter.start_hosted(key, digest, copies=COPIES, lane=key, move_seconds=5.0, **fields)
    processes = []
    for key in keys:
        record, reports = arbiter.finished(key)
        assert record["faults"] == []
        processes += [spans_of(reports[seat]) for seat in range(COPIES)]
    assert len(processes) == TABLES * COPIES
    assert all(processes)
    assert (share_interrupted(processes) <= INTERRUPTED_SHARE) == is_block
    # On a machine with one free core nothing runs beside anything, in one block or in several.
    assert share_together(processes) <= SPARE_SHARE or not is_block


def test_a_long_wait_for_a_turn_costs_nothing_and_is_no_fault(arbiter):
    """Both other bots of its table together take longer than its wall-clock limit."""
    slow = arbiter.upload(archive(WAITS.format(code="time.sleep(1.5)")))
    quick = arbiter.upload(archive(WAITS.format(code="pass")))
    arbiter.start_hosted("patience", quick, others=slow, lane="patience", move_seconds=0.4)
    record, _ = arbiter.finished("patience")
    assert [fault for fault in record["faults"] if fault["seat"] == 0] == []


def test_a_bot_uses_no_cpu_time_between_two_matches(arbiter):
    burner = arbiter.upload(archive(NOTICES + "    # stands still between\n"))
    slow = arbiter.upload(archive(WAITS.format(code="time.sleep(1.0)")))
    used = []
    for number in (1, 2):
        arbiter.start_hosted(f"idle-{number}", burner, lane="idle", move_seconds=5.0)
        _, reports = arbiter.finished(f"idle-{number}")
        used.append(sum(end - begin for begin, end in spans_of(reports[0])))
        arbiter.start_hosted(f"meanwhile-{number}", slow, lane="meanwhile", move_seconds=2.0)
        arbiter.finished(f"meanwhile-{number}")
    # Two decisions of a tenth of a second a match; the match in between takes two seconds.
    assert used[1] - used[0] < 1.0
