"""Compile the rule engine with mypyc: the same files run interpreted where they are not compiled.

`python sdk/build_engine.py` compiles in place, for a checkout; it needs mypy, setuptools and a C compiler. A
wheel built with `STICHKAMPF_ENGINE=compiled` holds the compiled modules and fails to build without them; any
other wheel is pure Python. `--clean` removes what was compiled in place.

The C code that mypyc writes is completed in two ways before it is compiled: `with_quick_bits` lets functions
of `engine/bits.py` use instructions of the processor, and `with_docstrings` adds what mypyc leaves out, so
that `help()` tells the same of compiled classes as of the sources.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import runpy
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
FOLDERS = ("engine", "games", "policies", "observations", "batch")
COUNTS = "from mypy_extensions import"
QUICK_BITS = SDK / "quick_bits.h"


def sources() -> list[str]:
    """List the files to compile, relative to `sdk/`."""
    files = [path for folder in FOLDERS for path in sorted((SDK / "stichkampf" / folder).glob("*.py"))]
    return [str(path.relative_to(SDK)) for path in files if COUNTS in path.read_text()]


def clean() -> None:
    """Remove all compiled files of this checkout."""
    for compiled in [*SDK.glob("*__mypyc*.so"), *(SDK / "stichkampf").rglob("*.so")]:
        compiled.unlink()


def complete(written: Path) -> None:
    """Complete the C code that mypyc wrote for all modules."""
    code = with_quick_bits(written.read_text(encoding="utf-8"), QUICK_BITS.read_text(encoding="utf-8"))
    written.write_text(with_docstrings(code), encoding="utf-8")


def with_quick_bits(code: str, quick: str) -> str:
    """Begin each function of `engine/bits.py` that has a quick way with that way.

    :raises SystemExit: mypyc wrote no such function.
    """
    for name in sorted(set(re.findall(r"#define QUICK_(\w+)\(", quick))):
        function = re.search(
            rf"^(?:int64_t |PyObject \*)CPyDef_bits___{name}\((.+)\) {{$", code, flags=re.MULTILINE
        )
        if function is None:
            raise SystemExit(
                f"the engine cannot be compiled: mypyc wrote no function {name} of engine/bits.py"
            )
        arguments = ", ".join(argument.split()[-1] for argument in function[1].split(","))
        code = f"{code[: function.end()]}\n    QUICK_{name}({arguments}){code[function.end() :]}"
    return f"{quick}\n{code}"


def with_docstrings(code: str) -> str:
    """Give every module, class, method and function of the C code the signature and docstring of its source.

    :raises SystemExit: mypyc wrote a class in a way that is not known here.
    """
    classes = {node.name: node for tree in parsed_folders() for node in classes_in(tree)}
    told: dict[str, str] = {}  # by mypyc's name of a function
    for path in sources():
        tree = ast.parse((SDK / path).read_text(encoding="utf-8"))
        module = re.escape(path.removesuffix(".py").replace("/", "."))
        text = in_c(ast.get_docstring(tree) or "")
        code = re.sub(rf'("{module}",\s+)NULL(?=, /\* docstring \*/)', lambda m, text=text: m[1] + text, code)
        own: dict[str, str] = {f.name: documented(f, arguments_of(f)) for f in functions_in(tree)}
        for node in classes_in(tree):
            for method in functions_in(node):
                own[f"{node.name}___{method.name}"] = documented(method, "$" + arguments_of(method))
            text = documented(node, arguments_of(constructor(node, classes)).partition(", ")[2])
            code, count = re.subn(
                rf'(\.tp_doc = )PyDoc_STR\("{node.name}\((?:[^"\\]|\\.)*"\)',
                lambda m, text=text: f"{m[1]}PyDoc_STR({text})",
                code,
            )
            if count != 1:
                raise SystemExit(f"the engine cannot be compiled: mypyc wrote {count} classes {node.name}")
        # mypyc puts the folder before the names of modules that are called alike.
        folder, stem = Path(path).parent.name, Path(path).stem
        for name, text in own.items():
            told[f"{stem}___{name}"] = told[f"{folder}___{stem}___{name}"] = text
    return re.sub(
        r'(CPyPy_(\w+),\s+METH[A-Z_ |]+, )(?:PyDoc_STR\("(?:[^"\\]|\\.)*"\)|NULL)',
        lambda m: f"{m[1]}PyDoc_STR({told[m[2]]})" if m[2] in told else m[0],
        code,
    )


def parsed_folders() -> list[ast.Module]:
    """Parse every module of the compiled folders, also those that are not compiled."""
    paths = [path for folder in FOLDERS for path in sorted((SDK / "stichkampf" / folder).glob("*.py"))]
    return [ast.parse(path.read_text(encoding="utf-8")) for path in paths]


def classes_in(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def functions_in(node: ast.Module | ast.ClassDef) -> list[ast.FunctionDef]:
    return [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]


def constructor(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> ast.FunctionDef | None:
    """Return the `__init__` that a class has or inherits."""
    own = [function for function in functions_in(node) if function.name == "__init__"]
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return own[0] if own else constructor(bases[0], classes) if bases else None


def arguments_of(function: ast.FunctionDef | None) -> str:
    """Return the arguments without their types, which CPython does not read from C."""
    if function is None:
        return ""
    arguments = function.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        argument.annotation = None
    return ast.unparse(arguments)


def documented(node: ast.FunctionDef | ast.ClassDef, arguments: str) -> str:
    """Return signature and docstring as CPython reads them, as a string of C."""
    return in_c(f"{node.name}({arguments})\n--\n\n{ast.get_docstring(node) or ''}")


def in_c(text: str) -> str:
    """Return a text as a string of C, every byte that is not plain as three octal digits."""
    plain = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode()
    ]
    return f'"{"".join(plain)}"'


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
        complete(Path(extensions[0].sources[0]))
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
        """Hook of the wheel's build that puts in the compiled translations, and the engine when asked to."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if version == "editable":
                return
            self._put_in_messages(build_data)
            if os.environ.get("STICHKAMPF_ENGINE") == "compiled":
                self._put_in_engine(build_data)

        def _put_in_messages(self, build_data: dict[str, Any]) -> None:
            """Put the compiled translations of the site into the wheel, where its sources are there."""
            builder = SDK.parent / "platform" / "build_messages.py"
            if not builder.exists():
                return
            for compiled in runpy.run_path(str(builder))["compile_messages"]():
                build_data["force_include"][str(compiled)] = str(compiled.relative_to(builder.parent))

        def _put_in_engine(self, build_data: dict[str, Any]) -> None:
            self.target = tempfile.TemporaryDirectory()
            for compiled in compile_into(Path(self.target.name)):
                build_data["force_include"][str(compiled)] = str(compiled.relative_to(self.target.name))
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


if __name__ == "__main__":
    main()
