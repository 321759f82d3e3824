"""The guides for authors: their bots play, and every line of the command that they show does what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
FILE = re.compile(r"```python\n# (\S+)\n(.*?)```", re.DOTALL)
LINE = re.compile(r"^ {4}((?:stichkampf|python -m pytest) .*)$", re.MULTILINE)
ANSWERS_NO = {"duel": {0, 1}}
"""The commands whose status is an answer."""


def type_all(text, folder):
    """Write the files of a guide and run its lines, in their order; returns the lines."""
    for path, content in FILE.findall(text):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content)
    lines = LINE.findall(text)
    for line in lines:
        words = line.split("  #")[0].split()
        command = [sys.executable, "-m", "stichkampf", *words[1:]]
        if words[0] == "python":
            command = [sys.executable, *words[1:], "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode in ANSWERS_NO.get(words[1], {0}), f"{line}\n{done.stdout}{done.stderr}"
    return lines


@pytest.mark.machine
@pytest.mark.slow
def test_the_second_bot_is_made_and_proved_as_the_tutorial_says(tmp_path):
    lines = type_all((DOCS / "second-bot.md").read_text(), tmp_path)
    assert [line.split()[1] for line in lines] == ["play", "watch", "debug", "duel", "check"]
    assert list((tmp_path / "first").glob("test_*.py"))


@pytest.mark.machine
@pytest.mark.slow
def test_the_answers_for_authors_work(tmp_path):
    text = (DOCS / "how-to.md").read_text()
    assert len(type_all(text, tmp_path)) == 3
    played = subprocess.run(
        [sys.executable, "-m", "stichkampf", "play", "stiche-raten", "searcher", "thumb", "weighs"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, played.stderr
