"""Plain words: one name for each class, no retired word, docstrings that begin with a verb or a noun."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import COMMITTED, text_of, trees_in

PRODUCT = ("sdk/", "arbiter/", "platform/")
CHECKED = (*PRODUCT, "tests/", "benchmarks/", "proto/", "deploy/")
PINNED = "deploy/requirements/"
SUFFIXES = {".py", ".html", ".txt", ".sh", ".js", ".css", ".proto", ".md", ".toml", ".yaml"}
NAMED_BY_A_FRAMEWORK = {"Meta", "Command", "Migration"}
PAIRS = {"Bot", "Rating", "Block", "Entrant", "Table", "Seat", "CollusionSignal"}
"""Classes that are both a model of the platform and a type of the SDK for the same thing."""

# A character class keeps each pattern from finding itself.
RETIRED = re.compile(
    r"(?<![a-z])(?:ane[w]|bea[r]s?|bur[y]|burie[sd]|dea[f]|dee[d]s?|doo[r]s?|hea[r]s? out|leas[h]|colla[r]"
    r"|shel[f]|warde[n]s?|whoeve[r]|worksho[p]s?|examine[r]s?|cler[k]s?|wor[k]s? off|strik[e]s? off"
    r"|brok[e] rules)(?![a-z])"
)
PICTURES = re.compile(r"(?<![a-z])(?:plac[e]s?|lin[e]s?|stag[e]s?|roa[d]s?)(?![a-z])")
LINES_OF_TEXT = {
    *("LogLine", "LogLineInline", "LogLineSerializer", "_lines", "one_line", "several_lines", "command_line"),
    *("last_line", "grid_line", "_table_line", "_is_record_line", "_read_lines", "plain_line", "plain_lines"),
}
"""Names in which a line is one of text or of a drawing."""
RIDDLES = re.compile(r"\s*(?:What|Who|Whether|Those|How|Why|Where|Which|When|Of)\b")
VAGUE = re.compile(r"(?<![\w\"'`])(?:nobod[y]|whoeve[r]|so man[y])(?![\w\"'`])", re.IGNORECASE)
MOST = 10
LONGEST_TEST_NAME = 85


def words_of(line: str) -> str:
    """Split the identifiers of a line into lower-case words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line).replace("_", " ").lower()


def findings(pattern: re.Pattern[str], folders: tuple[str, ...], *, split: bool) -> list[str]:
    prepared = words_of if split else str
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in COMMITTED
        if path.startswith(folders) and not path.startswith(PINNED)
        if Path(path).suffix in SUFFIXES and "/migrations/" not in path
        if pattern.search(prepared(text_of(path)))  # few files have any, and this is quicker than their lines
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if pattern.search(prepared(line))
    ]


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


def test_retired_words_do_not_come_back():
    assert findings(RETIRED, CHECKED, split=True) == []


def test_modules_classes_and_functions_have_literal_names():
    named = {
        f"{path}: {name}"
        for path, tree in trees_in(*PRODUCT)
        for name in (Path(path).stem, *definitions(tree))
        if PICTURES.search(words_of(name)) and name not in LINES_OF_TEXT
    }
    assert sorted(named) == []


def test_docstrings_begin_with_a_verb_or_a_noun():
    riddles = [
        f"{path}:{line}: {text.strip().splitlines()[0]}"
        for path, tree in trees_in("")
        for line, text in docstrings(tree)
        if RIDDLES.match(text)
    ]
    assert riddles == []


def test_vague_words_are_rare():
    assert findings(VAGUE, ("",), split=False)[MOST:] == []


def test_names_of_tests_are_short_sentences():
    long = [
        f"{path}: {name}"
        for path, tree in trees_in("tests/")
        for name in definitions(tree)
        if name.startswith("test_") and len(name) > LONGEST_TEST_NAME
    ]
    assert long == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("class Dea" + "fError", True),
        ("def hear_" + "out(self)", True),
        ("a Doo" + "rBell", True),
        ("authorization: Bearer token", False),
        ("a renewed lease", False),
    ],
)
def test_a_retired_word_is_found_inside_an_identifier(line, found):
    assert bool(RETIRED.search(words_of(line))) == found
