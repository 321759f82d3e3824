"""A newcomer plays a whole match of every other game in Chromium, each way that there is."""

import pytest
from chromium import running_browser
from stichkampf.games import GAMES

from .test_play import GAME, by_keyboard, by_mouse, by_touch, without_scripts


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.mark.parametrize("way", [by_mouse, by_touch, by_keyboard, without_scripts])
@pytest.mark.parametrize("game", [name for name in GAMES if name != GAME])
def test_a_whole_match(platform, browser, way, game):
    assert way(browser, platform, game)
