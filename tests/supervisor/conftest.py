"""Looking at processes from outside, with a deadline on every wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    def look(pid: int) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state != "Z"

    return look


@pytest.fixture
def wait_for() -> Callable[..., None]:
    def wait(condition: Callable[[], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"it did not happen within {seconds} s"
            time.sleep(0.01)

    return wait
