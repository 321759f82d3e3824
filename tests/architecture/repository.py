"""The committed files, for tests that look at them."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMITTED = [
    path
    for path in subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")[:-1]
    if (ROOT / path).is_file()
]
GENERATED = ("sdk/stichkampf/wire/v1/",)


@cache
def text_of(path: str) -> str:
    """Read a committed file; empty where it is no text."""
    try:
        return (ROOT / path).read_text()
    except UnicodeDecodeError:
        return ""


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse(text_of(path), path)


def modules_in(*folders: str) -> Iterator[str]:
    """Yield the Python files below these folders, without generated code and migrations."""
    for path in COMMITTED:
        written = "/migrations/" not in path and not path.startswith(GENERATED)
        if written and path.endswith(".py") and path.startswith(folders):
            yield path


def trees_in(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the Python files below these folders with their syntax trees."""
    for path in modules_in(*folders):
        yield path, tree_of(path)
