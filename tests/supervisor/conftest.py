"""Fixtures that look at processes from outside, with a deadline on every wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import is_running, wait_until


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    return is_running


@pytest.fixture
def wait_for() -> Callable[..., None]:
    return wait_until
