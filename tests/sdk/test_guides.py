"""The guides for authors: their bots play, and every line of the command that they show does what it says."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from chat_endpoint import chat_endpoint

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
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


@pytest.mark.machine
def test_a_language_model_with_a_prompt_of_its_own_plays(tmp_path):
    text = (DOCS / "language-models.md").read_text()
    (block,) = BLOCK.findall(text)
    (play,) = re.findall(r"^ {4}stichkampf (play .*)$", text, re.MULTILINE)
    with chat_endpoint() as (endpoint, address):
        (tmp_path / "mine.py").write_text(block.replace("http://127.0.0.1:8080/v1", address))
        command = [sys.executable, "-m", "stichkampf", *play.split(), "-o", "length=deals:2"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert endpoint.asked


@pytest.mark.machine
@pytest.mark.slow
def test_the_data_set_for_researchers_is_made_and_read_as_the_page_says(tmp_path):
    text = (DOCS / "researchers.md").read_text()
    (block,) = BLOCK.findall(text)
    lines = re.findall(r"^ {4}stichkampf ((?:play|dataset) .*)$", text, re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["play", "dataset", "dataset"]
    lines[0] = lines[0].replace("search", "random").replace("--matches 100", "--matches 1 -o length=deals:1")
    for command in [*(["-m", "stichkampf", *line.split()] for line in lines), ["-c", block]]:
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_every_program_of_a_document_is_python_and_imports_what_there_is():
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *ROOT.glob("examples/*/README.md")]
    blocks = [(page.name, block) for page in pages for block in BLOCK.findall(page.read_text())]
    assert len(blocks) > 15
    for page, block in blocks:
        for node in ast.walk(ast.parse(block, page)):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "stichkampf":
                module = import_module(str(node.module))
                assert [name.name for name in node.names if not hasattr(module, name.name)] == [], page
