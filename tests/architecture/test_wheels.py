"""The two distributions: the files in their wheels, what they ask for, and the command."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from repository import COMMITTED, ROOT

MOST_BYTES = 1_000_000
OTHERS = ("licenses/LICENSE", "entry_points.txt", "METADATA", "RECORD", "WHEEL")


@dataclass(frozen=True)
class BuiltWheel:
    """A wheel with the paths in it, those of its metadata below `dist-info`."""

    path: Path
    files: list[str]
    metadata: Message
    entry_points: str

    @classmethod
    def build(cls, project: Path, target: Path) -> BuiltWheel:
        """Build it with the packages that are installed, without compiling the rules."""
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", target],
            cwd=project,
            env={**os.environ, "STICHKAMPF_ENGINE": "interpreted"},
            check=True,
            capture_output=True,
        )
        (path,) = target.glob("*.whl")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            folder = next(name.split("/")[0] for name in names if ".dist-info/" in name)
            texts = {
                name: wheel.read(f"{folder}/{name}").decode()
                for name in OTHERS
                if f"{folder}/{name}" in names
            }
        return cls(
            path,
            [name.replace(folder, "dist-info") for name in names],
            Parser().parsestr(texts["METADATA"]),
            texts.get("entry_points.txt", ""),
        )

    def modules(self) -> set[str]:
        return {file for file in self.files if not file.startswith("dist-info/")}


@pytest.fixture(scope="module")
def for_authors(tmp_path_factory) -> BuiltWheel:
    """The wheel of `stichkampf`."""
    return BuiltWheel.build(ROOT, tmp_path_factory.mktemp("stichkampf"))


@pytest.fixture(scope="module")
def for_servers(tmp_path_factory) -> BuiltWheel:
    """The wheel of `stichkampf-server`."""
    return BuiltWheel.build(ROOT / "platform", tmp_path_factory.mktemp("server"))


def committed_below(*folders: str) -> set[str]:
    """List the committed files below folders such as `sdk/stichkampf`, by their paths in a wheel."""
    return {
        path.split("/", 1)[1] for path in COMMITTED if path.startswith(tuple(f"{one}/" for one in folders))
    }


def test_the_wheel_for_authors_holds_the_sdk_and_nothing_else(for_authors):
    assert for_authors.modules() == committed_below("sdk/stichkampf")
    assert "stichkampf/py.typed" in for_authors.files
    assert "dist-info/licenses/LICENSE" in for_authors.files


def test_the_wheel_for_servers_holds_arbiter_platform_and_compiled_translations(for_servers):
    sources = committed_below("arbiter/stichkampf_arbiter", "platform/stichkampf_platform")
    translations = {path.replace(".po", ".mo") for path in sources if path.endswith(".po")}
    assert for_servers.modules() == sources | translations
    assert len(translations) == 2
    assert "dist-info/licenses/LICENSE" in for_servers.files


def test_the_wheel_for_authors_is_small(for_authors):
    assert for_authors.path.stat().st_size <= MOST_BYTES


def test_a_wheel_without_compiled_rules_runs_on_every_machine(for_authors, for_servers):
    assert for_authors.path.name.endswith("-py3-none-any.whl")
    assert for_servers.path.name.endswith("-py3-none-any.whl")


def test_both_have_one_version_and_ask_for_it(for_authors, for_servers):
    version = for_authors.metadata["Version"]
    assert for_servers.metadata["Version"] == version
    assert f"stichkampf=={version}" in for_servers.metadata.get_all("Requires-Dist")
    asked = for_authors.metadata.get_all("Requires-Dist")
    assert f"stichkampf-server=={version}; extra == 'sandbox'" in asked
    assert f"stichkampf-server[view]=={version}; extra == 'view'" in asked


def test_authors_get_no_library_of_the_server(for_authors):
    plain = [text for text in for_authors.metadata.get_all("Requires-Dist") if "extra ==" not in text]
    assert sorted(text.split(">")[0] for text in plain) == [
        "grpcio", "librt", "mypy-extensions", "protobuf", "shtab",
    ]  # fmt: skip


def test_the_command_comes_with_the_wheel_for_authors(for_authors, for_servers):
    assert for_servers.entry_points == ""
    assert for_authors.entry_points.split() == ["[console_scripts]", "stichkampf", "=", "stichkampf.cli:main"]
    assert callable(EntryPoint("stichkampf", "stichkampf.cli:main", "console_scripts").load())


def test_the_compiler_is_the_one_that_is_pinned():
    """The rules are compiled alike in a checkout and in an author's build."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    builder = runpy.run_path(str(ROOT / "sdk" / "build_engine.py"))
    others = ("hatchling", "polib")  # these build both wheels, compiled or not
    assert builder["COMPILER_PACKAGES"] == tuple(
        text for text in groups["build"] if not text.startswith(others)
    )


def test_the_dockerfile_copies_what_both_wheels_are_made_of(tmp_path, for_authors, for_servers):
    steps = (ROOT / "deploy" / "Dockerfile").read_text()
    for copied in re.findall(r"^COPY (?!--from)(.+) \S+$", steps, flags=re.MULTILINE):
        for path in COMMITTED:
            if path.startswith(tuple(copied.split())) and (ROOT / path).is_file():
                (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, tmp_path / path)
    for project, whole in ((tmp_path, for_authors), (tmp_path / "platform", for_servers)):
        built = BuiltWheel.build(project, tmp_path / "built" / whole.path.name)
        assert built.modules() == whole.modules()
