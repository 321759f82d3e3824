"""The house bots: they play every game by the rules, repeat, and really differ."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import combinations

import pytest
from documents import text_of
from stichkampf import new_game
from stichkampf.bots.plain import boldness
from stichkampf.bots.practice import entrant, play_match
from stichkampf.bots.registry import ANCHORS, PANEL, house_bot, house_bots, levels_elo
from stichkampf.bots.thumbs import RULES_OF_THUMB
from stichkampf.errors import BotError
from stichkampf.games import GAMES
from stichkampf.match.records import dump
from stichkampf.match.verify import verify

pytestmark = pytest.mark.slow

LONGER = {"stiche-raten": {"length": "deals:8"}, "mue": {"length": "deals:3"}}
"""Games in which bots that differ may play one deal alike."""

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]


def short(name, seats):
    return new_game(name, seats, {"max_deals": 1} if name == "was-sticht" else {"length": "deals:1"})


def play(game, bots, seed):
    return play_match(game, [entrant(bot) for bot in bots], bytes([seed]) * 32)


@pytest.mark.parametrize("bot", house_bots())
@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_every_bot_plays_every_game_without_a_fault(bot, name, seats):
    played = play(short(name, seats), [bot, *["random"] * (seats - 1)], 3)
    assert played.failures == []
    verify(played.record)


@pytest.mark.parametrize("bot", house_bots())
def test_a_bot_plays_the_same_again_from_the_same_seed(bot):
    game = new_game("stiche-raten", 3, {"length": "deals:4"})
    first, second = (dump(play(game, [bot, "random", bot], 5).record) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", GAMES)
def test_no_house_bot_has_two_names(name):
    """Any two bots differ in some move on the same cards against the same opponents."""
    seats = GAMES[name].players[0]
    options = short(name, seats).options | LONGER.get(name, {})
    game = new_game(name, seats, options)
    moves = {bot: play(game, [bot, *["random"] * (seats - 1)], 1).record["deals"] for bot in house_bots()}
    assert [pair for pair in combinations(moves, 2) if moves[pair[0]] == moves[pair[1]]] == []


@pytest.mark.parametrize("name", GAMES)
def test_thumb_beats_random_on_the_same_cards(name):
    """Each deal is played twice, the seats alternating, so that both hold every hand."""
    seats = GAMES[name].players[-1]
    game = new_game(name, seats, {"max_deals": 4} if name == "was-sticht" else {"length": "deals:4"})
    better = equal = 0
    for seed in range(12):
        lineup = [("thumb", "random")[seat % 2] for seat in range(seats)]
        scores = {
            first: play(game, bots, seed).record["scores"]
            for first, bots in (("thumb", lineup), ("random", _swapped(lineup)))
        }
        for seat in range(seats):
            of_thumb, of_random = (scores["thumb"][seat], scores["random"][seat])[
                :: 1 if lineup[seat] == "thumb" else -1
            ]
            better += of_thumb > of_random
            equal += of_thumb == of_random
    assert better + equal / 2 > 0.6 * 12 * seats


def _swapped(lineup):
    return [{"thumb": "random", "random": "thumb"}[bot] for bot in lineup]


def test_every_game_has_rules_of_thumb():
    assert RULES_OF_THUMB.keys() == GAMES.keys()


def test_there_are_three_anchors_and_none_of_them_is_random():
    assert len(set(ANCHORS)) == 3
    assert set(ANCHORS) <= house_bots().keys() - {"random"}


def test_the_anchors_are_frozen_versions():
    assert PANEL == (("thumb", 2), ("glimpse", 2), ("worrier", 2))
    for name, version in PANEL:
        assert house_bot(name, version).version == version


def test_a_version_that_a_house_bot_never_had_is_refused_with_those_that_it_has():
    with pytest.raises(BotError, match=r"the house bot 'thumb' has no version 9; there is 2"):
        entrant("house/thumb v9")


@pytest.mark.parametrize("version", ["9" * 5000, "²", "٢", "-1", "1_0", " 2"])
def test_a_version_that_is_no_number_names_no_house_bot(version):
    with pytest.raises(BotError, match="no house bot is called 'thumb v"):
        entrant(f"thumb v{version}")


def test_levels_are_guided_as_they_always_were():
    """The digest was taken before there was a version 3 of `search`."""
    played = play(short("mue", 4), ["gentle"] * 4, 7)
    moves = json.dumps(played.record["deals"], sort_keys=True)
    assert hashlib.sha256(moves.encode()).hexdigest()[:16] == "67e7a731178a83d0"


def test_an_unknown_house_bot_is_refused_with_the_names_of_all():
    with pytest.raises(BotError, match="no house bot is called 'genius'; there are random, timid"):
        house_bot("genius")


@pytest.mark.parametrize(
    ("action", "value"),
    [
        ("play R11", 11),
        ("play ST", 10),
        ("play CA", 14),
        ("play D9", 9),
        ("bid 0", 0),
        ("pass", -1),
        ("trump none", -1),
        ("block points -2", 2),
        ("take Y5", 5),
    ],
)
def test_the_ambition_of_an_action_follows_its_last_word(action, value):
    assert boldness(action) == value


def test_levels_have_the_elo_that_was_measured():
    rows = re.findall(r"^\| (.+) \| 100 \| (\d+ ± \d+ \| .+) \|$", text_of("docs/strength.md"), re.MULTILINE)
    told = {
        title: [tuple(map(int, cell.split(" ± "))) for cell in cells.split(" | ")] for title, cells in rows
    }
    shown = {GAMES[game].title: [*levels.values()] for game, levels in levels_elo().items()}
    assert shown == {title: cells[len(ANCHORS) :] for title, cells in told.items()}
    assert set(shown) == {game.title for game in GAMES.values()}
    for cells in told.values():
        assert sum(elo for elo, _ in cells[: len(ANCHORS)]) == pytest.approx(1500 * len(ANCHORS), abs=2)
