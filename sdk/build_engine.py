"""Compile the rule engine with mypyc: the same files run interpreted where they are not compiled.

`python sdk/build_engine.py` compiles in place, for a checkout; it needs mypy, numpy, setuptools and a C
compiler. `--plain` compiles what mypyc writes as it is. `--clean` removes what was compiled in place. `--from
FOLDER` takes the compiled modules out of a wheel in that folder instead, where one was built from the same
sources for this interpreter, and else exits with 1.

A wheel holds the compiled modules where a C compiler is at hand at its build, and is pure Python otherwise.
`STICHKAMPF_ENGINE=compiled` insists on them, `STICHKAMPF_ENGINE=interpreted` leaves them out.

The C code that mypyc writes is completed in three ways before it is compiled: `with_quick_bits` lets
functions of `engine/bits.py` use instructions of the processor, `with_straight_paths` leaves out questions
that are always answered alike, and `with_docstrings` adds what mypyc leaves out, so that `help()` tells the
same of compiled classes as of the sources, types included, and what they promise first. Where mypyc writes
otherwise than is known here, as another version may, its code is compiled as it is: right, and slower. A line
says so.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

SDK = Path(__file__).resolve().parent
# Let the C compiler inline across the modules: only the compiled library calls its functions by name. What it
# does last it does in as many processes as there are cores.
OPTIMISATION = (
    [
        "-fvisibility=hidden",
        "-fno-plt",
        "--param=max-inline-insns-auto=400",
        "--param=inline-unit-growth=400",
        "-flto=auto",
    ]
    if sys.platform == "linux"
    else []
)
# Of these folders the modules with native integers or classes: rules, referee, clocks and frames. The others
# hold dataclasses and declarations, which gain nothing, and `Game`, whose subclasses in plain Python declare
# themselves by class attributes.
FOLDERS = (
    *("engine", "games", "match", "policies", "policies/tricks", "lab/observations", "lab/batch", "timing"),
    "wire",
)
NATIVE = "from mypy_extensions import"
QUICK_BITS = SDK / "quick_bits.h"
# mypyc's C: a number is read from an attribute, and -113 may say that it was never set; a place in a vec is
# in its bounds, or may count from the end.
NUMBER_IS_READ = re.compile(
    r"(?P<read> {4}(?P<number>cpy_r_r\d+) = \(\(\w+ \*\)\w+\)->_\w+;\n)"
    r" {4}if \(unlikely\((?P=number) == -113\) && !\(\(\(\w+ \*\)\w+\)->bitmap & \d+\)\) \{\n"
    r' {8}PyErr_SetString\(PyExc_AttributeError, "[^"]*"\);\n {4}\}\n'
    r"(?P<unset> {4}cpy_r_r\d+ =) (?P=number) == -113;"
)
PLACE_IS_IN_BOUNDS = re.compile(
    r"( {4}(?P<inside>cpy_r_r\d+) = \(uint64_t\)\w+ < \(uint64_t\)\w+;\n {4}if \()((?P=inside))\)"
)
MYPYC_OPTIONS = ("--strict", "--config-file=", "--follow-imports=silent")
"""Modules that the compiled ones lead to may need libraries that are not here, such as those of learners."""
COMPILER_PACKAGES = ("mypy[mypyc]==2.4.1", "numpy>=2.2", "setuptools>=75")  # numpy for its types
DIGEST = "rules.sha256"
"""A file in a wheel's metadata: of which sources the compiled modules were made."""


def sources() -> list[str]:
    """List the files to compile, relative to `sdk/`."""
    files = [path for folder in FOLDERS for path in sorted((SDK / "stichkampf" / folder).glob("*.py"))]
    return [str(path.relative_to(SDK)) for path in files if NATIVE in path.read_text()]


def digest() -> str:
    """Return a digest of all that the compiled modules are made of."""
    made_of = [SDK / path for path in sources()] + [QUICK_BITS, Path(__file__)]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in made_of)).hexdigest()


def has_compiler() -> bool:
    """Tell whether a C compiler and Python's headers are here."""
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(os.environ.get("CC", "cc")) is not None and headers.exists()


def clean() -> None:
    """Remove all compiled files of this checkout."""
    for compiled in [*SDK.glob("*__mypyc*.so"), *(SDK / "stichkampf").rglob("*.so")]:
        compiled.unlink()


class UnknownCode(Exception):
    """C code of mypyc of a form that is not known here."""


def complete(written: Path) -> None:
    """Complete the C code that mypyc wrote for all modules; leave it as it is where its form is not known."""
    code = written.read_text(encoding="utf-8")
    try:
        code = with_straight_paths(with_quick_bits(code, QUICK_BITS.read_text(encoding="utf-8")))
        written.write_text(with_docstrings(code), encoding="utf-8")
    except UnknownCode as unknown:
        print(f"the rules are compiled as mypyc writes them, and slower: {unknown}", file=sys.stderr)


def with_quick_bits(code: str, quick: str) -> str:
    """Begin each function of `engine/bits.py` that has a quick way with that way.

    :raises UnknownCode: mypyc wrote no such function.
    """
    for name in sorted(set(re.findall(r"#define QUICK_(\w+)\(", quick))):
        function = re.search(
            rf"^(?:int64_t |PyObject \*)CPyDef_bits___{name}\((.+)\) {{$", code, flags=re.MULTILINE
        )
        if function is None:
            raise UnknownCode(f"mypyc wrote no function {name} of engine/bits.py")
        arguments = ", ".join(argument.split()[-1] for argument in function[1].split(","))
        code = f"{code[: function.end()]}\n    QUICK_{name}({arguments}){code[function.end() :]}"
    return f"{quick}\n{code}"


def with_straight_paths(code: str) -> str:
    """Leave out the question whether a number of an object was ever set, and expect places in vecs to be in
    bounds.

    Both are asked at nearly every step of a playout. A number that was never set reads as -113 then, where
    the interpreted class raises `AttributeError`, so the tests of interpreted rules tell. Bounds stay
    checked.

    :raises UnknownCode: mypyc asks in a way that is not known here.
    """
    code, numbers = NUMBER_IS_READ.subn(r"\g<read>\g<unset> 0;", code)
    code, places = PLACE_IS_IN_BOUNDS.subn(r"\1likely(\3))", code)
    if not numbers or not places:
        raise UnknownCode("mypyc reads attributes or vecs in a way unknown here")
    return code


def with_docstrings(code: str) -> str:
    """Give every module, class, method and function of the C code the signature and docstring of its source,
    and every annotated attribute its type.

    CPython reads signatures without types from C, so the types stand in the first line of the docstring.

    :raises UnknownCode: mypyc wrote a class in a way that is not known here.
    """
    classes = {node.name: node for tree in parsed_folders() for node in classes_in(tree)}
    told: dict[str, str] = {}  # by mypyc's name of a function
    attributes: dict[str, str] = {}  # by the end of mypyc's name of what reads one
    for path in sources():
        tree = ast.parse((SDK / path).read_text(encoding="utf-8"))
        module = re.escape(path.removesuffix(".py").replace("/", "."))
        text = in_c(ast.get_docstring(tree) or "")
        code = re.sub(rf'("{module}",\s+)NULL(?=, /\* docstring \*/)', lambda m, text=text: m[1] + text, code)
        own = {f.name: documented(f, arguments_of(f)) for f in functions_in(tree)}
        for node in classes_in(tree):
            for method in functions_in(node):
                own[f"{node.name}___{method.name}"] = documented(method, "$" + arguments_of(method))
            attributes |= {f"{node.name}_get_{name}": text for name, text in attributes_of(node).items()}
            text = documented(node, arguments_of(constructor(node, classes)).partition(", ")[2])
            code, count = re.subn(
                rf'(\.tp_doc = )PyDoc_STR\("{node.name}\((?:[^"\\]|\\.)*"\)',
                lambda m, text=text: f"{m[1]}PyDoc_STR({text})",
                code,
            )
            if count != 1:
                raise UnknownCode(f"mypyc wrote {count} classes {node.name}")
        # mypyc puts the folder before the names of modules that are called alike.
        folder, stem = Path(path).parent.name, Path(path).stem
        for name, text in own.items():
            told[f"{stem}___{name}"] = told[f"{folder}___{stem}___{name}"] = text
    code = re.sub(
        r"(\(getter\)\w+___([A-Za-z]+_get_\w+),\s+(?:\(setter\)\w+|NULL),\s+)NULL(?=, NULL\})",
        lambda m: m[1] + attributes.get(m[2], "NULL"),
        code,
    )
    return re.sub(
        r'(CPyPy_(\w+),\s+METH[A-Z_ |]+, )(?:PyDoc_STR\("(?:[^"\\]|\\.)*"\)|NULL)',
        lambda m: f"{m[1]}PyDoc_STR({told[m[2]]})" if m[2] in told else m[0],
        code,
    )


def attributes_of(node: ast.ClassDef) -> dict[str, str]:
    """Return for each annotated attribute its type and what its class says of it, as a string of C."""
    said = dict(re.findall(r":ivar (\w+): ((?:.+\n?)(?:    .+\n?)*)", ast.get_docstring(node) or ""))
    told = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.AnnAssign) and (
            inner in node.body or isinstance(inner.target, ast.Attribute)
        ):
            name = ast.unparse(inner.target).removeprefix("self.")
            words = " ".join(said.get(name, "").split())
            told[name] = in_c(f"{in_python(inner.annotation)}: {words}".removesuffix(": "))
    return told


def parsed_folders() -> list[ast.Module]:
    """Parse every module of the compiled folders, also those that are not compiled."""
    paths = [path for folder in FOLDERS for path in sorted((SDK / "stichkampf" / folder).glob("*.py"))]
    return [ast.parse(path.read_text(encoding="utf-8")) for path in paths]


def classes_in(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def functions_in(node: ast.Module | ast.ClassDef) -> list[ast.FunctionDef]:
    return [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]


def methods_of(node: ast.ClassDef) -> list[str]:
    """List how a class is made, and its methods that are named and called, in the order of the source."""
    made = [
        node.name + types_of(each).removesuffix(" -> None")
        for each in functions_in(node)
        if each.name == "__init__"
    ]
    called = [
        each
        for each in functions_in(node)
        if each.name[0] != "_" and "property" not in map(ast.unparse, each.decorator_list)
    ]
    return made + [each.name + types_of(each) for each in called]


def constructor(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> ast.FunctionDef | None:
    """Return the `__init__` that a class has or inherits."""
    own = [function for function in functions_in(node) if function.name == "__init__"]
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return own[0] if own else constructor(bases[0], classes) if bases else None


def arguments_of(function: ast.FunctionDef | None) -> str:
    """Return the arguments without their types, which CPython does not read from C."""
    if function is None:
        return ""
    arguments = copy.deepcopy(function.args)
    for argument in (node for node in ast.walk(arguments) if isinstance(node, ast.arg)):
        argument.annotation = None
    return ast.unparse(arguments)


def types_of(function: ast.FunctionDef) -> str:
    """Return the signature with the types that a caller gives and gets, without `self` or `cls`."""
    arguments = copy.deepcopy(function.args)
    arguments.args = [argument for argument in arguments.args if argument.annotation]
    result = f" -> {in_python(function.returns)}" if function.returns else ""
    return f"({in_python(arguments).replace('=', ' = ')}){result}"


def in_python(node: ast.AST) -> str:
    """Return a type or arguments as code, mypyc's integers as those of Python."""
    return re.sub(r"\bi64\b", "int", ast.unparse(node))


def documented(node: ast.FunctionDef | ast.ClassDef, arguments: str) -> str:
    """Return signature and docstring as CPython reads them, as a string of C."""
    words = ast.get_docstring(node) or ""
    if isinstance(node, ast.FunctionDef):
        # without words of its own, help() shows those of the method that it overrides
        words = words and f"{types_of(node)}\n\n{words}"
    elif listed := [f"    {each}" for each in methods_of(node)]:
        # help() sorts by name, which puts what mypyc and Python add before these
        head, _, rest = words.partition("\n\n")
        words = "\n\n".join(filter(None, [head, "Methods:", "\n".join(listed), rest]))
    return in_c(f"{node.name}({arguments})\n--\n\n{words}")


def in_c(text: str) -> str:
    """Return a text as a string of C, every byte that is not plain as three octal digits."""
    plain = [
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode()
    ]
    return f'"{"".join(plain)}"'


def compile_into(target: Path, *, plain: bool = False) -> list[Path]:
    """Compile below the target folder, laid out as in `sdk/`; returns the compiled files.

    :param plain: leave the C code as mypyc writes it.
    :raises SystemExit: naming the missing package or program, or with the words of the compiler.
    """
    if not has_compiler():
        raise SystemExit(
            "the engine cannot be compiled: there is no C compiler (Debian: gcc, libc6-dev and python3-dev)"
        )
    try:  # here, because `sources` and `clean` work without a compiler
        from mypyc.build import mypycify
        from setuptools import Distribution
        from setuptools.command.build_ext import build_ext
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as missing:
        raise SystemExit(f"the engine cannot be compiled: {missing.name} is not installed") from None
    with tempfile.TemporaryDirectory() as work, contextlib.chdir(SDK):
        extensions = mypycify(
            [*MYPYC_OPTIONS, *sources()],
            opt_level="3",
            debug_level="0",
            target_dir=str(Path(work) / "c"),
        )
        library = extensions[0]  # the others only find their module in it
        library.extra_compile_args = [*library.extra_compile_args, *OPTIMISATION]
        library.extra_link_args = [*OPTIMISATION, "-O3", "-s"] if OPTIMISATION else []
        if not plain:
            complete(Path(library.sources[0]))
        distribution = Distribution({"name": "stichkampf-engine", "ext_modules": extensions})
        command = build_ext(distribution)
        command.build_lib = str(target)
        command.build_temp = work
        command.parallel = True
        command.ensure_finalized()
        try:
            command.run()
        except (BaseError, CCompilerError) as error:
            raise SystemExit(f"the engine cannot be compiled: {error!s:.200}") from error
        return [target / path for path in map(Path, command.get_outputs())]


@contextlib.contextmanager
def told_on_the_terminal(words: str, every_seconds: float = 10) -> Iterator[None]:
    """Tell on the terminal what goes on and for how long; pip keeps what a build prints to itself."""
    try:
        terminal = open("/dev/tty", "w", encoding="utf-8")  # noqa: SIM115 - closed below, where it was opened
    except OSError:  # there is none
        yield
        return
    began = time.monotonic()
    over = threading.Event()

    def tell() -> None:
        while True:
            print(f"\nstichkampf: {words}: {time.monotonic() - began:.0f} s", file=terminal, flush=True)
            if over.wait(every_seconds):
                return

    telling = threading.Thread(target=tell, daemon=True)
    with terminal:
        telling.start()
        try:
            yield
        finally:
            over.set()
            telling.join()


def replace_compiled_files(target: Path) -> None:
    """Replace the compiled files of this checkout, all at once, by those below a folder."""
    clean()
    for compiled in target.rglob("*.so"):
        shutil.move(compiled, SDK / compiled.relative_to(target))


def take_from_wheel(folder: Path) -> bool:
    """Take the compiled files from a wheel that fits sources and interpreter; tell whether one did."""
    for path in sorted(folder.glob("stichkampf-*.whl")):
        with tempfile.TemporaryDirectory() as target, zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            compiled = [name for name in names if name.endswith(EXTENSION_SUFFIXES[0])]
            digests = [wheel.read(name).decode() for name in names if name.endswith(f"/{DIGEST}")]
            if digests != [digest()] or not compiled:
                continue
            wheel.extractall(target, compiled)
            replace_compiled_files(Path(target))
        program = "import stichkampf.engine.search"  # a newer C library may be needed than is here
        if subprocess.run([sys.executable, "-c", program], cwd=SDK, check=False).returncode == 0:
            return True
        clean()
    return False


def main() -> None:
    match sys.argv[1:]:
        case [] | ["--plain"] as options:
            with tempfile.TemporaryDirectory() as target:
                compile_into(Path(target), plain=bool(options))
                replace_compiled_files(Path(target))
        case ["--clean"]:
            clean()
        case ["--from", folder]:
            raise SystemExit(0 if take_from_wheel(Path(folder)) else 1)
        case _:
            raise SystemExit("usage: python sdk/build_engine.py [--plain | --clean | --from FOLDER]")


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    pass
else:

    class EngineHook(BuildHookInterface[Any]):
        """Hook of the wheel's build that puts the compiled engine in where it can be compiled."""

        def dependencies(self) -> list[str]:
            return list(COMPILER_PACKAGES) if self._insists or (self._may and has_compiler()) else []

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if version == "editable" or self.target_name != "wheel" or not self._may:
                return
            try:
                self._put_in_engine(build_data)
            except SystemExit as reason:
                if self._insists:
                    raise
                words = f"the rules stay interpreted, which is right but slow: {reason}"
                self.app.display_warning(words)
                with contextlib.suppress(OSError), open("/dev/tty", "w", encoding="utf-8") as terminal:
                    print(f"\nstichkampf: {words}", file=terminal)  # pip keeps warnings to itself, too

        @property
        def _insists(self) -> bool:
            return os.environ.get("STICHKAMPF_ENGINE") == "compiled"

        @property
        def _may(self) -> bool:
            return os.environ.get("STICHKAMPF_ENGINE") != "interpreted"

        def _put_in_engine(self, build_data: dict[str, Any]) -> None:
            self.target = tempfile.TemporaryDirectory()
            folder = Path(self.target.name)
            with told_on_the_terminal("compiling the rules, which takes some minutes"):
                compiled_files = compile_into(folder)
            for compiled in compiled_files:
                build_data["force_include"][str(compiled)] = str(compiled.relative_to(folder))
            (folder / DIGEST).write_text(digest())
            build_data["extra_metadata"][str(folder / DIGEST)] = DIGEST
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


if __name__ == "__main__":
    main()
