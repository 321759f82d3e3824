"""Speculation that the launcher holds back where the kernel lets a process choose."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.launcher.speculation import (
    FORCE_DISABLE,
    INDIRECT_BRANCH,
    OFFERED,
    PR_GET_SPECULATION_CTRL,
    PR_SET_SPECULATION_CTRL,
    STORE_BYPASS,
    hold_back_speculation,
)

LINES = {STORE_BYPASS: "Speculation_Store_Bypass", INDIRECT_BRANCH: "SpeculationIndirectBranch"}
ENABLED = 1 << 1


class Kernel:
    """A kernel that lets a process choose these kinds; it notes what was asked of it."""

    def __init__(self, *offered: int) -> None:
        self.offered, self.set = offered, {}

    def prctl(self, what: int, *arguments: ctypes.c_ulong) -> int:
        kind, value, *rest = (argument.value for argument in arguments)
        assert set(rest) == {0}
        if what == PR_GET_SPECULATION_CTRL:
            return ENABLED | (OFFERED if kind in self.offered else 0)
        assert what == PR_SET_SPECULATION_CTRL
        assert kind in self.offered
        self.set[kind] = value
        return 0


@pytest.mark.parametrize("offered", [(), (STORE_BYPASS,), (STORE_BYPASS, INDIRECT_BRANCH)])
def test_each_kind_that_is_offered_is_disabled_by_force_and_no_other(offered):
    kernel = Kernel(*offered)
    assert hold_back_speculation(kernel.prctl) == list(offered)
    assert kernel.set == dict.fromkeys(offered, FORCE_DISABLE)


def test_a_kernel_that_does_not_know_the_question_is_left_alone():
    assert hold_back_speculation(lambda *_: -1) == []


@pytest.mark.held_by("speculation")
def test_a_sandbox_runs_with_what_this_kernel_lets_the_launcher_disable(here, weakened, number_of):
    prctl, zero = ctypes.CDLL(None).prctl, ctypes.c_ulong(0)
    offered = [
        name
        for kind, name in LINES.items()
        if (state := prctl(PR_GET_SPECULATION_CTRL, ctypes.c_ulong(kind), zero, zero, zero)) > 0
        and state & OFFERED
    ]
    bot = here.start("import time; time.sleep(600)")
    try:
        for pid in (number_of(here.launcher), bot.pid):
            lines = dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines())
            assert [name for name in offered if "force" in lines[name]] == ([] if weakened else offered)
    finally:
        here.kill(bot)
