"""The guide of a first deal is made from declarations and from what the seat sees, in every game."""

from random import Random

import pytest
from asked_seats import drawn, questions
from django.utils import translation
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf_platform.web.play.guide import guidance
from stichkampf_platform.web.play.start_pages import first_match

HEADINGS = {"The game", "What to do", "Why this is allowed"}


def guided(game):
    for match, legal in questions(game, min(GAMES[game].players)):
        yield match, legal, drawn(match, legal)[0]


@pytest.mark.parametrize("game", GAMES)
def test_each_question_is_explained_and_a_taken_trick_is_told(game):
    told = set()
    for _match, legal, seated in guided(game):
        found = dict(guidance(seated))
        told |= found.keys()
        if legal:
            assert seated.controls.asks in found["What to do"]
            assert found["Why this is allowed"]
        assert ("What the trick was worth" in found) == (seated.last_trick is not None)
    assert told >= HEADINGS


@pytest.mark.parametrize("game", GAMES)
def test_who_must_follow_holds_the_suit_and_may_play_nothing_else(game):
    for _match, legal, seated in guided(game):
        why = dict(guidance(seated)).get("Why this is allowed", "")
        suits = {word[0] for place in seated.hand for word in [place[0].word]}
        if "you must follow" in why:
            playable = {action.split()[1][0] for action in legal}
            assert seated.led in playable
            assert (playable == {seated.led}) == ("or play another card" not in why)
        if "you hold none" in why:
            assert seated.led not in suits


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_is_german_too(game):
    english = {words for _m, _l, seated in guided(game) for _heading, words in guidance(seated)}
    with translation.override("de"):
        german = {words for _m, _l, seated in guided(game) for _heading, words in guidance(seated)}
    assert not english & german


def test_points_of_a_trick_are_those_that_its_taker_gained():
    told = [
        dict(guidance(seated)).get("What the trick was worth", "") for _m, _l, seated in guided("sticheln")
    ]
    assert any("It brought" in words for words in told)


@pytest.mark.parametrize("game", GAMES)
def test_a_guided_match_is_short_and_asks_for_more_than_a_choice_or_two(game):
    seats, chance, chosen = GAMES[game].main_ladder.seats, Random(game), 0
    match = Match(new_game(game, seats, first_match(game)), seed=chance.randbytes(32))
    while not match.over:
        for seat in match.to_act():
            legal = match.legal(seat)
            chosen += seat == 0 and len(legal) > 1
            match.play(seat, chance.choice(legal))
    assert 6 <= chosen <= 40
