"""Continuations of a recorded deal, played on by a house bot."""

from __future__ import annotations

import pytest
from stichkampf.analysis import continuations
from stichkampf.bots.practice import entrant, play_match
from stichkampf.errors import BotError, RecordError
from stichkampf.games import new_game


@pytest.fixture(scope="module")
def record():
    game = new_game("stiche-raten", 4, {"length": "deals:3"})
    return play_match(game, [entrant("random")] * 4, bytes(32)).record


def test_the_last_decision_of_a_deal_can_only_come_to_the_score_that_it_had(record):
    decided = sum(len(deal["moves"]) for deal in record["deals"])
    found = continuations(record, decided, number=5)
    assert found.outcomes == {record["deals"][-1]["scores"][found.seat]: 5}


def test_a_decision_is_played_on_as_often_as_asked_and_always_alike(record):
    first = continuations(record, 21, "random", number=20)
    assert first.number == 20
    assert len(first.outcomes) > 1
    assert continuations(record, 21, "random", number=20) == first


def test_what_is_not_possible_is_quoted_with_what_would_be(record):
    with pytest.raises(RecordError, match=r"has decisions 1 to \d+, not 1000"):
        continuations(record, 1000)
    with pytest.raises(RecordError, match="'bid 9' is not legal at decision 1; possible: bid 0"):
        continuations(record, 1, action="bid 9")
    with pytest.raises(RecordError, match="2000 continuations are out of bounds; 1 to 1000"):
        continuations(record, 1, number=2000)
    with pytest.raises(BotError, match="no house bot is called 'karl'"):
        continuations(record, 1, "karl")
