"""Secrets come from the environment or from files: no committed setting or deployment has one."""

from __future__ import annotations

import ast
import re

import pytest
from repository import COMMITTED, text_of, trees_in

SECRET = re.compile(r"(?i)(^|_)(secret|secret_key|secret_access_key|access_key_id|password|token)$")
REFERENCE = re.compile(r"\$\{\w+(:[?-][^}]*)?\}")


def written_secrets(tree: ast.Module) -> list[str]:
    """Name every variable, key and argument that is called a secret and gets a text that is not empty."""
    found = []
    for node in ast.walk(tree):
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(ast.unparse(target), node.value) for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            pairs = [(ast.unparse(node.target), node.value)]
        elif isinstance(node, ast.Dict):
            keys = [str(key.value) if isinstance(key, ast.Constant) else "" for key in node.keys]
            pairs = list(zip(keys, node.values, strict=True))
        elif isinstance(node, ast.keyword):
            pairs = [(node.arg or "", node.value)]
        found += [
            name
            for name, value in pairs
            if SECRET.search(name)
            and isinstance(value, ast.Constant)
            and isinstance(value.value, str)
            and value.value
            and not value.value.startswith("stichkampf_platform.")  # the path of a class
        ]
    return found


def deployed_secrets(text: str) -> list[str]:
    """List the lines of a YAML, unit or container file that give a secret a value of its own."""
    found = []
    for line in text.splitlines():
        named = re.fullmatch(r"[\s-]*(?:Environment=|ENV |ARG )?\"?([A-Za-z_]+)\"?\s*[:=]\s*(.*)", line)
        if named and SECRET.search(named[1]) and REFERENCE.sub("", named[2]).strip("\"' "):
            found.append(line.strip())
    return found


def test_settings_have_no_secret_of_their_own():
    settings = list(trees_in("platform/stichkampf_platform/settings/"))
    assert settings
    # what production calls a secret is what it says of a missing one
    explained = {"platform/stichkampf_platform/settings/production.py": ["SECRET_KEY"]}
    found = {path: written_secrets(tree) for path, tree in settings}
    assert {path: names for path, names in found.items() if names} == explained


def test_deployments_have_no_secret_of_their_own():
    files = [path for path in COMMITTED if path.startswith("deploy/") and not path.endswith((".md", ".py"))]
    assert "deploy/compose.yaml" in files
    assert {path: lines for path in files if (lines := deployed_secrets(text_of(path)))} == {}


@pytest.mark.parametrize(
    "line",
    [
        'SECRET_KEY = "abc"',
        'EMAIL_PASSWORD: str = "abc"',
        'OPTIONS = {"secret": "abc"}',
        'connect(password="abc")',
    ],
)
def test_a_secret_in_a_module_is_found(line):
    assert written_secrets(ast.parse(line))


@pytest.mark.parametrize(
    "line",
    ["  SECRET_KEY: abc", "Environment=METRICS_TOKEN=abc", "ENV EMAIL_PASSWORD=abc", "  PASSWORD: a${B}"],
)
def test_a_secret_in_a_deployment_is_found(line):
    assert deployed_secrets(line) == [line.strip()]


@pytest.mark.parametrize(
    "line", ["  SECRET_KEY: ${SECRET_KEY:?a text}", "  EMAIL_PASSWORD: ${EMAIL_PASSWORD:-}", "  TOKEN: ''"]
)
def test_a_reference_is_no_secret(line):
    assert deployed_secrets(line) == []
