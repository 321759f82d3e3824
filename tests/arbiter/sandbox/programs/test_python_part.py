"""The part of the runtime that every bot sees."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from installed_game import install_whist
from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs.python_part import PACKAGES, VENV, python_part


def targets() -> set[str]:
    return {copied.target for copied in python_part().copies}


def test_only_named_packages_are_copied():
    shown = {Path(target).name for target in targets() if target.startswith(VENV) and "__mypyc" not in target}
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


def test_a_package_that_declares_a_game_is_copied_with_what_it_declares(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    install_whist(tmp_path)
    part = python_part()
    site = next(copied.target for copied in part.copies if copied.source == tmp_path / "card_club")
    texts = {Path(path).relative_to(Path(site).parent).as_posix(): text for text, path in part.texts[2:-2]}
    declared = texts["card_club-1.0.dist-info/entry_points.txt"]
    assert declared == "[stichkampf.games]\nwhist = card_club.whist:Whist\n"
    assert "Name: card-club\n" in texts["card_club-1.0.dist-info/METADATA"]


def test_the_modules_that_mypyc_shares_are_copied_beside_the_sdk(tmp_path, monkeypatch):
    package = tmp_path / "stichkampf"
    package.mkdir()
    (package / "__init__.py").touch()
    shared = tmp_path / "0123abcd__mypyc.cpython-311-x86_64-linux-gnu.so"
    shared.touch()
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: type("Spec", (), {"origin": f"{package}/__init__.py"})
    )
    sources = {copied.source for copied in python_part().copies}
    assert {package, shared} <= sources


def test_an_interpreter_from_anywhere_lies_below_usr(tmp_path, monkeypatch):
    home = tmp_path / "anna" / "pythons" / "3.11"
    (home / "bin").mkdir(parents=True)
    (home / "lib" / "python3.11").mkdir(parents=True)
    (home / "bin" / "python3.11").touch()
    (home / "lib" / "libpython3.11.so.1.0").touch()
    monkeypatch.setattr(sys, "base_prefix", str(home))
    monkeypatch.setattr(sys, "_base_executable", str(home / "bin" / "python3.11"))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(home / "lib" / "python3.11"))
    found = {copied.source: copied.target for copied in python_part().copies}
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert found[home / "bin" / "python3.11"] == f"usr/bin/{version}"
    assert found[home / "lib" / "python3.11"] == f"usr/lib/{version}"
    assert found[home / "lib" / "libpython3.11.so.1.0"] == "usr/lib/libpython3.11.so.1.0"
    assert not any("anna" in target for target in found.values())


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(
        "stichkampf_arbiter.sandbox.programs.python_part.PACKAGES", (*PACKAGES, "no-such-package")
    )
    with pytest.raises(
        SandboxError,
        match=r"needs the package no-such-package: in a checkout, pip install \. './platform\[platform\]'",
    ):
        python_part()
