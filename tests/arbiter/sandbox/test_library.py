"""What of the machine is shown to bots, and what an administrator may set."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox import SandboxError, SandboxSettings
from stichkampf_arbiter.sandbox.library import PACKAGES, VENV, find_library


def targets() -> set[Path]:
    return {shown.target for shown in find_library().shown}


def test_only_named_packages_are_shown():
    shown = {path.name for path in targets() if path.is_relative_to(VENV) and "__mypyc" not in path.name}
    assert shown == {
        "stichkampf",
        "grpc",
        "protobuf",
        "_upb",
        "typing_extensions.py",
        "mypy_extensions.py",
        "librt",
        "numpy",
        "numpy.libs",
    }


def test_the_modules_that_mypyc_shares_are_shown_beside_the_sdk(tmp_path, monkeypatch):
    package = tmp_path / "stichkampf"
    package.mkdir()
    (package / "__init__.py").touch()
    shared = tmp_path / "0123abcd__mypyc.cpython-311-x86_64-linux-gnu.so"
    shared.touch()
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: type("Spec", (), {"origin": f"{package}/__init__.py"})
    )
    sources = {shown.source for shown in find_library().shown}
    assert {package, shared} <= sources


def test_an_interpreter_of_its_own_is_shown_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert tmp_path in targets()


def test_of_a_prefix_that_the_system_shares_only_programs_and_libraries_are_shown(monkeypatch):
    monkeypatch.setattr(sys, "base_prefix", "/usr/local")
    shown = {path for path in targets() if path.is_relative_to("/usr/local")}
    assert shown <= {Path("/usr/local/bin"), Path("/usr/local/lib")}


def test_the_systems_own_packages_are_covered(tmp_path, monkeypatch):
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert packages in find_library().hidden


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("stichkampf_arbiter.sandbox.library.PACKAGES", (*PACKAGES, "no-such-package"))
    with pytest.raises(SandboxError, match="needs the package no-such-package: install stichkampf"):
        find_library()


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
