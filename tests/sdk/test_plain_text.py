"""Text of strangers in one line, or in several, without what a terminal obeys."""

import pytest
from stichkampf.plain_text import LINE_CHARACTERS, plain, plain_line, plain_lines


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x07", "\r", "\u202e", "\u2066", "\u200b", "\x9b"])
def test_characters_that_steer_a_terminal_or_turn_the_text_are_replaced(sign):
    assert plain(f"a{sign}b", 10) == "a\ufffdb"


def test_letters_of_any_language_and_line_ends_stay():
    assert plain("Mü, 日本\nŽe", 100) == "Mü, 日本\nŽe"


def test_a_long_line_is_cut_and_says_so():
    line = plain_line("x" * 65_000)
    assert len(line) == LINE_CHARACTERS
    assert line.endswith("x…")


def test_a_line_that_just_fits_is_not_cut():
    assert plain_line("x" * LINE_CHARACTERS) == "x" * LINE_CHARACTERS


def test_several_lines_become_one_and_tabs_become_spaces():
    assert plain_line("one\ntwo\tthree") == "one two three"


def test_a_text_keeps_its_lines_each_of_them_cut():
    assert plain_lines("a\nb\x1b[2Jc\n" + "x" * 12, characters=10) == ["a", "b\ufffd[2Jc", "xxxxxxxxx…"]
