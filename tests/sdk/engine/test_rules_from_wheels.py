"""Compiled rules are taken out of a wheel only if it was built of the same sources and can be loaded."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

SDK = Path(__file__).parents[3] / "sdk"
SUFFIX = EXTENSION_SUFFIXES[0]


@pytest.fixture
def checkout(tmp_path):
    """A folder `sdk/` with two small modules, of which one counts and so is compiled."""
    sdk = tmp_path / "sdk"
    (sdk / "stichkampf" / "engine").mkdir(parents=True)
    for name in ("build_engine.py", "quick_bits.h"):
        shutil.copy(SDK / name, sdk)
    for folder in ("stichkampf", "stichkampf/engine"):
        (sdk / folder / "__init__.py").touch()
    (sdk / "stichkampf/engine/search.py").touch()
    (sdk / "stichkampf/engine/counting.py").write_text("from mypy_extensions import i64\n")
    return tmp_path


def pack_wheel(checkout: Path, *modules: str) -> None:
    """Write a wheel of the sources as they are now, with these modules compiled."""
    digest = runpy.run_path(str(checkout / "sdk/build_engine.py"))["digest"]()
    with zipfile.ZipFile(checkout / "stichkampf-1-cp311-cp311-linux_x86_64.whl", "w") as wheel:
        wheel.writestr("stichkampf-1.dist-info/extra_metadata/rules.sha256", digest)
        for module in modules:
            wheel.writestr(f"stichkampf/engine/{module}{SUFFIX}", "no library")


def take(checkout: Path) -> bool:
    command = [sys.executable, checkout / "sdk/build_engine.py", "--from", checkout]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def compiled(checkout: Path) -> list[str]:
    return sorted(path.name for path in checkout.rglob("*.so"))


def test_rules_of_the_same_sources_are_taken(checkout):
    pack_wheel(checkout, "counting")
    assert take(checkout)
    assert compiled(checkout) == [f"counting{SUFFIX}"]


def test_rules_of_other_sources_are_left(checkout):
    pack_wheel(checkout, "counting")
    (checkout / "sdk/stichkampf/engine/counting.py").write_text(
        "from mypy_extensions import i64  # changed\n"
    )
    assert not take(checkout)
    assert compiled(checkout) == []


def test_rules_that_cannot_be_loaded_are_removed(checkout):
    pack_wheel(checkout, "counting", "search")
    assert not take(checkout)
    assert compiled(checkout) == []


def test_a_wheel_without_compiled_rules_is_left(checkout):
    pack_wheel(checkout)
    assert not take(checkout)
