"""The examples on the pages of the rules are matches by the rules, and happen as their captions say."""

from __future__ import annotations

import re

import pytest
from stichkampf.engine.options import choice
from stichkampf.games import GAMES
from stichkampf.match.records import steps
from stichkampf.match.verify import verify
from stichkampf.rulebook.examples import examples
from stichkampf.rulebook.pages import page

# By game and example: (cards of the trick, who takes it), as the captions and the printed rules tell it.
TRICKS = {
    "sticheln": {
        "same-colour": ("Y6 Y5 Y2 Y11", "Doris"),
        "zero": ("R3 R2 B0 R4", "Ulli"),
        "equal-trumps": ("B11 O6 G6 G4", "Doris"),
        "no-trump-card": ("R0 Y0 R1 G0", "Lore"),
        "zeros-leader": ("R0 Y0 G0 B0", "Axel"),
        "zeros-vanish": ("R0 Y0 G0 B0", ""),
    },
    "stiche-raten": {
        "identical": ("H9 HK HK H7", "Ben"),
        "trump": ("HA S7 HK S9", "Dan"),
        "grab": ("HA SJ CJ DJ", "Ben"),
        "pass-led": ("DJ C8 CA D7", "Cora"),
        "pass-only": ("DJ HJ HJ DJ", "Anna"),
        "follow": ("HA HK H7", "Anna"),
    },
    "sixes-and-sevens": {
        "seven": ("CK H7 CA C2", "Emil"),
        "higher-heart": ("CK H7 H9 C2", "Sven"),
        "two-sevens": ("CK H7 S7 CA", "Sven"),
        "led-seven": ("CK H7 C7 C2", "Nora"),
        "six": ("CK D6 C2 CA", "Sven"),
        "six-and-seven": ("CK H6 H7 C2", "Emil"),
        "trump-set": ("C9 H7 C4 C3", "Emil"),
        "trump-changes": ("D9 H3 S7 DA", "Wim"),
    },
    "mue": {
        "first-trick": ("Y8 Y0 Y7 Y3 Y9", "Conny"),
        "chief-over-vice": ("R9 R7 G0 R5", "Conny"),
        "double-trump": ("R9 R8 R7 Y7", "Conny"),
        "first-seven": ("G7 B7 Y7 K7", "Anna"),
        "digit-leaves": ("R9 R6 R2 R4", "Beate"),
    },
    "njet": {
        "last-seven": ("Y7 Y7 Y3 Y7", "Di"),
        "last-supertrump": ("B0 B0 B5 Y9", "Bo"),
        "booty": ("Y9 Y0 Y4 K0 K7", "Eva"),
        "supertrump-suit": ("B5 R3 B9 B1", "Bo"),
        "supertrump-beats": ("K9 B0 K3 K8", "Bo"),
    },
    "meinz": {
        "no-call": ("R4 Y2 G2 B7", "Cy"),
        "same-number": ("R5 R9 B5 R1", "Ana"),
        "full-skipped": ("R2 R8 R4 R7", "Di"),
        "monster": ("B9 B6 B5 G7", "monster"),
    },
    "was-sticht": {
        "numbers": ("Y4 R9 B5 G5", "Daniel"),
        "supertrump": ("R7 G8 G9 G7", "Bernhard"),
        "no-colour": ("B2 B9 G5 R8", "Alex"),
        "number-leaves": ("B4 B9 Y7 B1", "Alex"),
    },
}
# By game and example: facts on the table after it, or the scores of a deal that ended with it.
TABLES = {
    "sticheln": {
        "pain": {"pain": ["R5", "B1", "R9", "G2"]},
        "score": {"tricks": [3, 3, 4, 4], "scores": [-5, 3, -16, -7]},
    },
    "stiche-raten": {
        "hook": {"bids": [1, 1, None], "round": 3, "trump": "S"},
        "round-score": {"scores": [3, -1, 4]},
        "grab-turned": {"turned": "SJ", "trump": "H"},
    },
    "sixes-and-sevens": {"score": {"side points": [59, 58], "tricks": [0, 2, 5, 6], "scores": [1, 0, 1, 0]}},
    "mue": {
        "auction-first": {"may lay": 3, "laid": [["R6"], [], ["B9"], ["B7", "G1"], []]},
        "auction-end": {"chief": 3, "vice": 2, "target": 33},
        "stalemate": {"scores": [15, 0, 15, -30, 0]},
        "naming": {"chief trump": "1", "vice trump": "B", "partner": 0},
        "failed": {"card points": [9, 0, 13, 20, 18], "scores": [9, 10, 23, 0, 28]},
        "fulfilled": {"card points": [18, 4, 16, 22], "target": 32, "scores": [58, 4, 56, 22]},
    },
    "njet": {
        "board": {"start": None},
        "board-full": {
            "board": {
                "start": ["1"],
                "discard": ["pass-two"],
                "trump": ["Y"],
                "super": ["R"],
                "points": ["3"],
            }
        },
        "team": {"team": [1, 3]},
        "pass-two": {"start": 1},
        "score": {"tricks": [1, 2, 3, 2, 4], "booty": [1, 0, 0, 1, 2], "scores": [20, 20, 18, 18, 20]},
        "minus-two": {"tricks": [4, 4, 8], "booty": [1, 0, 2], "scores": [-20, -28, -28]},
    },
    "meinz": {
        "away": {"called": None},
        "asking": {"called": None},
        "called": {"called": 0},
        "swap": {"known": [["R9"], [], [], []]},
        "ranks": {"sums": [49, 41, 40, 32], "scores": [3, 1, 0, 2]},
        "ties": {"sums": [41, 37, 32, 41], "scores": [0, 0, 2, 0]},
        "monster-score": {"sums": [48, 38, 33, 42], "scores": [1, 0, 2]},
    },
    "was-sticht": {
        "tasks": {
            "tasks": [["exactly-2"], ["no-red"], ["no-blue", "most-tricks"], ["exactly-3", "last-trick"]]
        },
        "draft-first": {"hints": [3]},
        "draft-second": {"hints": [3, 2]},
        "table": {"hints": ["table"]},
        "show": {"trumps": ["R", "2"], "shown": ["fewest-tricks", "fewest-tricks", None, "last-trick"]},
        "steal": {"tricks": [4, 2, 2, 1], "scores": [1, 0, 0, 1]},
        "fewest-fails": {"tricks": [2, 5, 0, 2], "scores": [0, 0, 1, 0]},
    },
}
all_games = pytest.mark.parametrize("name", GAMES)


@all_games
def test_the_referee_accepts_every_match_of_an_example(name):
    for record in {id(one.record): one.record for one in examples(name).values()}.values():
        verify(dict(record))


def test_a_new_option_with_its_default_changes_no_example(monkeypatch):
    sticheln = GAMES["sticheln"]
    added = choice("pain_card_counts", True, False, meaning="the own pain card costs its value")
    monkeypatch.setattr(sticheln, "specification", (*sticheln.specification, added))
    record = examples.__wrapped__("sticheln")["pain"].record
    assert record["options"] == {
        "edition": "long",
        "zero_trick": "leader",
        "length": "deals:1",
        "pain_card_counts": True,
    }
    verify(dict(record))


@all_games
def test_the_page_shows_every_example_and_each_is_told_here(name):
    shown = re.findall(r'\{% example "([\w-]+)" %\}', page(name))
    assert len(shown) == len(set(shown)) >= 5
    assert {*shown} == {*TRICKS[name], *TABLES[name]} == {*examples(name)}


@pytest.mark.parametrize(("name", "which"), [(name, which) for name in TRICKS for which in TRICKS[name]])
def test_a_trick_has_the_cards_and_the_winner_of_its_caption(name, which):
    example = examples(name)[which]
    trick = example.trick()
    seats = [*example.players, "monster"]
    assert example.draws == "trick"
    assert (" ".join(trick.cards), seats[trick.seat] if trick.seat >= 0 else "") == TRICKS[name][which]


@pytest.mark.parametrize(("name", "which"), [(name, which) for name in TABLES for which in TABLES[name]])
def test_a_table_stands_as_its_caption_says(name, which):
    example = examples(name)[which]
    *_, last = (step for _, step in zip(range(example.last), steps(example.record), strict=False))
    number = last.move.deal
    deal = last.match.deal
    last.play()
    told = {**deal.facts(), "scores": last.match.played[number].scores}
    assert {fact: told[fact] for fact in TABLES[name][which]} == TABLES[name][which]
