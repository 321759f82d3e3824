"""The examples in docstrings are true, and every public name has one.

Docstrings are read from the source, for the engine may be compiled.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import stichkampf

SDK = Path(stichkampf.__file__).parent
FULLY_SHOWN = [
    "stichkampf",
    "stichkampf.analysis",
    "stichkampf.bots.registry",
    "stichkampf.games",
    "stichkampf.games.views",
    "stichkampf.rating",
    "stichkampf.schedule",
    "stichkampf.testing",
]
"""Packages in which every name of `__all__` has an example."""
ROOMS = sorted(
    [*(SDK / "match").glob("[a-z]*.py"), *(SDK / "packaging").glob("[a-z]*.py")]
    + [SDK / "bots" / f"{module}.py" for module in ("bot", "house", "practice", "substitute")]
)
"""Modules in which every public function and class has an example."""
COMPILED = ("Deal", "Match", "Policy", "Valuation")
"""The promised names that are compiled."""
ENGINE = sorted(path.stem for path in (SDK / "engine").glob("[a-z]*.py"))


def name_of(path: Path) -> str:
    return ".".join(["stichkampf", *path.relative_to(SDK).with_suffix("").parts]).removesuffix(".__init__")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each name of a module that has a docstring, dotted below its class, and the docstring."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + child.name, ast.get_docstring(child) or ""
                yield from walk(child, f"{prefix}{child.name}.")

    tree = ast.parse(path.read_text())
    yield "", ast.get_docstring(tree) or ""
    yield from walk(tree, "")


def has_example(path: Path, name: str) -> bool:
    """Tell whether a class or function of a module, or one of its methods, shows an example."""
    return any(
        ">>>" in text for other, text in docstrings(path) if other == name or other.startswith(f"{name}.")
    )


EXAMPLES = sorted(
    (name_of(path), name)
    for path in SDK.rglob("*.py")
    if ">>>" in path.read_text()
    for name, text in docstrings(path)
    if ">>>" in text
)


@pytest.mark.parametrize(("module", "name"), EXAMPLES)
def test_every_example_gives_what_it_says(module, name):
    imported = importlib.import_module(module)
    path = SDK.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = dict(docstrings(path))[name]
    example = doctest.DocTestParser().get_doctest(text, dict(vars(imported)), name or module, str(path), 0)
    said: list[str] = []
    assert doctest.DocTestRunner().run(example, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("package", FULLY_SHOWN)
def test_every_public_name_has_an_example(package):
    exported = importlib.import_module(package)
    without = []
    for name in exported.__all__:
        public = getattr(exported, name)
        if callable(public):
            path = SDK.joinpath(*public.__module__.split(".")[1:])
            path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            if not has_example(path, name):
                without.append(name)
    assert without == []


@pytest.mark.parametrize("module", ENGINE)
def test_help_tells_what_every_method_of_the_engine_does_and_takes(module):
    """Asked of what was imported, compiled or not: mypyc must keep docstrings and names of arguments."""
    tree = ast.parse((SDK / "engine" / f"{module}.py").read_text())
    imported = importlib.import_module(f"stichkampf.engine.{module}")
    untold = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name[0] == "_":
            continue
        for method in (child for child in node.body if isinstance(child, ast.FunctionDef)):
            shown = getattr(getattr(imported, node.name), method.name)
            if method.name[0] == "_" or not callable(shown):
                continue
            taken = list(inspect.signature(shown).parameters)
            if not inspect.getdoc(shown) or not {arg.arg for arg in method.args.args[1:]} <= set(taken):
                untold.append(f"{node.name}.{method.name}")
    assert untold == []


@pytest.mark.parametrize("name", COMPILED)
def test_help_of_a_compiled_class_shows_types_and_first_what_it_promises(name):
    """An interpreted class shows its types, too, as Python writes them: `seat: 'i64'`."""
    promised = getattr(stichkampf, name)
    home = importlib.import_module(promised.__module__)
    tree = ast.parse(Path(home.__file__.partition(".cpython")[0]).with_suffix(".py").read_text())
    (node,) = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name]
    shown = pydoc.render_doc(promised, renderer=pydoc.plaintext).replace("'", "").replace("i64", "int")
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name[0] != "_"]
    assert methods
    for method in methods:
        taken = [arg for arg in ast.walk(method.args) if isinstance(arg, ast.arg) and arg.annotation]
        for each in [*(ast.unparse(arg) for arg in taken), f"-> {ast.unparse(method.returns)}"]:
            assert each.replace("i64", "int") in shown, f"{method.name}: {each}"
    if home.__file__.endswith(".so"):
        first, _, rest = shown.partition("Methods defined here:")
        listed = re.findall(r"^ \|      (\w+)\(.*\) -> ", first, flags=re.MULTILINE)
        assert listed == [method.name for method in methods]
        for each in (each for each in node.body if isinstance(each, ast.AnnAssign)):
            said = re.escape(ast.unparse(each.annotation).replace("i64", "int"))
            assert re.search(rf"\|  {each.target.id}\n \|      {said}(: .+)?\n", rest), each.target.id


@pytest.mark.parametrize("module", ENGINE)
def test_every_public_class_of_the_engine_has_an_example(module):
    path = SDK / "engine" / f"{module}.py"
    classes = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if name[0] != "_" and not has_example(path, name)] == []


def only_holds_values(node: ast.stmt) -> bool:
    """Tell whether a class needs no example: it has only fields, or is a protocol or an error."""
    if not isinstance(node, ast.ClassDef):
        return False
    marks = " ".join(ast.unparse(mark) for mark in [*node.bases, *node.decorator_list])
    plain = not any(isinstance(child, ast.FunctionDef) for child in node.body) and not node.bases
    slots = any("__slots__" in ast.unparse(child) for child in node.body if isinstance(child, ast.Assign))
    return plain or slots or any(word in marks for word in ("NamedTuple", "Protocol", "dataclass", "Error"))


@pytest.mark.parametrize("path", ROOMS, ids=name_of)
def test_every_public_function_and_class_of_a_room_has_an_example(path):
    kinds = ast.ClassDef | ast.FunctionDef
    nodes = [node for node in ast.parse(path.read_text()).body if isinstance(node, kinds)]
    public = [node.name for node in nodes if node.name[0] != "_" and not only_holds_values(node)]
    assert [name for name in public if not has_example(path, name)] == []
