"""The measurement of marks, in a small form of the lines that docs/marks.md shows."""

import shutil

import pytest
from documents import ROOT, command_of, fewer, typed_lines
from terminal import Terminal

pytestmark = [pytest.mark.machine, pytest.mark.slow]

GOALS_MET_OR_MISSED = (0, 1)


def test_samples_of_a_game_are_collected_and_marked(tmp_path):
    """The samples of one match of one game. They lie beside the program, so a copy of it is typed."""
    terminal = Terminal(tmp_path)
    (tmp_path / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "marks.py", tmp_path / "benchmarks")
    terminal.type("python benchmarks/marks.py collect --game stiche-raten --planted 1 --good 1")
    for line in typed_lines("docs/marks.md", "python benchmarks/marks.py"):
        few = fewer(command_of(line), planted=1, good=1, minutes=0)
        told = terminal.type(f"{few} --game stiche-raten", statuses=GOALS_MET_OR_MISSED)
        assert "collect" in line or "all games" in told
