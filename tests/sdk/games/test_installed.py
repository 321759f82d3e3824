"""Games of packages that are installed beside the SDK."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from installed_game import install_whist, lay_out
from stichkampf.errors import InstalledGameError
from stichkampf.games import GAMES
from stichkampf.games.installed import installed_games, load

MODULE = "from stichkampf.games import game_class\n\nMue = game_class('mue')\nNOTHING = object()\n"


@pytest.fixture
def packages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def run(packages, *words):
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)


def test_a_game_is_there_where_its_package_is_installed(packages):
    assert "whist  (4 seats)" not in run(packages, "-m", "stichkampf", "games").stdout
    install_whist(packages)
    assert "whist  (4 seats)" in run(packages, "-m", "stichkampf", "games").stdout
    program = "from stichkampf.games import new_game; print(type(new_game('whist', 4)).__module__)"
    assert run(packages, "-c", program).stdout == "card_club.whist\n"


def test_who_plays_another_game_does_not_look_for_packages(packages):
    program = (
        "import sys; from stichkampf.games import new_game; new_game('mue', 4);"
        " print('importlib.metadata' in sys.modules)"
    )
    assert run(packages, "-c", program).stdout == "False\n"


def test_no_package_takes_the_name_of_a_game(packages):
    lay_out(packages, "card-club", "1.0", {"mue": "card_club:Mue"}, {"card_club.py": MODULE})
    with pytest.raises(InstalledGameError, match="card-club declares a game 'mue', and stichkampf has one"):
        installed_games(GAMES)
    said = run(packages, "-c", "from stichkampf.games import GAMES; print(list(GAMES))").stderr
    assert "card-club declares a game 'mue'" in said


def test_two_packages_with_a_game_of_one_name_are_named(packages):
    install_whist(packages)
    lay_out(packages, "other-club", "2.0", {"whist": "elsewhere:Whist"})
    with pytest.raises(InstalledGameError, match="other-club declares a game 'whist', and card-club has one"):
        installed_games()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("nowhere:Whist", "cannot be loaded from nowhere:Whist: No module named 'nowhere'"),
        ("odd_club:Whist", "cannot be loaded from odd_club:Whist: .* has no attribute 'Whist'"),
        ("odd_club:NOTHING", "cannot be loaded from odd_club:NOTHING: "),
        ("odd_club:Mue", "odd-club declares a game 'whist', which calls itself 'mue'"),
    ],
)
def test_a_package_that_does_not_hold_its_word_is_named(packages, place, said):
    lay_out(packages, "odd-club", "1.0", {"whist": place}, {"odd_club.py": MODULE})
    sys.modules.pop("odd_club", None)
    with pytest.raises(InstalledGameError, match=said):
        load(installed_games()["whist"])
