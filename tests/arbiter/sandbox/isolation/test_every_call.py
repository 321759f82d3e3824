"""The table of allowed calls in docs/sandbox.md against the filter's own lists."""

from __future__ import annotations

import re

from documents import text_of
from stichkampf_arbiter.sandbox.isolation import syscalls


def rows() -> list[tuple[list[str], list[str]]]:
    """The calls of each row, and its other cells."""
    section = text_of("docs/sandbox.md").partition("## Every allowed call\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(re.findall(r"`(\w+)`", first), others) for first, *others in cells]


def test_each_call_that_the_filter_lets_through_has_one_row():
    by_argument = [call for call, *_ in (*syscalls.ONLY, *syscalls.WITHOUT, *syscalls.WITH)]
    known = [*syscalls.free_calls(), *by_argument, *syscalls.NO_EFFECT, *syscalls.UNKNOWN]
    assert len(known) == len(set(known))
    assert sorted(call for calls, _ in rows() for call in calls) == sorted(known)


def test_each_row_says_what_is_returned_and_whether_others_can_change_it():
    assert all(calls and len(others) == 2 and all(others) for calls, others in rows())
