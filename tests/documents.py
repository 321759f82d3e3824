"""The documents as tests read them: the lines that they tell a reader to type, and their programs.

A test names what it takes in literals, so that `tests/architecture/test_typed_documents.py` can find the
lines and blocks that no test runs.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    "README.md",
    *sorted(
        str(path.relative_to(ROOT))
        for pattern in ("docs/*.md", "docs/de/*.md", "examples/*/README.md")
        for path in ROOT.glob(pattern)
    ),
]
"""All documents for readers; the decisions say what was once the case."""
GERMAN = "docs/de/"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_TYPED_LANGUAGE = "sh"
_SHOWN = re.compile(r"^ {4,}(?P<indented>\S.*)|(?<!`)`(?P<inline>[^`\n]+)`(?!`)", re.MULTILINE)
_BEFORE_A_PROGRAM = re.compile(r"^(?:[A-Z_]+=\S+ |nice )*(?:\S*/bin/)?")
_TO_FILL_IN = re.compile(r"…|\.\.\.| \[-|(?<![\w$%./-])[A-Z][A-Z0-9]*(?![\w.])")
_LEAST_WORDS_IN_TEXT = 3
"""Within the text a command of fewer words is only spoken of, such as `stichkampf status`."""
_LINES_PROGRAM = re.compile(r"as `(karl\w*\.\w+)`.*?\n```\w+\n(.*?)```", re.DOTALL)


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def rows_of_calls() -> list[tuple[list[str], list[str]]]:
    """Return the system calls of each row of the table of allowed ones, and the row's other cells."""
    section = text_of("docs/sandbox.md").partition("## Every allowed call\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(re.findall(r"`(\w+)`", first), others) for first, *others in cells]


def words_of(document: str) -> str:
    """Return the text of a document on one line, without the signs for bold type."""
    return " ".join(text_of(document).replace("**", "").split())


def code_blocks(document: str, language: str) -> list[str]:
    """Return the blocks of a language in a document, in their order.

    :param language: as it stands behind the three backticks.
    """
    found = [block for name, block in _FENCE.findall(text_of(document)) if name == language]
    assert found, f"{document} has no block of {language}"
    return found


def languages(document: str) -> set[str]:
    """Return the languages of a document's blocks; that of a drawing is empty."""
    return {name for name, _ in _FENCE.findall(text_of(document))}


def shown_lines(document: str) -> list[str]:
    """Return the lines of a document that could be typed, in their order: indented, in a block of a shell, or
    as code within the text. Lines that a backslash continues are one.

    Lines in which a reader has to fill something in, such as `stichkampf play GAME BOT`, are left out.
    """
    text = _FENCE.sub(_indented, text_of(document)).replace("\\\n", "")
    lines = [
        found["indented"] or found["inline"]
        for found in _SHOWN.finditer(text)
        if found["indented"] or len(found["inline"].split()) >= _LEAST_WORDS_IN_TEXT
    ]
    return [line for line in lines if not _TO_FILL_IN.search(command_of(line))]


def _indented(block: re.Match[str]) -> str:
    """Return a block of a shell as indented lines, unless it is a script; nothing for other languages."""
    language, lines = block.groups()
    if language != _TYPED_LANGUAGE or lines.startswith("#!"):
        return ""
    return re.sub(r"^", "    ", lines, flags=re.MULTILINE)


def command_of(line: str) -> str:
    """Return a line from its program on, without the folder of the program and without a remark."""
    return _BEFORE_A_PROGRAM.sub("", line.split("  #")[0]).strip()


def typed_lines(document: str, *commands: str) -> list[str]:
    """Return the lines of a document that begin with one of these commands, as they stand there.

    :param commands: first words of lines, such as `stichkampf play`. There has to be a line for each.
    """
    lines = shown_lines(document)
    for command in commands:
        assert any(begins_with(line, command) for line in lines), f"{document} shows no line {command} …"
    return [line for line in lines if any(begins_with(line, command) for command in commands)]


def begins_with(line: str, command: str) -> bool:
    return f"{command_of(line)} ".startswith(f"{command} ")


def fewer(line: str, **numbers: int) -> str:
    """Put small numbers in the place of those of a line's options, as far as it has these options."""
    for option, number in numbers.items():
        line = re.sub(rf"(?<=--{option} )\d+", str(number), line)
    return line


def lines_programs() -> dict[str, str]:
    """Return the complete programs that docs/json-lines.md shows, by the name of their file."""
    return dict(_LINES_PROGRAM.findall(text_of("docs/json-lines.md")))
