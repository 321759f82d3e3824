"""Layout of the repository: folders that are no packages, rooms that stay small, and texts that stay out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from repository import COMMITTED, ROOT, text_of

FOLDERS_THAT_ARE_NO_PACKAGES = ("", "arbiter", "deploy", "platform", "proto", "sdk")

# A character class keeps each pattern from finding itself.
REGISTRIES = re.compile(
    r"py[p]i\.org|python[h]osted\.org|npm[j]s\.org|deb[.]debian\.org|docker[.]io|ghcr[.]io"
)
SETTINGS_OF_REGISTRIES = re.compile(r"index[-]url|find[-]links(?! dist\b)")
HAND_SETTINGS_ON = ("Makefile", "deploy/uv.py", "tests/supervisor/test_uv.py")
PLACES_OF_ONE_MACHINE = re.compile(r"(?<![\w./-])/(?:wor[k]|roo[t]|hom[e]/\w+|Use[r]s|tm[p]/brief)/")


def findings(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path in COMMITTED
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("folder", FOLDERS_THAT_ARE_NO_PACKAGES)
def test_a_folder_that_would_hide_a_module_is_no_package(folder):
    assert not (ROOT / folder / "__init__.py").exists()


def test_a_folder_of_tests_is_a_package_only_where_fixtures_end_with_it():
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    folders |= {
        parent for folder in folders for parent in folder.parents if parent.is_relative_to(ROOT / "tests")
    }
    assert [folder.name for folder in folders if (folder / "__init__.py").exists()] == ["end_to_end"]


def test_every_folder_with_tests_is_run():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["testpaths"]
    folders = {path.relative_to(ROOT).parts[:2] for path in (ROOT / "tests").rglob("test_*.py")}
    assert sorted(named) == sorted("/".join(folder) for folder in folders)


def test_pythons_own_platform_module_is_not_hidden():
    import platform

    assert Path(platform.__file__).name == "platform.py"


def test_no_committed_file_names_a_registry():
    assert findings(REGISTRIES) == []


def test_only_what_runs_uv_knows_how_a_registry_is_set():
    assert {found.split(":")[0] for found in findings(SETTINGS_OF_REGISTRIES)} == set(HAND_SETTINGS_ON)


def test_no_committed_file_names_a_place_on_one_machine():
    assert findings(PLACES_OF_ONE_MACHINE) == []


def test_no_test_is_skipped_or_expected_to_fail():
    marks = re.compile(r"pytest\.(?:mark\.)?(?:ski[p]|xfai[l]|importorski[p])\b")
    assert [found for found in findings(marks) if found.startswith("tests/")] == []
