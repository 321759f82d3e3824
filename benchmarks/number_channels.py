"""Bits that two bots that agreed on a code can tell each other by the numbers of their pipes.

    python benchmarks/number_channels.py [--trials N]

The kernel numbers pipes and sockets of the whole machine from one counter, which each processor takes a
thousand from at a time. A sender makes pipes until the counter stands at an agreed place, one of two that lie
opposite each other on a circle of 16,384 numbers; a receiver looks where it stands. Moves are left out.
Printed is the mutual information of what was sent and what was read, of at most one bit a trial, as
`timing_channels.py` does. One pair at a time: two would move the same counter.
"""

from __future__ import annotations

import random

from timing_channels import BOT, LONG, SHORT, Arbiter, Trial, measure, notes_of

WINDOW_SECONDS = 0.75
TURNS = 25
COUNTER = """
import os

BATCH, CIRCLE, AT_ONCE = 1024, 16, 16

def make(count):
    for _ in range(count // AT_ONCE):
        ends = [os.pipe() for _ in range(AT_ONCE)]
        os.closerange(ends[0][0], ends[-1][1] + 1)

def next_number():
    first, second = os.pipe()
    number = os.fstat(first).st_ino
    os.close(first)
    os.close(second)
    return number

def place():
    # Where the processor takes its next thousand from: of the machine's counter, not of its own.
    before = next_number()
    while True:
        number = next_number()
        if number // BATCH != before // BATCH:
            return number // BATCH % CIRCLE
        before = number

def move_to(bit, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        missing = (CIRCLE // 2 * bit - place()) % CIRCLE
        if missing in (0, CIRCLE - 1):
            break
        make((missing - 1) * BATCH)

"""
SENDS = f"""
    def act(self, table, now):
        window = int(now / {WINDOW_SECONDS}) + 1
        time.sleep(window * {WINDOW_SECONDS} - now)
        move_to(drawn(window, 2), {WINDOW_SECONDS})
        return window
"""
READS = f"""
    def act(self, table, now):
        window = int(now / {WINDOW_SECONDS}) + 1
        time.sleep(0.9 * {WINDOW_SECONDS} + window * {WINDOW_SECONDS} - now)
        return f"{{drawn(window, 2)}} {{place()}}"
"""
SENDS_LATER = """
    def act(self, table, now):
        move_to(SENT, 1.5)
        return ""
"""
READS_LATER = """
    def act(self, table, now):
        return place() if self.number == 1 else ""
"""


def program(role: str, pair: int) -> str:
    """Make the source of a bot of one pair, which has a code of its own."""
    return f"PAIR = {pair}\n" + COUNTER + BOT + role


def other_table(arbiter: Arbiter, number: int) -> list[Trial]:
    """Pair the counter's position that the sender wanted in each window with the receiver's."""
    block = {"block": f"other {number}", "block_tables": 2}
    send, read = (arbiter.upload(program(role, number)) for role in (SENDS, READS))
    sending = arbiter.start([send], lane="0", **LONG, **block)
    reading = arbiter.start([read], lane="1", **LONG, **block)
    assert notes_of(arbiter.record(sending))
    texts = notes_of(arbiter.record(reading)).values()
    return [(int(bit), float(place)) for bit, place in (text.split() for text in texts)]


def later_table(arbiter: Arbiter, number: int) -> list[Trial]:
    """Pair the position in which the sender left the counter with the one the next block's receiver found."""
    read = arbiter.upload(program(READS_LATER, number))
    trials: list[Trial] = []
    chance = random.Random(number)
    for turn in range(TURNS):
        bit = chance.randrange(2)
        send = arbiter.upload(f"SENT = {bit}\n" + program(SENDS_LATER, number))
        lane = f"later {number}"
        arbiter.record(arbiter.start([send], lane=lane, block=f"b{number}-{turn}s", **SHORT))
        record = arbiter.record(arbiter.start([read], lane=lane, block=f"b{number}-{turn}r", **SHORT))
        trials += [(bit, float(text)) for text in notes_of(record).values() if text]
    return trials


TRIALS = {"other table of the block, a window": other_table, "later table, a block": later_table}

if __name__ == "__main__":
    measure(TRIALS, about=__doc__, trials=200, together=1)
