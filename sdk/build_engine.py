"""Compile the rule engine with mypyc: the same files run interpreted where they are not compiled.

`python sdk/build_engine.py` compiles in place, for a checkout; it needs mypy, setuptools and a C compiler. A
wheel built with `STICHKAMPF_ENGINE=compiled` holds the compiled modules and fails to build without them; any
other wheel is pure Python. `--clean` removes what was compiled in place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

SDK = Path(__file__).resolve().parent
# Let the C compiler inline across the modules: only the compiled library calls its functions by name.
INLINING = (
    ["-fvisibility=hidden", "-fno-plt", "--param=max-inline-insns-auto=400", "--param=inline-unit-growth=400"]
    if sys.platform == "linux"
    else []
)
# The modules that count in `i64`. The others of these folders hold dataclasses and declarations, which gain
# nothing, and `Game`, whose subclasses in plain Python declare themselves by class attributes.
FOLDERS = ("engine", "games")
COUNTS = "from mypy_extensions import"


def sources() -> list[str]:
    """List the files to compile, relative to `sdk/`."""
    files = [path for folder in FOLDERS for path in sorted((SDK / "stichkampf" / folder).glob("*.py"))]
    return [str(path.relative_to(SDK)) for path in files if COUNTS in path.read_text()]


def clean() -> None:
    """Remove all compiled files of this checkout."""
    for compiled in [*SDK.glob("*__mypyc*.so"), *(SDK / "stichkampf").rglob("*.so")]:
        compiled.unlink()


def compile_into(target: Path) -> list[Path]:
    """Compile below the target folder, laid out as in `sdk/`; returns the compiled files.

    :raises SystemExit: naming the missing package or program, or with the words of the compiler.
    """
    try:  # here, because `sources` and `clean` work without a compiler
        from mypyc.build import mypycify
        from setuptools import Distribution
        from setuptools.command.build_ext import build_ext
    except ImportError as missing:
        raise SystemExit(f"the engine cannot be compiled: {missing.name} is not installed") from None
    if shutil.which(os.environ.get("CC", "cc")) is None:
        raise SystemExit(
            "the engine cannot be compiled: there is no C compiler (Debian: gcc and python3-dev)"
        )
    with tempfile.TemporaryDirectory() as work, contextlib.chdir(SDK):
        extensions = mypycify(
            ["--strict", "--config-file=", *sources()],
            opt_level="3",
            debug_level="0",
            target_dir=str(Path(work) / "c"),
        )
        for extension in extensions:
            extension.extra_compile_args.extend(INLINING)
        distribution = Distribution({"name": "stichkampf-engine", "ext_modules": extensions})
        command = build_ext(distribution)
        command.build_lib = str(target)
        command.build_temp = work
        command.ensure_finalized()
        command.run()
        return [target / path for path in map(Path, command.get_outputs())]


def replace_compiled_files() -> None:
    """Replace the compiled files of this checkout, all at once when all of them compiled."""
    with tempfile.TemporaryDirectory() as target:
        compile_into(Path(target))
        clean()
        for compiled in Path(target).rglob("*.so"):
            shutil.move(compiled, SDK / compiled.relative_to(target))


def main() -> None:
    if sys.argv[1:] == ["--clean"]:
        clean()
    elif sys.argv[1:]:
        raise SystemExit("usage: python sdk/build_engine.py [--clean]")
    else:
        replace_compiled_files()


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    pass
else:

    class EngineHook(BuildHookInterface[Any]):
        """Hook of the wheel's build that puts in the compiled engine, when asked to."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if os.environ.get("STICHKAMPF_ENGINE") != "compiled" or version == "editable":
                return
            self.target = tempfile.TemporaryDirectory()
            for compiled in compile_into(Path(self.target.name)):
                build_data["force_include"][str(compiled)] = str(compiled.relative_to(self.target.name))
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


if __name__ == "__main__":
    main()
