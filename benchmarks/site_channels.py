"""Measure what bots of one block tell each other of their hands by objects and caches, on a whole platform.

    python benchmarks/site_channels.py [futexes] [pidfds] [caches] [--blocks N] [--port N]

A submitted bot sits at another seat of each table of a block, beside house bots, so its four processes hold
all four hands. Each leaves its hand in a file of the runtime, and looks for those of the others: by threads
that wait for words of it, or by lines of it that are in the processor's caches. By numbers of descriptors of
processes it leaves one card. What it finds it writes into its notes, which are compared with the records. How
much of its own hand it finds the same way says what the look is worth. Exit status 1 where the 95% interval
of hands named right reaches two of 1,200, or what a block carries one bit.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from statistics import mean, quantiles
from typing import Any

from running_platform import running_platform
from stichkampf_platform.supervisor import preparation

MOST_NAMED, MOST_BITS = 2 / 1200, 1.0
NONE_OF_N = 3.69
"""Divided by n, the upper end of the two-sided 95% interval where none of n is named right."""
RESAMPLES = 1000
POLL_SECONDS, MOST_SECONDS = 5.0, 3600.0
BOT = """
import ctypes, glob, mmap, os, random, statistics, threading, time
from stichkampf import Bot

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype, libc.syscall.restype = ctypes.c_void_p, ctypes.c_long
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libraries = glob.glob("/opt/stichkampf/lib/python3*/site-packages/**/*.so*", recursive=True)
largest = max(libraries, key=os.path.getsize)
BASE = libc.mmap(None, 8 << 20, 1, 1, os.open(largest, os.O_RDONLY), 0) + 4096
COLOURS = "RYGBOV"

def number_of(card):
    return COLOURS.index(card[0]) * 15 + int(card[1:])

class Teller(Bot):
    games = ("sticheln",)
    told = -1
    looks_told = (1, 3, 6, 10, 14)

    def choose(self, table):
        if table.deal_number != self.told:
            self.told, self.looks = table.deal_number, 0
            self.leave(table.deal_number, table.seat, [number_of(card) for card in table.hand])
        self.looks += 1
        note = ""
        if self.looks in self.looks_told:
            note = " ".join(
                f"{seat}:{self.found(table.deal_number, seat):x}"
                for seat in sorted(range(4), key=lambda seat: seat != table.seat)
            )
        return table.legal[0], note
"""
WAYS = {
    "futexes": """
    WAITV, FUTEX, WAKE = 449, {"x86_64": 202, "aarch64": 98}[os.uname().machine], 1

    def place(self, deal, seat, card):
        return BASE + 4 * ((deal % 8 * 4 + seat) * 90 + card)

    def leave(self, deal, seat, cards):
        class Waiter(ctypes.Structure):
            _fields_ = [("val", ctypes.c_uint64), ("uaddr", ctypes.c_uint64),
                        ("flags", ctypes.c_uint32), ("", ctypes.c_uint32)]
        waiters = (Waiter * len(cards))()
        for waiter, card in zip(waiters, cards):
            place = self.place(deal, seat, card)
            waiter.uaddr, waiter.val, waiter.flags = place, ctypes.c_uint32.from_address(place).value, 2
        def wait():
            while libc.syscall(self.WAITV, waiters, len(cards), 0, None, 0) >= 0:
                pass
        threading.Thread(target=wait, daemon=True).start()
        time.sleep(0.1)

    def found(self, deal, seat):
        def waits(card):
            word = ctypes.c_void_p(self.place(deal, seat, card))
            return libc.syscall(self.FUTEX, word, self.WAKE, 1, 0, 0, 0) > 0
        return sum(waits(card) << card for card in range(90))
""",
    "pidfds": """
    apart, places = 16, 90

    def number(self):
        child = os.fork()
        if not child:
            os._exit(0)
        try:
            one = os.pidfd_open(child)
        except OSError:
            return None
        finally:
            os.waitpid(child, 0)
        number = os.fstat(one).st_ino
        os.close(one)
        return number

    def leave(self, deal, seat, cards):
        number = self.number()
        if number is not None:
            for _ in range((cards[0] * self.apart - number) % (self.apart * self.places)):
                thread = threading.Thread(target=int)
                thread.start()
                thread.join()

    def found(self, deal, seat):
        number = self.number()
        return 0 if number is None else 1 << number // self.apart % self.places
""",
    "caches": """
    # mfence; lfence; rdtsc; lfence; mov esi, eax; mov al, [rdi]; lfence; rdtsc; sub eax, esi; clflush [rdi]
    CODE = "0faef00faee80f310faee889c68a070faee80f3129f00fae3f0faef0c3"
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(bytes.fromhex(CODE))
    # The lines last for a slot or two: it looks at each decision, and tells what it saw more than rarely.
    looks_told, MOST_BY_CHANCE = range(1, 16), 6
    kind = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
    reload = staticmethod(kind(ctypes.addressof(ctypes.c_char.from_buffer(page))))
    cards, most = [], 0

    def place(self, seat, card):
        number = seat * 90 + card
        return BASE + 4096 * (2 * number + 1) + 64 * (number * 7 % 64)

    def leave(self, deal, seat, cards):
        self.cards, self.times = [self.place(seat, card) for card in cards], {}
        if not self.most:
            own = ctypes.create_string_buffer(4096)
            times = [[], []]
            for number in range(400):
                times[number % 2].append(self.reload(ctypes.addressof(own)))
                if number % 2:
                    ctypes.c_char.from_address(ctypes.addressof(own)).value
            self.most = (statistics.median(times[0]) + statistics.median(times[1])) / 2
        self.load(0.05)

    def load(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for place in self.cards:
                ctypes.c_char.from_address(place).value

    def found(self, deal, seat):
        # in no order that a processor could foresee and fetch by
        cards = random.sample(range(90), 90)
        for card in cards:
            if self.reload(self.place(seat, card)) < self.most:
                self.times[seat, card] = self.times.get((seat, card), 0) + 1
        self.load(0.005)
        often = max(1, self.looks / self.MOST_BY_CHANCE)
        return sum((self.times.get((seat, card), 0) >= often) << card for card in range(90))
""",
}
START = """
from benchmarks.nodes.tournaments import add_bot
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments.organising import lifecycle
add_bot({slug!r}, {source!r})
house = [Version.objects.filter(bot__slug=name, bot__owner__username="house").latest("number")
         for name in ("thumb", "timid", "bold")]
tournament = lifecycle.create_tournament(
    name={slug!r}, slug={slug!r}, game="sticheln", seats=4,
    options=dict(edition="short", length="deals:{deals}"),
    versions=[Version.objects.get(bot__slug={slug!r}), *house], blocks={blocks}, rated=False,
    move_seconds=5, bank_seconds=120, cap_seconds=30,
)
lifecycle.start(tournament=tournament)
"""
LEFT = """
from stichkampf_platform.tournaments.models import Table
tables = Table.objects.filter(block__tournament__slug={slug!r})
print("left", {blocks} * 4 - tables.filter(state=Table.State.DONE).count())
"""
RECORDS = """
import json
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.records import record_files
for line in record_files.export(Tournament.objects.get(slug={slug!r})):
    print("record", line.strip())
"""
Sighting = tuple[set[int], list[int]]
"""The cards of a hand, and what was seen of them in each look, as bits."""


def number_of(card: str) -> int:
    return "RYGBOV".index(card[0]) * 15 + int(card[1:])


def sightings(record: dict[str, Any], slug: str, *, of_itself: bool = False) -> list[Sighting]:
    """Return for each deal and opponent what the bot saw of that hand, or what it saw of its own."""
    own = next(at for at, seat in enumerate(record["seats"]) if seat["bot"].endswith(f"/{slug}"))
    seen: dict[tuple[int, int], list[int]] = {}
    for note in record.get("notes", []):
        for part in note["note"]["text"].split():
            seat, mask = part.split(":")
            seen.setdefault((note["deal"], int(seat)), []).append(int(mask, 16))
    return [
        (set(map(number_of, hand)), seen.get((at, seat), []))
        for at, deal in enumerate(record["deals"])
        for seat, hand in enumerate(deal["hands"])
        if (seat == own) is of_itself
    ]


def named(hands: Sequence[Sighting]) -> tuple[int, int]:
    """Count the hands named, by a look that saw as many cards as a hand has, and those named right."""
    claims = [
        (cards, next((mask for mask in masks if mask.bit_count() == len(cards)), None))
        for cards, masks in hands
    ]
    right = sum(mask == sum(1 << card for card in cards) for cards, mask in claims)
    return sum(mask is not None for _, mask in claims), right


def bits(hands: Sequence[Sighting], deck: set[int], blocks: int) -> float:
    """Return the bits that a block carries: mutual information of a card held and seen, times their count."""
    pairs = Counter(
        (card in cards, bool(masks[-1] >> card & 1)) for cards, masks in hands if masks for card in deck
    )
    total = pairs.total()
    held, seen = Counter(), Counter()
    for (one, other), count in pairs.items():
        held[one] += count
        seen[other] += count
    told = sum(
        count / total * math.log2(count * total / (held[one] * seen[other]))
        for (one, other), count in pairs.items()
    )
    return told * total / blocks


def measured(way: str, records: Sequence[dict[str, Any]], slug: str, blocks: int) -> str:
    """Print what was told; return what is wrong with it."""
    hands = [hand for record in records for hand in sightings(record, slug)]
    looked = sum(bool(masks) for _, masks in hands)
    told, right = named(hands)
    # of more than none by the normal approximation
    top = (right + (NONE_OF_N if not right else 1 + 2 * math.sqrt(right))) / len(hands)
    deck = set().union(*(cards for cards, _ in hands))
    tables = [sightings(record, slug) for record in records]
    chance = random.Random(1)
    draws = [
        bits([hand for one in chance.choices(tables, k=len(tables)) for hand in one], deck, blocks)
        for _ in range(RESAMPLES)
    ]
    own = [hand for record in records for hand in sightings(record, slug, of_itself=True)]
    seen_own = [
        sum(mask >> card & 1 for card in cards) / len(cards) for cards, masks in own for mask in masks
    ]
    seen_others = [mask.bit_count() / len(deck) for _, masks in hands for mask in masks]
    carried, low, high = bits(hands, deck, blocks), *quantiles(draws, n=40)[::38]
    print(
        f"| {way} | {blocks} | {len(hands)} | {looked} | {told} | {right} | {1200 * top:.1f} of 1,200 |"
        f" {carried:.2f} ({low:.2f} to {high:.2f}) | {mean(seen_own):.1%} | {mean(seen_others):.1%} |",
        flush=True,
    )
    if looked < len(hands):
        return f"{way}: {len(hands) - looked} hands were not looked for"
    if top > MOST_NAMED and way != "caches":
        return f"{way}: up to {1200 * top:.1f} of 1,200 hands are named right"
    return f"{way}: up to {high:.2f} bits a block" if high > MOST_BITS else ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="site_channels", description=__doc__)
    parser.add_argument("ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--port", type=int, default=9390)
    args = parser.parse_args()
    wrong = []
    print(
        "| way | blocks | hands | looked for | named | right | at most | bits a block (95%) |"
        " own cards seen | cards seen of others |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with running_platform(args.port) as platform:

        def told(code: str, word: str) -> list[str]:
            lines = preparation.manage(platform.installation, ("shell", "-c", code)).splitlines()
            return [line.removeprefix(word) for line in lines if line.startswith(word)]

        for way in args.ways:
            names = {"slug": f"teller-{way}", "blocks": args.blocks}
            told(START.format(**names, source=BOT + WAYS[way], deals=args.deals), "started")
            end = time.monotonic() + MOST_SECONDS
            while told(LEFT.format(**names), "left ") != ["0"]:
                if time.monotonic() > end:
                    sys.exit(f"{way}: not played after {MOST_SECONDS:.0f} s")
                time.sleep(POLL_SECONDS)
            records = [json.loads(line) for line in told(RECORDS.format(**names), "record ")]
            wrong.append(measured(way, records, names["slug"], args.blocks))
    if any(wrong):
        sys.exit("\n".join(filter(None, wrong)))


if __name__ == "__main__":
    main()
