"""Settings of the sandbox, as an administrator writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from stichkampf_arbiter.sandbox.uids import BLOCK_UIDS, INSIDE_FIRST_UID, INSIDE_UIDS, uids_inside


def test_settings_come_from_the_environment():
    environment = {
        "STICHKAMPF_BOT_FIRST_UID": "300000",
        "STICHKAMPF_BOT_UIDS": "5000",
        "STICHKAMPF_CGROUP": "/sys/fs/cgroup/bots",
        "STICHKAMPF_RUNSC": "/usr/local/bin/runsc",
        "STICHKAMPF_WARM_SANDBOXES": "7",
    }
    assert SandboxSettings.from_environment(environment) == SandboxSettings(
        first_uid=300_000,
        uids=5000,
        cgroup=Path("/sys/fs/cgroup/bots"),
        runsc=Path("/usr/local/bin/runsc"),
        warm=7,
    )
    assert SandboxSettings.from_environment({}) == SandboxSettings()


def test_a_setting_that_is_no_number_is_named():
    with pytest.raises(
        SandboxError, match="STICHKAMPF_BOT_UIDS='many' must be a whole number, such as 60000"
    ):
        SandboxSettings.from_environment({"STICHKAMPF_BOT_UIDS": "many"})


def test_ranges_that_are_apart_outside_are_apart_for_an_ordinary_user():
    whole = range(INSIDE_FIRST_UID, INSIDE_FIRST_UID + INSIDE_UIDS)
    default = SandboxSettings()
    assert uids_inside(default.first_uid, default.uids) == whole
    ranges = [uids_inside(first, 3) for first in range(290_000, 300_000, BLOCK_UIDS)]
    assert len({each.start for each in ranges}) == len(ranges)
    for each in ranges:
        assert len(each) == 3
        assert each.start in whole
        assert (each.start - whole.start) % BLOCK_UIDS == 0
    assert uids_inside(0, 10 * INSIDE_UIDS) == whole
