"""The rules of a game as plain text say all that their page says, in both languages."""

from __future__ import annotations

import html
import re

import pytest
from stichkampf import rules_text
from stichkampf.cli import main
from stichkampf.errors import StichkampfError, UnknownGame
from stichkampf.games import GAMES
from stichkampf.rulebook.pages import LANGUAGES, page, sections

TAG = re.compile(r"\{%.*?%\}", re.DOTALL)
MARKUP = re.compile(r"\{%.*?%\}|</?[a-z][^>]*>", re.DOTALL)
both = pytest.mark.parametrize("language", LANGUAGES)
all_games = pytest.mark.parametrize("name", GAMES)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|[+\u2212]\d+", text)


@both
@all_games
def test_the_text_has_every_word_of_the_page_in_order_and_no_markup(name, language):
    shown = words(html.unescape(MARKUP.sub(" ", page(name, language))))
    told = rules_text(name, language)
    rest = iter(words(told))
    assert [word for word in shown if word not in rest] == []
    assert not re.search(r"[<{]|&\w+;|%\}", told)
    assert max(map(len, told.splitlines())) <= 100


@both
@all_games
def test_the_text_has_the_examples_the_options_and_the_words_of_the_actions(name, language):
    told = " ".join(rules_text(name, language).split())
    assert told.count({"en": "Example: ", "de": "Beispiel: "}[language]) >= 5
    for _, examples in GAMES[name].moments:
        assert f": {examples}" in told
    for option in GAMES[name].specification:
        assert f"- {option.name} (" in told


@all_games
def test_both_languages_have_the_same_sections_examples_cards_and_options(name):
    english, german = (page(name, language) for language in LANGUAGES)
    assert TAG.findall(english) == TAG.findall(german)
    assert re.findall(r"<(\w+)", english) == re.findall(r"<(\w+)", german)
    ids = [[section for section, _ in sections(name, language)] for language in LANGUAGES]
    assert ids[0] == ids[1]
    assert {"cards", "end", "rulings", "options"} <= {*ids[0]}
    options = re.findall(r'\{% option "(\w+)" %\}', english)
    assert options == [option.name for option in GAMES[name].specification]
    summaries = [page(name, language, summary=True) for language in LANGUAGES]
    assert summaries[0].count("<li>") == summaries[1].count("<li>") >= 6


def test_a_german_text_is_german_throughout():
    told = rules_text("meinz", "de")
    assert "Ana tauscht R2 gegen R9." in told
    assert "Stiche: play Y5" in told
    assert not re.search(r"\b(the|and|takes|cards)\b", told)


def test_a_table_stands_in_columns_and_one_too_wide_for_them_in_items():
    lines = [line for line in rules_text("njet").splitlines() if line[:5] in ("Row  ", "Trump")]
    assert lines[0].index("1") == lines[1].index("blue")
    assert "- 4 | 60 | 15 | 19 |" in rules_text("njet")


def test_an_unknown_game_and_an_unknown_language_are_named_with_those_there_are(capsys):
    with pytest.raises(UnknownGame, match="no game is called 'skat'; there are sticheln"):
        rules_text("skat")
    with pytest.raises(StichkampfError, match="no language 'fr'; there are en, de"):
        rules_text("mue", "fr")
    with pytest.raises(SystemExit):
        main(["rules", "mue", "--lang", "fr"])
    assert "unknown value 'fr'; possible: en, de" in capsys.readouterr().err


def test_the_command_prints_the_rules_in_either_language(capsys):
    assert main(["rules", "meinz"]) == 0
    assert capsys.readouterr().out == rules_text("meinz") + "\n"
    assert main(["rules", "meinz", "--lang", "de"]) == 0
    assert capsys.readouterr().out == rules_text("meinz", "de") + "\n"
