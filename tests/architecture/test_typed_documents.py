"""Every command line and every program in a document is run by a test, but for a few with a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from documents import (
    DOCUMENTS,
    ROOT,
    begins_with,
    code_blocks,
    command_of,
    languages,
    lines_programs,
    shown_lines,
    typed_lines,
)
from repository import modules_in, text_of, tree_of

PROGRAMS = (
    "apt-get", "build/bot", "check-jsonschema", "curl", "docker", "hadolint", "journalctl", "kubectl",
    "make", "node", "npm", "pip", "promtool", "python", "python3", "stichkampf", "systemctl",
    "systemd-analyze",
)  # fmt: skip
"""First words of lines that are commands; other indented lines are formulas, output and parts of programs."""
NOT_TYPED = {
    "apt-get install": "installs packages of Debian",
    "check-jsonschema": "was run once, as the page says; it fetches a schema",
    "docker": "there is no Docker where tests run",
    "hadolint": "run by tests/platform/operations/test_deploy_files.py, which names its file",
    "journalctl": "needs systemd as the first process of the machine",
    "kubectl": "there is no cluster where tests run",
    "make": "sets up and tests what this is a part of; tests/architecture/test_docs.py holds the names",
    "npm ci": "run by deploy/setup.sh for the tests",
    "npm run build": "run by deploy/setup.sh for the tests",
    "pip install": "installs packages; tests/architecture/test_wheels.py holds what the wheels have",
    "promtool": "run by tests/platform/operations/test_monitoring.py in make nightly",
    "python -m benchmarks": "measures for minutes and hours",
    "python -m pytest -m": "a test, which make nightly runs",
    "python benchmarks/": "measures for minutes and hours",
    "python3 -m venv": "makes an environment for pip",
    "systemctl": "needs systemd as the first process of the machine",
    "systemd-analyze": "run by tests/platform/operations/test_deploy_files.py, which names its files",
}
"""First words of lines that no test types, with the reason."""
DRAWING, SHELL = "", "sh"


def taken_by_tests(function: str) -> Iterator[tuple[str, ...]]:
    """Yield what the tests take out of documents by a function: the words that they give to it."""
    for path in modules_in("tests/"):
        for node in ast.walk(tree_of(path)) if f"{function}(" in text_of(path) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                words = [word.value for word in node.args if isinstance(word, ast.Constant)]
                if len(words) == len(node.args):
                    yield tuple(words)


def commands_shown() -> list[tuple[str, str]]:
    """Return the command lines of all documents, each with its document."""
    return [
        (document, command_of(line))
        for document in DOCUMENTS
        for line in shown_lines(document)
        if any(begins_with(line, program) for program in PROGRAMS)
    ]


def test_every_command_line_of_a_document_is_typed_by_a_test():
    typed = {
        command_of(line)
        for document, *commands in taken_by_tests("typed_lines")
        for line in typed_lines(document, *commands)
    }
    shown = commands_shown()
    assert len(shown) > 100
    excepted = {line for _, line in shown if line.startswith(tuple(NOT_TYPED))}
    assert [(document, line) for document, line in shown if line not in typed | excepted] == []
    stale = [words for words in NOT_TYPED if not any(line.startswith(words) for line in excepted - typed)]
    assert stale == []


def test_every_block_of_code_in_a_document_is_run_by_a_test():
    taken = {block for words in taken_by_tests("code_blocks") for block in code_blocks(*words)}
    taken |= set(lines_programs().values())
    shown = [
        (document, block)
        for document in DOCUMENTS
        for language in languages(document) - {DRAWING, SHELL}
        for block in code_blocks(document, language)
    ]
    assert len(shown) > 20
    assert [(document, block) for document, block in shown if block not in taken] == []


def test_every_measurement_that_a_document_shows_is_there_and_has_its_options():
    for document, line in commands_shown():
        program, *words = line.removeprefix("python ").removeprefix("-m ").split()
        if not program.startswith("benchmarks"):
            continue
        place = ROOT / program.removesuffix(".py").replace(".", "/")
        sources = [*place.glob("*.py")] if place.is_dir() else [place.with_suffix(".py")]
        text = "".join(source.read_text() for source in sources)
        missing = [word for word in words if word.startswith("--") and f'"{word}"' not in text]
        assert text, (document, line)
        assert missing == [], (document, line)
