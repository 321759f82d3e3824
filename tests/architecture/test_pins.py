"""The pinned requirements: complete, hashed, and what the two pyproject.toml ask for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
FILES = {
    "stichkampf": tomllib.loads((ROOT / "pyproject.toml").read_text()),
    "stichkampf-server": tomllib.loads((ROOT / "platform" / "pyproject.toml").read_text()),
}
GROUPS = FILES["stichkampf"]["dependency-groups"]
PINNED = ["setup", "build", "platform", "dev", "audit"]


def pinned(name: str) -> dict[str, list[Requirement]]:
    """Requirements by name."""
    text = (ROOT / "deploy" / "requirements" / f"{name}.txt").read_text()
    found: dict[str, list[Requirement]] = {}
    for line in re.findall(r"^\S+==[^\\\n]+", text, flags=re.MULTILINE):
        requirement = Requirement(line)
        found.setdefault(requirement.name.lower(), []).append(requirement)
    return found


def needed(distribution: str, extras: set[str]) -> list[Requirement]:
    """List everything that a distribution of ours needs directly, its references to the others followed."""
    project = FILES[distribution]["project"]
    texts = [*project["dependencies"]]
    for extra in extras:
        texts += project["optional-dependencies"][extra]
    return followed(texts)


def followed(texts: list[str | dict[str, str]]) -> list[Requirement]:
    found = []
    for text in texts:
        if isinstance(text, dict):
            found += followed(GROUPS[text["include-group"]])
            continue
        requirement = Requirement(text)
        ours = requirement.name in FILES
        found += needed(requirement.name, requirement.extras) if ours else [requirement]
    return found


def asked(name: str) -> list[Requirement]:
    return needed("stichkampf-server", {"platform"}) if name == "platform" else followed(GROUPS[name])


@pytest.mark.parametrize("name", PINNED)
def test_every_dependency_is_pinned_to_a_version_that_it_allows(name):
    pins = pinned(name)
    for requirement in asked(name):
        versions = [
            str(pin.specifier).removeprefix("==")
            for pin in pins.get(requirement.name.lower().replace("_", "-"), [])
        ]
        assert versions, f"{requirement.name} is not pinned: run make pins"
        assert all(requirement.specifier.contains(version) for version in versions), (
            f"{requirement}: run make pins"
        )


@pytest.mark.parametrize("name", PINNED)
def test_every_pin_has_a_hash_and_no_file_has_an_address(name):
    text = (ROOT / "deploy" / "requirements" / f"{name}.txt").read_text()
    blocks = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert blocks
    assert [block for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text


@pytest.mark.parametrize("name", PINNED)
def test_every_python_gets_the_same_version(name):
    """Types are checked and tests run on one Python, and bots of all meet the same packages."""
    assert {name: pins for name, pins in pinned(name).items() if len(pins) > 1} == {}


@pytest.mark.parametrize("extra", ["setup", "build", "platform"])
def test_servers_run_what_was_tested(extra):
    tested = pinned("dev")
    for name, pins in pinned(extra).items():
        assert {str(pin.specifier) for pin in pins} <= {str(pin.specifier) for pin in tested[name]}, name
