"""For every test: its markers and its turn, how many examples it tries, and stop signals for its programs."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
MACHINE = (
    "arbiter/sandbox",
    "contract",
    "end_to_end",
    "platform/bots/validation",
    "platform/serving",
    "platform/web/browser",
    "supervisor/test_process_manager.py",
    "supervisor/test_redis.py",
    "supervisor/test_subreaper.py",
)
"""Folders and files whose tests all look at clocks, sockets or processes; `make check` skips their import."""
STARTING = frozenset({"arbiter_process", "broker", "live_server", "site", "worker"})
"""Fixtures that start a server, a sandbox or another program. A test that uses one looks at processes."""
LONG = (
    "end_to_end/test_platform_on_postgresql.py",
    "end_to_end/test_random_kills.py",
    "end_to_end/test_sandbox_levels.py",
    "end_to_end",
    "platform/web/browser",
    "platform/tournaments/running/test_starved_bot.py",
    "contract/test_remote_bots.py",
    "contract/test_sudden_death.py",
    "platform/api/test_wrong_input.py",
    "sdk/engine/test_compiled_equals_interpreted.py",
    "contract",
    "supervisor",
    "arbiter/sandbox",
)
"""Folders and files of the longest tests and groups, which begin first, so that no process ends long after
the others."""
GC_THRESHOLDS = (20_000, 20, 20)
ALL_SLOW = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)
"""The line of a module whose tests are all slow; `make check` skips its import, which may take seconds."""

# A script's background jobs ignore Ctrl-C and those of nohup a lost terminal, and so would what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hundreds of programs are started; each would compile the same modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

for name, examples in (("check", 20), ("suite", 100), ("nightly", 2_000)):
    settings.register_profile(name, max_examples=examples, deadline=None)
settings.load_profile("suite")  # another one: --hypothesis-profile


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    chosen = config.getoption("markexpr")
    if "not machine" in chosen and collection_path in {HERE / place for place in MACHINE}:
        return True
    is_slow = (
        "not slow" in chosen
        and collection_path.suffix == ".py"
        and ALL_SLOW.search(collection_path.read_text())
    )
    return True if is_slow else None


def pytest_collection_finish() -> None:
    """Have the collector of cycles pass over what lives on, and look seldom at the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _leave_out_nightly(config, items)
    places = {HERE / place for place in MACHINE}
    for item in items:
        if not places.isdisjoint(_places(item)) or not STARTING.isdisjoint(_fixtures(item)):
            item.add_marker(pytest.mark.machine)
    turns = {HERE / place: turn for turn, place in enumerate(LONG)}
    items.sort(key=lambda item: _turn(item, turns))


def _leave_out_nightly(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `nightly`, unless the command names the marker."""
    if "nightly" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("nightly")]
    items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=left_out)


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


def _places(item: pytest.Item) -> tuple[Path, ...]:
    return (item.path, *item.path.parents)


def _turn(item: pytest.Item, turns: dict[Path, int]) -> int:
    """Return the place of the narrowest folder or file in `LONG`; all others come last."""
    return next((turns[place] for place in _places(item) if place in turns), len(turns))
