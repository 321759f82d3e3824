"""What a bot sees of the machine's files: the system's programs, one Python, five packages. Nothing else."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import SandboxError

VENV = Path("/opt/stichkampf")
PACKAGES = ("grpcio", "protobuf", "typing_extensions", "mypy_extensions", "librt", "numpy")
"""Distributions a hosted bot may import beside the standard library and the SDK."""
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/bin", "/lib", "/lib32", "/lib64")
FILES = ("/etc/ld.so.cache", "/etc/alternatives")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
METADATA = "Metadata-Version: 2.1\nName: stichkampf\nVersion: {}\n"


@dataclass(frozen=True, slots=True)
class Shown:
    """A file or folder of this machine, and where a bot finds it, read-only."""

    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class Library:
    """Everything that every sandbox shows."""

    shown: tuple[Shown, ...]
    links: tuple[tuple[str, Path], ...]
    """Symbolic links (text, place)."""
    texts: tuple[tuple[str, Path], ...]
    """Files that exist in sandboxes only (text, place)."""
    hidden: tuple[Path, ...]
    """Folders inside the shown ones that appear empty: packages of the system, which a bot has no business
    with."""


def find_library() -> Library:
    """What the running interpreter, and the distributions beside it, look like to a bot.

    :raises SandboxError: a package is not installed.
    """
    shown, links = [], []
    for place in (*SYSTEM, *FILES):
        path = Path(place)
        if path.is_symlink():
            links.append((str(path.readlink()), path))
        elif path.exists():
            shown.append(Shown(path, path))
    base = Path(sys.base_prefix).resolve()
    for part in _interpreter_parts(base):
        if part.exists() and not any(part.is_relative_to(have.target) for have in shown):
            shown.append(Shown(part, part))
    site = VENV / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    shown += [Shown(source, site / name) for name, source in sorted(_packages().items())]
    interpreter = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    links.append((str(interpreter), VENV / "bin" / "python"))
    version = importlib.metadata.version("stichkampf")
    texts = (
        (f"home = {base}/bin\ninclude-system-site-packages = false\n", VENV / "pyvenv.cfg"),
        (METADATA.format(version), site / f"stichkampf-{version}.dist-info" / "METADATA"),
        ("bot:x:1000:1000:a bot:/tmp:/bin/sh\n", Path("/etc/passwd")),
        ("bot:x:1000:\n", Path("/etc/group")),
    )
    return Library(tuple(shown), tuple(links), texts, tuple(_hidden(base)))


def _interpreter_parts(base: Path) -> list[Path]:
    """Of a prefix that the system shares, such as /usr/local, only what is Python's; of one of its own,
    all."""
    if base in (Path("/usr"), Path("/usr/local")):
        return [base / "bin", base / "lib"]
    return [base]


def _hidden(base: Path) -> list[Path]:
    places = [Path("/usr/lib/python3/dist-packages")]
    places += base.glob("lib/python3*/site-packages")
    places += base.glob("lib/python3*/dist-packages")
    return sorted({place for place in places if place.is_dir() and not place.is_symlink()})


def _packages() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for name in PACKAGES:
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            raise SandboxError(f"a sandbox needs the package {name}: install stichkampf[platform]") from None
        for file in distribution.files or ():
            if file.parts[0] == "..":
                continue
            top = Path(*file.parts[: 2 if file.parts[0] == "google" else 1])
            if not top.name.endswith((".dist-info", "__pycache__")):
                found[str(top)] = Path(str(distribution.locate_file(top)))
    sdk = importlib.util.find_spec("stichkampf")
    if sdk is None or sdk.origin is None:
        raise SandboxError("a sandbox needs the package stichkampf")
    found["stichkampf"] = Path(sdk.origin).parent
    for compiled in Path(sdk.origin).parent.parent.glob("*__mypyc.*.so"):
        found[compiled.name] = compiled
    return found
