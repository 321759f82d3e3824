"""The guides for authors: their bots play, and every line of the command that they show does what it says.

The lines are typed as they stand there, but for large numbers, which `fewer` replaces, and for a `--blocks 1`
or `-o length=…` behind lines that would take minutes. Lines for a site are typed in
`tests/end_to_end/test_documented_commands.py`.
"""

from __future__ import annotations

import ast
from importlib import import_module

import pytest
from chat_endpoint import chat_endpoint
from documents import DOCUMENTS, code_blocks, command_of, fewer, languages, lines_programs, typed_lines
from terminal import Terminal

ANSWERS = (0, 1)
"""The statuses of a command that answers a question, such as whether a bot is stronger."""


@pytest.fixture
def terminal(tmp_path):
    return Terminal(tmp_path)


def write_files(folder, blocks):
    """Write the programs whose first line names their file."""
    for block in blocks:
        path = folder / block.split("\n", 1)[0].removeprefix("# ")
        path.parent.mkdir(exist_ok=True)
        path.write_text(block)


@pytest.mark.machine
@pytest.mark.slow
def test_the_second_bot_is_made_and_proved_as_the_tutorial_says(terminal):
    write_files(terminal.folder, code_blocks("docs/second-bot.md", "python"))
    for line in typed_lines("docs/second-bot.md", "stichkampf play", "stichkampf watch", "stichkampf debug"):
        terminal.type(line)
    assert list((terminal.folder / "first").glob("test_*.py"))
    for line in typed_lines("docs/second-bot.md", "stichkampf rules", "stichkampf facts"):
        assert "trump" in terminal.type(line)
    for line in typed_lines("docs/de/second-bot.md", "stichkampf rules"):
        assert "Trumpf" in terminal.type(line)
    for line in typed_lines("docs/second-bot.md", "stichkampf duel"):
        assert "Elo" in terminal.type(line, statuses=ANSWERS)
    for line in typed_lines("docs/second-bot.md", "stichkampf check"):
        assert "Accepted for stiche-raten." in terminal.type(line)


@pytest.mark.machine
@pytest.mark.slow
def test_the_answers_for_authors_work(terminal):
    write_files(terminal.folder, code_blocks("docs/how-to.md", "python"))
    lines = typed_lines("docs/how-to.md", "python -m pytest", "stichkampf check", "stichkampf play")
    assert len(lines) == 3
    for line in lines:
        terminal.type(line)
    terminal.type("stichkampf play stiche-raten searcher timed weighs -o length=deals:2 --clock 0.2,0.2,0.2")


@pytest.mark.machine
def test_a_language_model_with_a_prompt_of_its_own_plays(tmp_path):
    (block,) = code_blocks("docs/language-models.md", "python")
    (play,) = typed_lines("docs/language-models.md", "stichkampf play")
    with chat_endpoint() as (endpoint, address):
        (tmp_path / "mine.py").write_text(block.replace("http://127.0.0.1:8080/v1", address))
        Terminal(tmp_path).type(f"{play} -o length=deals:2")
        assert endpoint.asked


@pytest.mark.machine
@pytest.mark.slow
def test_the_data_set_for_researchers_is_made_and_read_as_the_page_says(terminal):
    play, *others = typed_lines("docs/researchers.md", "stichkampf play", "stichkampf dataset")
    terminal.type(f"{fewer(play, matches=1).replace('search', 'random')} -o length=deals:1")
    for line in others:
        terminal.type(line)
    (block,) = code_blocks("docs/researchers.md", "python")
    (terminal.folder / "read.py").write_text(block)
    assert terminal.type("python read.py")


@pytest.mark.machine
@pytest.mark.slow
def test_a_benchmark_is_a_try_first_and_then_goes_on(terminal):
    """One block of each game in place of 16 and of the 1,024 of the protocol; baselines play one game."""
    (bot,) = code_blocks("README.md", "python")
    (terminal.folder / "bot.py").write_text(bot)
    attempt, whole, *baselines = typed_lines("docs/researchers.md", "stichkampf benchmark")
    assert "not the protocol" in terminal.type(fewer(attempt, blocks=1))
    assert "not the protocol" in terminal.type(f"{command_of(whole)} --blocks 1")
    assert len(baselines) == 4
    for line in baselines:
        assert "Elo above the pool" in terminal.type(f"{line} --blocks 1 --game stiche-raten")


@pytest.mark.machine
def test_the_page_for_authors_has_a_line_that_lists_the_facts_of_a_game(terminal):
    (line,) = set(typed_lines("docs/write-a-bot.md", "stichkampf facts"))
    assert "table.view(MueView)" in terminal.type(line)


@pytest.mark.machine
@pytest.mark.slow
def test_own_results_are_rated_as_the_page_on_ratings_says(terminal):
    (block,) = code_blocks("docs/rating-model.md", "csv")
    (terminal.folder / "results.csv").write_text(block)
    assert "mine" in terminal.type("stichkampf rate results.csv")
    (bot,) = code_blocks("README.md", "python")
    (terminal.folder / "mine.py").write_text(bot)
    plays = typed_lines("docs/rating-model.md", "stichkampf play")
    assert len(plays) == 3
    for line in plays:
        terminal.type(fewer(line, matches=2))
    (rate,) = typed_lines("docs/rating-model.md", "stichkampf rate")
    assert "house/thumb" in terminal.type(rate)


@pytest.mark.machine
@pytest.mark.slow
def test_a_network_learns_from_the_search_as_the_page_for_learners_says(terminal):
    """A few decisions in place of 100,000."""
    (new,) = typed_lines("docs/learners.md", "stichkampf new")
    (train,) = typed_lines("docs/learners.md", "python mine/train.py")
    terminal.type(new)
    assert "wrote" in terminal.type(f"{train} --decisions 60 --epochs 1")


@pytest.mark.machine
@pytest.mark.slow
def test_the_example_of_a_trained_bot_is_trained_and_tried(terminal):
    """A few decisions in place of 100,000, and one block in place of 50."""
    (new,) = typed_lines("examples/net/README.md", "stichkampf new")
    terminal.type(new)
    example = terminal.in_folder("imitator")
    (train,) = typed_lines("examples/net/README.md", "python train.py")
    (duel,) = typed_lines("examples/net/README.md", "stichkampf duel")
    example.type(f"{train} --decisions 60 --epochs 1")
    assert "Elo" in example.type(f"{duel} --blocks 1 -o length=deals:1")


@pytest.mark.machine
@pytest.mark.slow
def test_programs_in_other_languages_play_as_the_page_on_json_lines_says(terminal):
    """One block in place of 20, and single deals."""
    for name, text in lines_programs().items():
        (terminal.folder / name).write_text(text)
        (terminal.folder / name).chmod(0o755)
    for line in typed_lines("docs/json-lines.md", "stichkampf run"):
        terminal.type(line)
    for line in typed_lines("docs/json-lines.md", "stichkampf play", "stichkampf duel"):
        terminal.type(f"{fewer(line, blocks=1)} -o length=deals:1")
    (new,) = typed_lines("docs/json-lines.md", "stichkampf new")
    terminal.type(new)
    assert (terminal.folder / "karl" / "stichkampf.toml").is_file()


@pytest.mark.machine
def test_the_search_for_ones_own_bot_plays(terminal):
    (block,) = code_blocks("docs/strength.md", "python")
    (terminal.folder / "mine.py").write_text(block)
    terminal.type("stichkampf play stiche-raten mine.py thumb random -o length=deals:1")


@pytest.mark.machine
def test_commands_that_need_nothing_are_typed_as_the_readme_lists_them(terminal):
    for line in typed_lines(
        "README.md", "stichkampf games", "stichkampf bots", "stichkampf verify", "stichkampf completion"
    ):
        assert terminal.type(line)


def test_every_program_of_a_document_is_python_and_imports_what_there_is():
    blocks = [
        (document, block)
        for document in DOCUMENTS
        if "python" in languages(document)
        for block in code_blocks(document, "python")
    ]
    assert len(blocks) > 15
    for document, block in blocks:
        for node in ast.walk(ast.parse(block, document)):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "stichkampf":
                module = import_module(str(node.module))
                assert [name.name for name in node.names if not hasattr(module, name.name)] == [], document
