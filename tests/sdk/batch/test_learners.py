"""The page for learners trains a bot that plays."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf import new_game
from stichkampf.games import GAMES
from stichkampf.observations import encoder_of

PAGE = Path(__file__).parents[3] / "docs" / "learners.md"


def test_the_page_names_every_part_of_every_observation():
    text = re.sub(r"```.*?```", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = set(re.findall(r"`([^`]+)`", text))
    parts = set()
    for name, game in GAMES.items():
        encoder = encoder_of(name, new_game(name, game.players[0]).table_seats)
        every = [part for word in encoder.words() for part, _ in word]
        every += [part for part, _ in encoder.numbers()]
        parts |= {re.sub(r"\d+", "0", part.split(",")[0]) for part in every}
    assert parts - named == set()


@pytest.mark.slow
def test_the_page_trains_a_bot_that_plays(tmp_path):
    first, view, train, bot = re.findall(
        r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    small = [("n=256, seed=1, starts=4096", "n=4, seed=1, starts=8"), ("n=256", "n=8, starts=8")]
    for name, text in (("first.py", first), ("view.py", view), ("train.py", train), ("bot.py", bot)):
        for large, little in small:
            text = text.replace(large, little)
        (tmp_path / name).write_text(text)

    def run(*command):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "[" in run("first.py")
    run("train.py", "0.01")
    table = ("stiche-raten", "bot.py", "random", "random", "random", "-o", "length=deals:3")
    assert "bot.py" in run("-m", "stichkampf", "play", *table, "--matches", "1")
