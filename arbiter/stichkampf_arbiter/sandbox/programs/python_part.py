"""The part that every sandbox shows: the C library, one Python, some packages and the SDK."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

from stichkampf.games.installed import GROUP, installed_games, package_of
from stichkampf.packaging.parts import PYTHON

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs.distributions import distribution_files
from stichkampf_arbiter.sandbox.programs.onnxruntime_part import FOLDER as ONNXRUNTIME_FOLDER
from stichkampf_arbiter.sandbox.programs.parts import PATH, CopiedPath, RuntimePart

VENV = "opt/stichkampf"
PACKAGES = ("grpcio", "protobuf", "typing_extensions", "mypy_extensions", "librt", "numpy")
"""Distributions a hosted bot may import beside the standard library, the SDK and packages with a game."""
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"
LOCALE = Path("/usr/lib/locale/C.utf8")


def python_part() -> RuntimePart:
    """Lay out the running interpreter and its distributions for a bot: below /usr, wherever they are on this
    machine.

    :raises SandboxError: a package is not installed.
    """
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    interpreter = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    copies = [
        CopiedPath(interpreter, f"usr/bin/{version}"),
        CopiedPath(Path(sysconfig.get_path("stdlib")).resolve(), f"usr/lib/{version}"),
    ]
    libraries = Path(sys.base_prefix).resolve() / "lib"
    copies += [CopiedPath(path, f"usr/lib/{path.name}") for path in sorted(libraries.glob("libpython3*.so*"))]
    site = f"{VENV}/lib/{version}/site-packages"
    copies += [CopiedPath(source, f"{site}/{name}") for name, source in sorted(_packages().items())]
    env = shutil.which("env", path=PATH)
    if env is not None:
        copies.append(CopiedPath(Path(env).resolve(), "usr/bin/env"))
    if LOCALE.is_dir():
        copies.append(CopiedPath(LOCALE, str(LOCALE.relative_to("/"))))
    links = (
        (version, "usr/bin/python3"),
        (f"/usr/bin/{version}", f"{VENV}/bin/python"),
        (f"/usr/bin/{version}", f"{VENV}/bin/python3"),
    )
    texts = (
        ("home = /usr/bin\ninclude-system-site-packages = false\n", f"{VENV}/pyvenv.cfg"),
        # Python looks there too, in sandboxes that show this part.
        (f"{ONNXRUNTIME_FOLDER}\n", f"{site}/parts.pth"),
        *((text, f"{site}/{name}") for text, name in _declarations()),
        ("bot:x:1000:1000:a bot:/tmp:/bin/sh\n", "etc/passwd"),
        ("bot:x:1000:\n", "etc/group"),
    )
    return RuntimePart(PYTHON, tuple(copies), links, texts)


def _declarations() -> Iterator[tuple[str, str]]:
    """Give texts by which Python knows the version of the SDK, and the SDK the games of other packages."""
    games: dict[str, list[EntryPoint]] = {"stichkampf": []}
    for point in installed_games().values():
        games.setdefault(package_of(point), []).append(point)
    for name, points in games.items():
        version = importlib.metadata.version(name)
        folder = f"{name.replace('-', '_')}-{version}.dist-info"
        yield METADATA.format(name, version), f"{folder}/METADATA"
        if points:
            lines = (f"{point.name} = {point.value}\n" for point in points)
            yield f"[{GROUP}]\n{''.join(lines)}", f"{folder}/entry_points.txt"


def _packages() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for name in (*PACKAGES, *{package_of(point) for point in installed_games().values()}):
        found |= distribution_files(name)
    sdk = importlib.util.find_spec("stichkampf")
    if sdk is None or sdk.origin is None:
        raise SandboxError("a sandbox needs the package stichkampf")
    found["stichkampf"] = Path(sdk.origin).parent
    for compiled in Path(sdk.origin).parent.parent.glob("*__mypyc.*.so"):
        found[compiled.name] = compiled
    return found
