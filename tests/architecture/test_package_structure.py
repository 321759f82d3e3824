"""Packages of the product: small folders, no import circle, imports at the top of a module."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import grimp
import pytest
from repository import modules_in, text_of, trees_in

PRODUCT = ("sdk/", "arbiter/", "platform/")
PACKAGES = ("stichkampf", "stichkampf_arbiter", "stichkampf_platform")
MOST_MODULES = 16


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """List the groups of modules that import each other, directly or through others (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for imported in graph.find_modules_directly_imported_by(module):
            if imported not in number:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in stack:
                lowest[module] = min(lowest[module], number[imported])
        if lowest[module] == number[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(graph.modules):
        if module not in number:
            visit(module)
    return found


def test_no_folder_has_too_many_modules():
    folders = Counter(str(Path(path).parent) for path in modules_in(*PRODUCT) if "__init__" not in path)
    assert {folder: count for folder, count in folders.items() if count > MOST_MODULES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other(package):
    graph = grimp.build_graph(package, cache_dir=None)
    assert circles(graph) == []


def test_a_circle_is_noticed():
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert circles(graph) == [["b", "c"]]


def test_an_import_inside_a_function_has_its_reason_beside_it():
    bare = []
    for path, tree in trees_in(*PRODUCT):
        lines = text_of(path).splitlines()
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                bare += [
                    f"{path}:{first}" for first, last in groups(function) if not reason(lines, first, last)
                ]
    assert sorted(set(bare)) == []


def groups(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[int, int]]:
    """List the first and last lines of imports that follow one another."""
    found: list[tuple[int, int]] = []
    for node in sorted(ast.walk(function), key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if found and found[-1][1] >= node.lineno - 2:
                found[-1] = (found[-1][0], node.end_lineno)
            else:
                found.append((node.lineno, node.end_lineno))
    return found


def reason(lines: list[str], first: int, last: int) -> bool:
    return any("#" in line for line in lines[first - 2 : last])
