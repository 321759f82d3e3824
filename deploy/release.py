"""Write the version of the next release into every file that names it, and cut its part of CHANGELOG.md.

    .venv/bin/python deploy/release.py 1.1.0

`version` in pyproject.toml is the one that counts; the others follow it. CONTRIBUTING.md says what comes
before and after.
"""

from __future__ import annotations

import datetime
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "CHANGELOG.md"
UNRELEASED = "## Unreleased\n"
KINDS = ("Added", "Changed", "Removed", "Fixed")
"""Headings below each release, of which those without a change are left out."""
VERSION = re.compile(r"\d+\.\d+\.\d+")
NAMED = {
    "pyproject.toml": r'(?m)^version = "(.*)"|stichkampf-server(?:\[\w+\])?==([\d.]+)"',
    "platform/pyproject.toml": r'(?m)^version = "(.*)"|"stichkampf==([\d.]+)"',
    "CITATION.cff": r"(?m)^version: (.*)",
    "deploy/kubernetes/base/kustomization.yaml": r'newTag: "(.*)"',
    "deploy/kubernetes/remote/kustomization.yaml": r'newTag: "(.*)"',
}
"""Files and the patterns of their lines with the version, each group of which is a version."""


class CannotRelease(Exception):
    """A version that is none or no newer one, or a list of changes without any."""


def version_of(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def named_versions(root: Path) -> dict[str, set[str]]:
    """Return the versions that each file names."""
    return {
        name: {
            next(filter(None, found.groups())) for found in re.finditer(pattern, (root / name).read_text())
        }
        for name, pattern in NAMED.items()
    }


def releases(root: Path) -> list[str]:
    """Return the versions that the list of changes has, the newest first."""
    return re.findall(r"(?m)^## (\d+\.\d+\.\d+) ", (root / CHANGELOG).read_text())


def release(root: Path, version: str, today: str) -> None:
    """Write a version into all files.

    :raises CannotRelease: and nothing is written.
    """
    before = version_of(root)
    if not VERSION.fullmatch(version) or _numbers(version) <= _numbers(before):
        raise CannotRelease(f"{version!r} is no version after {before}, such as {before[:-1]}9.")
    changes = (root / CHANGELOG).read_text()
    news = changes.partition(UNRELEASED)[2].partition("\n## ")[0]
    if "\n- " not in news:
        raise CannotRelease(f"{CHANGELOG} names no change under Unreleased.")
    for name, pattern in NAMED.items():
        text = (root / name).read_text()
        (root / name).write_text(re.sub(pattern, lambda found: found[0].replace(before, version), text))
    kept = re.sub(r"### \w+\n\s*(?=###|\Z)", "", news)
    empty = "".join(f"\n### {kind}\n" for kind in KINDS)
    cut = f"{UNRELEASED}{empty}\n## {version} ({today})\n{kept.rstrip()}\n"
    (root / CHANGELOG).write_text(changes.replace(f"{UNRELEASED}{news}", cut, 1))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("release: name the version to write, such as 1.1.0")
    try:
        release(ROOT, sys.argv[1], datetime.datetime.now(datetime.UTC).date().isoformat())
    except CannotRelease as error:
        sys.exit(f"release: {error}")
