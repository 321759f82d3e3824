"""The pinned requirements: complete, hashed, and what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def pinned(extra: str) -> dict[str, list[Requirement]]:
    """Requirements by name; a name has several where Python versions differ."""
    text = (ROOT / "deploy" / "requirements" / f"{extra}.txt").read_text()
    found: dict[str, list[Requirement]] = {}
    for line in re.findall(r"^\S+==[^\\\n]+", text, flags=re.MULTILINE):
        requirement = Requirement(line)
        found.setdefault(requirement.name.lower(), []).append(requirement)
    return found


def asked(extra: str) -> list[Requirement]:
    """Everything that an extra needs directly, its references to other extras followed."""
    found = []
    for text in EXTRAS[extra]:
        requirement = Requirement(text)
        if requirement.name == PROJECT["name"]:
            found += [one for inner in requirement.extras for one in asked(inner)]
        else:
            found.append(requirement)
    return found + (
        [Requirement(text) for text in PROJECT["dependencies"]] if extra in ("platform", "dev") else []
    )


@pytest.mark.parametrize("extra", ["build", "platform", "dev", "audit"])
def test_every_dependency_is_pinned_to_a_version_that_it_allows(extra):
    pins = pinned(extra)
    for requirement in asked(extra):
        versions = [
            str(pin.specifier).removeprefix("==")
            for pin in pins.get(requirement.name.lower().replace("_", "-"), [])
        ]
        assert versions, f"{requirement.name} is not pinned: run make pins"
        assert all(requirement.specifier.contains(version) for version in versions), (
            f"{requirement}: run make pins"
        )


@pytest.mark.parametrize("extra", ["build", "platform", "dev", "audit"])
def test_every_pin_has_a_hash_and_no_file_has_an_address(extra):
    text = (ROOT / "deploy" / "requirements" / f"{extra}.txt").read_text()
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert blocks
    assert [block for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text


@pytest.mark.parametrize("extra", ["build", "platform"])
def test_servers_run_what_was_tested(extra):
    tested = pinned("dev")
    for name, pins in pinned(extra).items():
        assert {str(pin.specifier) for pin in pins} <= {str(pin.specifier) for pin in tested[name]}, name
