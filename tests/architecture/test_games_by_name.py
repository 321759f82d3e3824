"""A game's name stands in its own file, its rules of thumb, policy, observations and page alone."""

import ast
from pathlib import Path

from stichkampf.games import GAMES

ROOT = Path(__file__).parents[2]
PRODUCT = [ROOT / "sdk", ROOT / "arbiter", ROOT / "platform"]
OWN = tuple(
    f"sdk/stichkampf/{folder}/" for folder in ("games", "bots/thumbs", "policies", "lab/observations")
)


def names_in(path):
    return [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in GAMES
    ]


def test_no_product_file_outside_the_games_names_a_game():
    naming = {
        path.relative_to(ROOT).as_posix(): names_in(path)
        for folder in PRODUCT
        for path in folder.rglob("*.py")
        if names_in(path)
    }
    assert {path: names for path, names in naming.items() if not path.startswith(OWN)} == {}


def test_a_games_own_file_is_noticed():
    assert names_in(ROOT / "sdk" / "stichkampf" / "games" / "njet.py") == ["njet"]
