"""The part that every sandbox shows: the C library, one Python, some packages and the SDK."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path

from stichkampf.packaging.parts import PYTHON

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.programs.distributions import distribution_files
from stichkampf_arbiter.sandbox.programs.onnxruntime_part import FOLDER as ONNXRUNTIME_FOLDER
from stichkampf_arbiter.sandbox.programs.parts import PATH, CopiedPath, RuntimePart

VENV = "opt/stichkampf"
PACKAGES = ("grpcio", "protobuf", "typing_extensions", "mypy_extensions", "librt", "numpy")
"""Distributions a hosted bot may import beside the standard library and the SDK."""
METADATA = "Metadata-Version: 2.1\nName: stichkampf\nVersion: {}\n"
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
    sdk_version = importlib.metadata.version("stichkampf")
    links = (
        (version, "usr/bin/python3"),
        (f"/usr/bin/{version}", f"{VENV}/bin/python"),
        (f"/usr/bin/{version}", f"{VENV}/bin/python3"),
    )
    texts = (
        ("home = /usr/bin\ninclude-system-site-packages = false\n", f"{VENV}/pyvenv.cfg"),
        # Python looks there too, in sandboxes that show this part.
        (f"{ONNXRUNTIME_FOLDER}\n", f"{site}/parts.pth"),
        (METADATA.format(sdk_version), f"{site}/stichkampf-{sdk_version}.dist-info/METADATA"),
        ("bot:x:1000:1000:a bot:/tmp:/bin/sh\n", "etc/passwd"),
        ("bot:x:1000:\n", "etc/group"),
    )
    return RuntimePart(PYTHON, tuple(copies), links, texts)


def _packages() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for name in PACKAGES:
        found |= distribution_files(name)
    sdk = importlib.util.find_spec("stichkampf")
    if sdk is None or sdk.origin is None:
        raise SandboxError("a sandbox needs the package stichkampf")
    found["stichkampf"] = Path(sdk.origin).parent
    for compiled in Path(sdk.origin).parent.parent.glob("*__mypyc.*.so"):
        found[compiled.name] = compiled
    return found
