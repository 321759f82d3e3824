"""`stichkampf watch`: a recorded match in the terminal, decision by decision."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from stichkampf.cli.local.watched_steps import WatchedStep, watched_steps
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.project.record_sources import read_record
from stichkampf.cli.terminal import coloured
from stichkampf.errors import RecordError
from stichkampf.whole_numbers import whole_number

PROMPT: Final = "Enter: next, b: back, a number: that decision, q: quit > "

DESCRIPTION = """\
Show a recorded match in the terminal, decision by decision: the hands, the table, what is known, the choice
with its note and its time, and what followed. On a terminal it waits after each; elsewhere it prints all.
"""
EPILOG = """\
RECORD is a file of records, with :N for its line N; or the address of a replay on a site, of a block that is
over. Seats and decisions count from 1, as on the pages.

examples:
  stichkampf play sticheln thumb glimpse bold random --records r.jsonl && stichkampf watch r.jsonl
  stichkampf watch r.jsonl:3 --seat 2 --decision 12     # as seat 2 saw it
  stichkampf watch http://127.0.0.1:8000/r/499/ | less
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "watch",
        "show a recorded match in the terminal, decision by decision",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("record", metavar="RECORD", help="a file of records, or the address of a replay")
    parser.add_argument(
        "--seat", metavar="N", type=positive, help="as this seat saw it (default: with all hands)"
    )
    parser.add_argument(
        "--decision", metavar="N", type=positive, default=1, help="begin with this decision (default: 1)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    record = read_record(args.record)
    seats = len(record["seats"])
    if args.seat is not None and args.seat > seats:
        raise RecordError(f"the match has seats 1 to {seats}, not {args.seat}")
    steps = list(watched_steps(record, None if args.seat is None else args.seat - 1))
    if not 1 <= args.decision <= len(steps):
        raise RecordError(f"the match has decisions 1 to {len(steps)}, not {args.decision}")
    if sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(steps, args.decision - 1)
    else:
        for step in steps[args.decision - 1 :]:
            _show(step)
    return 0


def _show(step: WatchedStep) -> None:
    for text, style in step.lines:
        print(coloured(text, style, sys.stdout) if style else text)
    print()


def _step_through(steps: Sequence[WatchedStep], at: int) -> None:
    """Show one decision after the other, as the person at the terminal asks for them."""
    while True:
        _show(steps[at])
        try:
            word = input(f"{at + 1} of {len(steps)}. {PROMPT}").strip().lower()
        except EOFError:
            return
        following = _next(word, at, len(steps))
        if following is None:
            return
        at = following


def _next(word: str, at: int, count: int) -> int | None:
    """Return the decision to show after a word, from 0; None for the end."""
    number = whole_number(word)
    if number is not None:
        return min(max(number, 1), count) - 1
    if word == "b":
        return max(at - 1, 0)
    if word == "q" or at + 1 == count:
        return None
    return at + 1
