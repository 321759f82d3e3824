import json
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.games import GAMES

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[3]
STUDY = TOP / "benchmarks" / "ratings"
PUBLISHED = TOP / "platform" / "stichkampf_platform" / "web" / "rating_study.json"
PAGE = TOP / "benchmarks" / "results" / "ratings-2026-11-21.md"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_study_plays_a_season_and_writes_its_table(tmp_path):
    out, data = tmp_path / "new" / "study.md", tmp_path / "study.json"
    size = ["--blocks", "33", "--tables", "132", "--repetitions", "2"]
    done = subprocess.run(
        [sys.executable, STUDY, "sticheln", *size, "--out", out, "--data", data],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(data.read_text())
    assert (found["blocks"], found["tables"], found["repetitions"]) == (33, 132, 2)
    assert [len(game["ways"]) for game in found["games"]] == [5]
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


def test_the_page_in_the_repository_is_made_of_the_numbers_that_the_site_shows():
    made = subprocess.run(
        [sys.executable, STUDY / "report.py", PUBLISHED], capture_output=True, text=True, check=True
    )
    assert made.stdout == PAGE.read_text()


def test_the_published_study_covers_every_game_with_honest_intervals():
    games = json.loads(PUBLISHED.read_text())["games"]
    assert [game["game"] for game in games] == list(GAMES)
    for game in games:
        blocks, deals, *online = game["ways"]
        assert 0.93 <= blocks["coverage"] <= 0.97
        assert (blocks["leaders"], blocks["moved_by_order"]) == (1, 0)
        assert all(way["moved_by_order"] > 0 and way["error"] > blocks["error"] for way in online)
        assert blocks["tables_to_separate"] < 1.05 * deals["tables_to_separate"]
