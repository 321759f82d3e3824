"""A launcher tries its sandbox before it trusts it, and says what it found."""

from __future__ import annotations

import os

import pytest
from stichkampf_arbiter.sandbox.contract import BotSpec, SandboxError, SandboxLevel


@pytest.mark.parametrize(
    ("taken", "hole"),
    [
        (("seccomp",), "system calls"),
        (("seccomp", "net"), "network"),
        (("environment", "proc"), "environment"),
        (("files",), "foreign file"),
        (("root",), "writing /canary"),
        (("pid",), "killing a sandbox"),
        (("join",), "memory of several processes"),
    ],
    ids=lambda value: " and ".join(value) if isinstance(value, tuple) else "",
)
def test_a_sandbox_without_a_protection_is_refused(start, taken, hole):
    launcher = start(*taken)
    if "join" in taken and launcher.level is SandboxLevel.DEVELOPMENT:
        # No control group could be joined on this machine in the first place.
        assert "no control group" in launcher.reason
        return
    assert launcher.level is SandboxLevel.REFUSED
    assert hole in launcher.reason


def test_a_whole_sandbox_may_hold_strangers_bots(arena):
    launcher = arena.launcher
    if os.getuid() == 0:
        assert (launcher.level, launcher.reason) == (SandboxLevel.HOSTED, "")
    else:
        assert launcher.level is SandboxLevel.HOSTED or "no control group" in launcher.reason


def test_without_control_groups_the_level_is_development_and_says_why(start):
    launcher = start("cgroup")
    assert launcher.level is SandboxLevel.DEVELOPMENT
    assert "no control group holds a bot's memory and CPU" in launcher.reason


def test_without_bubblewrap_no_bot_starts_and_the_reason_says_what_to_install(start, loop, arena):
    launcher = start("bubblewrap")
    assert launcher.level is SandboxLevel.REFUSED
    assert "apt-get install bubblewrap" in launcher.reason
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        loop.run(launcher.launch(arena.spec("print('never')")))


def test_packages_below_a_folder_that_is_closed_to_bots_are_still_shown(start):
    assert start("closed").level is not SandboxLevel.REFUSED


def test_a_bot_is_described_with_the_published_limits():
    from stichkampf import limits

    spec = BotSpec("0" * 64, "archive", "socket")
    assert spec.limits.memory_bytes == limits.LIGHT.memory_bytes
    assert spec.limits.processes == limits.PROCESSES
    assert spec.limits.tmp_bytes == limits.LIGHT.temporary_bytes
