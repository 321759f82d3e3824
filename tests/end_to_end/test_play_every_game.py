"""A newcomer plays a whole match of every game in Chromium, each way that there is."""

from itertools import product

import pytest
from chromium import running_browser
from stichkampf.games import GAMES

from .test_play import GAME, by_keyboard, by_mouse, by_touch, without_scripts


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


IN_EVERY_RUN = [(by_mouse, GAME), (without_scripts, GAME)]
"""Ways and games of `test_play.py`."""


@pytest.mark.parametrize(
    ("way", "game"),
    [
        way_and_game
        for way_and_game in product((by_mouse, by_touch, by_keyboard, without_scripts), GAMES)
        if way_and_game not in IN_EVERY_RUN
    ],
)
def test_a_whole_match(platform, browser, way, game):
    assert way(browser, platform, game)
