"""Settings of the sandbox, as an administrator writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.settings import SandboxSettings


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
