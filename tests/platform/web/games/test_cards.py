from itertools import combinations

import pytest
from coloraide import Color
from stichkampf.engine.seeds import Chance
from stichkampf.games import GAMES, new_game
from stichkampf_platform.web.games import cards

SHEET = {
    "R": "#d3160f",
    "Y": "#fbd02c",
    "G": "#128563",
    "B": "#1552f0",
    "O": "#dd8736",
    "V": "#4a2370",
    "K": "#17191d",
}
INK, WHITE = "#12161c", "#fff"


def words_in(value):
    if isinstance(value, str):
        return [value]
    return [word for entry in value for word in words_in(entry)]


@pytest.mark.parametrize("name", GAMES)
def test_every_card_of_every_game_has_a_face(name):
    game = new_game(name, max(GAMES[name].players))
    dealt = game.shuffle(Chance(bytes(32), "deal 0"), 0, game.start())
    dealt_cards = words_in(dealt["rows"] if "rows" in dealt else dealt["hands"])
    assert dealt_cards
    assert [word for word in dealt_cards if cards.face(word) is None] == []


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("R11", "red 11"),
        ("K0", "black 0"),
        ("SQ", "queen of spades"),
        ("HT", "10 of hearts"),
        ("CK", "king of clubs"),
    ],
)
def test_a_card_is_read_aloud_by_suit_and_rank(word, name):
    assert f'aria-label="{name}"' in cards.card(word)


@pytest.mark.parametrize("word", ["R15", "X3", "", "S1", "S10", "play"])
def test_other_texts_are_no_cards(word):
    assert cards.face(word) is None


def test_a_hand_sorts_by_suit_and_number_not_by_text():
    hand = ["Y2", "R11", "R2", "Y10"]
    assert sorted(hand, key=lambda word: cards.face(word).order) == ["R2", "R11", "Y2", "Y10"]


def test_every_suit_has_its_own_shape(rendered_sprite):
    shapes = [rendered_sprite[letter] for letter in cards.SUIT_LETTERS]
    assert len(set(shapes)) == len(cards.SUIT_LETTERS)


def test_the_style_sheet_has_the_tested_colours(style_sheet):
    for letter, colour in SHEET.items():
        assert f"--{cards.suit_name(letter)}: {colour}" in style_sheet


@pytest.mark.parametrize("sight", [None, "protan", "deutan"])
def test_orange_differs_from_red_and_yellow(sight):
    seen = {letter: Color(SHEET[letter]) for letter in "RYO"}
    if sight:
        seen = {letter: colour.filter(sight) for letter, colour in seen.items()}
    for other in "RY":
        assert seen["O"].delta_e(seen[other], method="2000") > 12


@pytest.mark.parametrize("sight", [None, "protan", "deutan"])
def test_the_suits_of_a_deck_differ_in_colour(sight):
    seen = {letter: Color(colour) for letter, colour in SHEET.items()}
    if sight:
        seen = {letter: colour.filter(sight) for letter, colour in seen.items()}
    close = [
        (one, other)
        for one, other in combinations("RYGBOV", 2)
        if seen[one].delta_e(seen[other], method="2000") < 12
    ]
    assert close == []


@pytest.mark.parametrize("letter", SHEET)
def test_numerals_contrast_with_their_card(letter):
    print_colour = INK if letter in "YO" else WHITE
    assert Color(SHEET[letter]).contrast(print_colour) >= 4.5
