"""The outlook of a task of Was sticht?, trick by trick, against what the round came to."""

from random import Random

import pytest
from stichkampf.games import game_class, new_game
from stichkampf.match.match import Match

OUTLOOK = game_class("was-sticht").felt.goals.outlook


def outlooks(match, seats):
    """The outlook of each shown task at this moment, by seat."""
    deal = match.deal
    captured = [[] for _ in range(seats)]
    last = -1
    for _, event in match.log:
        if event.kind == "deal":
            captured, last = [[] for _ in range(seats)], -1
        elif event.kind == "trick":
            last = event.seat
            captured[last] += event.cards
    won = deal.tricks_by_seat()
    return {
        seat: OUTLOOK(task, seat, won, captured[seat], 9 - sum(won), seat == last)
        for seat, task in enumerate(deal.facts()["shown"])
        if task
    }


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4])
def test_an_outlook_is_kept_and_agrees_with_the_scores(seats):
    met = lost = 0
    for seed in range(4):
        rng = Random(seed)
        match = Match(new_game("was-sticht", seats, {"max_deals": 12}), seed=bytes([seed]) * 32)
        while not match.over:
            deal, settled = match.deal, {}
            while match.deal is deal and not match.over:
                for seat, outlook in outlooks(match, seats).items():
                    assert settled.get(seat, outlook) == outlook
                    if outlook != "open":
                        settled[seat] = outlook
                seat = rng.choice(match.to_act())
                match.play(seat, rng.choice(match.legal(seat)))
            for seat in set(range(seats)) - {deal.dealer}:
                kept = settled.get(seat, "open")
                assert kept in ("open", "met" if deal.scores()[seat] else "lost")
                met += kept == "met"
                lost += kept == "lost"
    assert met
    assert lost


@pytest.mark.parametrize(
    ("task", "seat", "tricks", "captured", "left", "won_last", "expected"),
    [
        ("fewest-tricks", 0, [0, 1, 1, 0], [], 7, False, "open"),
        ("fewest-tricks", 0, [3, 2, 2, 1], ["B1"], 1, True, "lost"),
        ("fewest-tricks", 0, [1, 3, 3, 2], ["B1"], 0, False, "met"),
        ("fewest-tricks", 0, [0, 4, 4, 1], [], 0, False, "lost"),
        ("most-tricks", 1, [2, 5, 1, 0], ["B1"], 1, True, "met"),
        ("most-tricks", 0, [2, 3, 3, 0], ["B1"], 1, False, "lost"),
        ("no-red", 2, [2, 2, 0, 5], [], 0, False, "lost"),
        ("no-red", 2, [2, 2, 1, 3], ["Y1", "B4", "G2", "R1"], 1, True, "lost"),
        ("exactly-2", 0, [0, 4, 4, 0], [], 1, False, "lost"),
        ("last-trick", 0, [1, 4, 4, 0], ["R1"], 0, True, "met"),
    ],
)
def test_the_outlook_of_a_task(task, seat, tricks, captured, left, won_last, expected):
    assert OUTLOOK(task, seat, tricks, captured, left, won_last) == expected
