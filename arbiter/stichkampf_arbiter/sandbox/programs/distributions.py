"""The files of installed Python distributions."""

from __future__ import annotations

import csv
import importlib.metadata
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import SandboxError


def distribution_files(name: str) -> dict[str, Path]:
    """Return the files and folders of a distribution, by their paths below `site-packages`.

    :raises SandboxError: it is not installed, or not by pip.
    """
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise SandboxError(
            f"a sandbox needs the package {name}: in a checkout, pip install . './platform[platform]'"
        ) from None
    record = distribution.read_text("RECORD")
    if record is None:
        raise SandboxError(f"a sandbox needs the package {name} as pip installs it, with its RECORD")
    tops = {_top(row[0]) for row in csv.reader(record.splitlines())}
    return {
        top: Path(str(distribution.locate_file(top)))
        for top in tops
        if not top.endswith(("..", ".dist-info", "__pycache__"))
    }


def _top(file: str) -> str:
    """Name the file or folder to copy for an installed file; several packages share the folder `google`."""
    depth = 2 if file.startswith("google/") else 1
    return "/".join(file.split("/")[:depth])
