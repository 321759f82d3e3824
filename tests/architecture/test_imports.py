"""Directions of imports, and the modules that an author's plain `import stichkampf` loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repository import trees_in

ROOT = Path(__file__).parents[2]


def modules_loaded_by(statement: str) -> set[str]:
    program = f"{statement}; import sys; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        ).stdout.split()
    )


def lint_imports(config: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter in a process of its own: it replaces the logging of the process that it runs in."""
    command = [Path(sys.executable).with_name("lint-imports"), "--config", config, "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=config.parent, capture_output=True, text=True)


def test_imports_keep_to_the_direction_of_the_architecture():
    linted = lint_imports(ROOT / "pyproject.toml")
    assert linted.returncode == 0, linted.stdout


def test_a_forbidden_import_is_noticed(tmp_path):
    package = tmp_path / "rules_with_a_clock"
    package.mkdir()
    (package / "__init__.py").write_text("import time\n")
    config = tmp_path / "contracts.toml"
    config.write_text(
        '[tool.importlinter]\nroot_packages = ["rules_with_a_clock"]\ninclude_external_packages = true\n'
        '[[tool.importlinter.contracts]]\nname = "pure"\ntype = "forbidden"\n'
        'source_modules = ["rules_with_a_clock"]\nforbidden_modules = ["time"]\n'
    )
    linted = lint_imports(config)
    assert linted.returncode == 1
    assert "rules_with_a_clock is not allowed to import time" in linted.stdout


@pytest.mark.parametrize(
    "heavy", ["grpc", "google.protobuf", "numpy", "scipy", "django", "asyncio", "stichkampf.bots.registry"]
)
def test_importing_the_sdk_does_not_load(heavy):
    assert heavy not in modules_loaded_by("import stichkampf")


def test_importing_the_sdk_loads_few_modules():
    """Half of the time of `import stichkampf`, some 70 ms on a quiet machine, is the standard library's."""
    assert len(modules_loaded_by("import stichkampf") - modules_loaded_by("pass")) <= 120


@pytest.mark.parametrize("heavy", ["grpc", "numpy", "django"])
def test_playing_a_local_match_does_not_load(heavy):
    assert heavy not in modules_loaded_by(
        "import stichkampf.match.match, stichkampf.games, stichkampf.bots.practice"
    )


@pytest.mark.parametrize("heavy", ["asyncio", "grpc", "numpy"])
@pytest.mark.parametrize("process", ["main", "guardian"])
def test_the_processes_above_the_sandboxes_do_not_load(process, heavy):
    assert heavy not in modules_loaded_by(f"import stichkampf_arbiter.sandbox.launcher.{process}")


def test_the_guardian_of_a_launcher_loads_little_of_ours():
    loaded = modules_loaded_by("import stichkampf_arbiter.sandbox.launcher.guardian")
    assert "stichkampf" not in loaded


def test_of_the_lab_others_know_only_the_names_that_its_readme_lists():
    known = (
        alias.name
        for path, tree in trees_in("sdk/", "arbiter/", "platform/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        and not path.startswith(("sdk/stichkampf/lab/", "sdk/stichkampf/batch/"))
        for alias in node.names
        if f"{getattr(node, 'module', alias.name)}.".startswith("stichkampf.lab.")
    )
    told = (ROOT / "sdk/stichkampf/lab/README.md").read_text().partition("no others:")[2]
    listed = [name for row in re.findall(r"^\|(.*?)\|", told, re.M) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(set(known)) == sorted(listed)
