"""For every test: Ctrl-C reaches the programs that a test starts, and folders of tests have their markers."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MACHINE = (
    "arbiter/sandbox",
    "contract",
    "platform/bots/validation",
    "platform/serving",
    "supervisor",
)
"""Folders in which all tests look at clocks, sockets or processes; elsewhere single tests have the marker."""

# A script's background jobs ignore Ctrl-C, and so would all programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folders = [HERE / folder for folder in MACHINE]
    for item in items:
        if any(folder in item.path.parents for folder in folders):
            item.add_marker(pytest.mark.machine)
