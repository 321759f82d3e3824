"""Names: one for each class, tests as short sentences, docstrings that begin with a verb or a noun."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from repository import trees_in

PRODUCT = ("sdk/", "arbiter/", "platform/")
NAMED_BY_A_FRAMEWORK = {"Meta", "Command", "Migration"}
PAIRS = {"Bot", "Rating", "Block", "Entrant", "Table", "Seat", "CollusionSignal", "Search"}
"""Classes that are both a model of the platform and a type of the SDK for the same thing; and the search, in
numbers in the engine and in words at a table."""

RIDDLES = re.compile(r"\s*(?:What|Who|Whether|Those|How|Why|Where|Which|When|Of)\b")
LONGEST_TEST_NAME = 85


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield every string that stands alone: of modules, classes, functions and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


def definitions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def test_every_class_name_is_defined_once_in_the_product():
    defined = defaultdict(list)
    for path, tree in trees_in(*PRODUCT):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in NAMED_BY_A_FRAMEWORK:
                defined[node.name].append(f"{path}:{node.lineno}")
    twice = {name: places for name, places in defined.items() if len(places) > 1}
    assert {name: places for name, places in twice.items() if name not in PAIRS or len(places) > 2} == {}


def test_docstrings_begin_with_a_verb_or_a_noun():
    riddles = [
        f"{path}:{line}: {text.strip().splitlines()[0]}"
        for path, tree in trees_in("")
        for line, text in docstrings(tree)
        if RIDDLES.match(text)
    ]
    assert riddles == []


def test_names_of_tests_are_short_sentences():
    long = [
        f"{path}: {name}"
        for path, tree in trees_in("tests/")
        for name in definitions(tree)
        if name.startswith("test_") and len(name) > LONGEST_TEST_NAME
    ]
    assert long == []
