"""The version stands in one place, the files that repeat it follow, and the list of changes names it."""

import runpy
import shutil
from fnmatch import fnmatch

import pytest
from repository import COMMITTED, ROOT, text_of

RELEASE = runpy.run_path(str(ROOT / "deploy/release.py"))
COPIED = (*RELEASE["NAMED"], RELEASE["CHANGELOG"])
SETTINGS = ("*.toml", "*.cff", "*.yaml", "*.yml", "*Dockerfile", "*.service")
"""Files that programs read, in which a version that is left behind would be a fault."""

CHANGES = """# Changes

## Unreleased

### Added

### Changed

- Another.

### Removed

## 0.0.1 (2029-12-31)

- The first.
"""
RELEASED = """# Changes

## Unreleased

### Added

### Changed

### Removed

### Fixed

## 9.8.7 (2030-01-02)

### Changed

- Another.

## 0.0.1 (2029-12-31)

- The first.
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the files that name the version, with one change that is not released."""
    for name in COPIED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    return tmp_path


def test_every_file_names_the_one_version():
    version = RELEASE["version_of"](ROOT)
    assert RELEASE["named_versions"](ROOT) == {name: {version} for name in RELEASE["NAMED"]}


def test_no_other_file_of_settings_names_the_version():
    version = RELEASE["version_of"](ROOT)
    settings = (path for path in COMMITTED if any(fnmatch(path, kind) for kind in SETTINGS))
    assert {path for path in settings if version in text_of(path)} == set(RELEASE["NAMED"])


def test_the_list_of_changes_has_the_version_as_its_newest_release():
    assert RELEASE["releases"](ROOT)[0] == RELEASE["version_of"](ROOT)


def test_a_release_writes_its_version_everywhere_and_cuts_the_list_of_changes(copy):
    RELEASE["release"](copy, "9.8.7", "2030-01-02")
    assert RELEASE["named_versions"](copy) == {name: {"9.8.7"} for name in RELEASE["NAMED"]}
    assert (copy / "CHANGELOG.md").read_text() == RELEASED


@pytest.mark.parametrize("version", ["0.0.9", "1", "1.0", "v9.8.7", "9.8.7rc1", ""])
def test_what_is_no_newer_version_is_refused_and_nothing_written(copy, version):
    written = {name: (copy / name).read_text() for name in COPIED}
    with pytest.raises(RELEASE["CannotRelease"], match="is no version after"):
        RELEASE["release"](copy, version, "2030-01-02")
    assert {name: (copy / name).read_text() for name in COPIED} == written


def test_a_release_without_a_change_is_refused(copy):
    RELEASE["release"](copy, "9.8.7", "2030-01-02")
    with pytest.raises(RELEASE["CannotRelease"], match="names no change"):
        RELEASE["release"](copy, "9.8.8", "2030-01-03")
