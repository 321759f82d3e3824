import subprocess
import sys
from pathlib import Path

STUDY = Path(__file__).parents[3] / "benchmarks" / "ratings"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_study_plays_a_season_and_writes_its_table(tmp_path):
    out = tmp_path / "new" / "study.md"
    size = ["--blocks", "33", "--tables", "132", "--repetitions", "2"]
    done = subprocess.run(
        [sys.executable, STUDY, "sticheln", *size, "--out", out], capture_output=True, text=True, check=True
    )
    assert "sticheln: blocks played: 33 of 33" in done.stderr
    lines = {
        cells(line)[0]: cells(line)[1:] for line in out.read_text().splitlines() if line.startswith("| ")
    }
    assert list(lines) == [
        "rated by",
        "fit on blocks, same-hand comparisons",
        "fit on independent deals, table mates",
        "online Elo, K = 16",
        "online Elo, K = 32",
        "Weng-Lin",
    ]
    for name, (error, _, within, _, leaders, moved) in list(lines.items())[1:]:
        assert float(error) > 0
        if name.startswith("fit"):
            assert within.endswith("%")
            assert (leaders, moved) == ("1", "0.0")
        else:
            assert float(moved) > 0


def test_the_study_refuses_a_game_that_there_is_not():
    done = subprocess.run([sys.executable, STUDY, "chess"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "chess" in done.stderr
