"""Every command line that a document, a page or a help text shows is one that the command takes."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

from stichkampf.cli import command_parser

ROOT = Path(__file__).parents[3]
SOURCES = sorted(
    [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("examples/*/README.md"),
        *ROOT.glob("platform/stichkampf_platform/web/templates/web/**/*.html"),
        *ROOT.glob("sdk/stichkampf/cli/**/*.py"),
    ]
)
LINE = re.compile(
    r"(?:^|<code>|`)\s*(?:\S*/bin/)?stichkampf ((?:[^\n`<{]|\{\{[^}]*\}\}|<(?!/))+)", re.MULTILINE
)
ENDS = re.compile(r"\s+(?:#|\||&&|>|<).*")
NOT_WRITTEN_OUT = re.compile(r"…|\[|\.\.\.|\bDECISION\b|^[A-Z]|\{(?!\{)|%")
FEWEST = 150


def commands(file):
    """Yield the command lines of a file that are written out, without what a shell does with them."""
    text = html.unescape(file.read_text()).replace("\\\n", " ")
    for found in LINE.findall(text):
        line = ENDS.sub("", found).strip().rstrip(".,;:)")
        if not NOT_WRITTEN_OUT.search(line):
            yield line


def test_every_command_line_that_is_shown_is_understood(capsys):
    parser = command_parser()
    lines = {line: file.name for file in SOURCES for line in commands(file)}
    wrong = []
    for line, name in lines.items():
        words = shlex.split(re.sub(r"\{\{[^}]*\}\}", "X", line))
        try:
            # a command alone is only mentioned
            parser.parse_args(words if len(words) > 1 else [*words, "--help"])
        except SystemExit as error:
            if error.code:
                wrong.append((name, line, capsys.readouterr().err))
    assert wrong == []
    assert len(lines) >= FEWEST
