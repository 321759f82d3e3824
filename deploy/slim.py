"""Remove from an environment what no program of a server reads: `python3 slim.py …/site-packages`.

Files that stay are not changed, so each is still the one whose digest is pinned.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = {
    "tests of packages": ("**/tests",),
    "headers, for programs that are compiled against a package": ("**/include",),
    "sources of translations": ("**/locale/*/LC_MESSAGES/*.po",),
    "onnxruntime beyond its sessions": (
        *("onnxruntime/backend", "onnxruntime/datasets", "onnxruntime/quantization", "onnxruntime/tools"),
        "onnxruntime/transformers",
        "onnxruntime/capi/libonnxruntime.so.*",  # for programs in C; Python's module contains it
    ),
    "Arrow's own ways to servers": (
        *("pyarrow/libarrow_flight.so.*", "pyarrow/libarrow_python_flight.so*", "pyarrow/_flight.*.so"),
        *("pyarrow/libarrow_s3.so.*", "pyarrow/_s3fs.*.so"),
    ),
}
"""Patterns of files and folders below the packages, by what they are."""
KEPT = {"**/locale/*/": ("de", "en"), "botocore/data/*/": ("s3", "sts")}
"""Folders of which only these are kept: the site's languages, and the services that a bucket needs."""


def main() -> None:
    packages = Path(sys.argv[1])
    for _, path in sorted(unneeded(packages)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def unneeded(packages: Path) -> Iterator[tuple[str, Path]]:
    """Yield files and folders that may go, each with the pattern that found it; one may lie in another."""
    for patterns in LEFT_OUT.values():
        for pattern in patterns:
            yield from ((pattern, path) for path in packages.glob(pattern))
    for pattern, names in KEPT.items():
        for path in packages.glob(pattern):
            if path.is_dir() and path.name not in (*names, "__pycache__"):
                yield pattern, path


if __name__ == "__main__":
    main()
