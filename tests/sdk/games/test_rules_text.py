"""The rules of a game as plain text say all that the page of the rules says."""

from __future__ import annotations

import html
import re
from importlib.resources import files

import pytest
from stichkampf import games, rules_text
from stichkampf.cli import main
from stichkampf.errors import UnknownGame
from stichkampf.games import GAMES

MARKUP = re.compile(r"\{%.*?%\}|</?[a-z][^>]*>", re.DOTALL)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[+\u2212]\d+", text)


@pytest.mark.parametrize("name", GAMES)
def test_the_text_has_every_word_of_the_page_in_order_and_no_markup(name):
    page = files(games).joinpath("rules", "en", f"{name}.html").read_text("utf-8")
    shown = words(html.unescape(MARKUP.sub(" ", page)))
    told = rules_text(name)
    rest = iter(words(told))
    assert [word for word in shown if word not in rest] == []
    assert not re.search(r"[<{]|&\w+;|%\}", told)
    assert max(map(len, told.splitlines())) <= 100


@pytest.mark.parametrize("name", GAMES)
def test_the_text_has_the_examples_the_options_and_the_words_of_the_actions(name):
    page = files(games).joinpath("rules", "en", f"{name}.html").read_text("utf-8")
    told = " ".join(rules_text(name).split())
    assert told.count("Example: ") == told.count("(takes the trick)") == page.count("{% trick ")
    for when, examples in GAMES[name].moments:
        assert f"- {when}: {examples}" in told
    for option in GAMES[name].specification:
        assert f"- {option.name}: " in told


def test_a_heading_over_several_columns_leaves_the_table_in_columns():
    lines = [line for line in rules_text("njet").splitlines() if line[:5] in ("Row  ", "Trump")]
    assert lines[0].index("Fields") == lines[1].index("blue")


def test_an_unknown_game_is_named_with_those_there_are():
    with pytest.raises(UnknownGame, match="no game is called 'skat'; there are sticheln"):
        rules_text("skat")


def test_the_command_prints_the_rules(capsys):
    assert main(["rules", "meinz"]) == 0
    assert capsys.readouterr().out == rules_text("meinz") + "\n"
