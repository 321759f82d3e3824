"""The table of allowed calls in docs/sandbox.md against the filter's own lists."""

from __future__ import annotations

from documents import rows_of_calls
from stichkampf_arbiter.sandbox.isolation import syscalls


def test_each_call_that_the_filter_lets_through_has_one_row():
    judged = (*syscalls.ONLY, *syscalls.WITHOUT, *syscalls.WITH, *syscalls.WITH_ANY)
    by_argument = [call for call, *_ in judged]
    known = [*syscalls.free_calls(), *by_argument, *syscalls.NO_EFFECT, *syscalls.UNKNOWN]
    assert len(known) == len(set(known))
    assert sorted(call for calls, _ in rows_of_calls() for call in calls) == sorted(known)


def test_each_row_says_what_is_returned_and_whether_others_can_change_it():
    assert all(calls and len(others) == 2 and all(others) for calls, others in rows_of_calls())
