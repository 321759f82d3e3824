"""The German catalogue: every text of the sources is in it, none lacks its German, and it is compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.template import Template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import ngettext, override
from stichkampf_platform.core import number_formats
from stichkampf_platform.desk import model_names
from stichkampf_platform.tournaments.formats import FORMATS

PLATFORM = Path(__file__).parents[4] / "platform" / "stichkampf_platform"
SOURCE = PLATFORM / "locale" / "de" / "LC_MESSAGES" / "django.po"
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "Sentence"}
FIELDS = re.compile(r"%\(\w+\)[sgr]|\{[^}]*\}")


@pytest.fixture(scope="module")
def catalogue() -> polib.POFile:
    return polib.pofile(str(SOURCE))


def texts_of_code(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS
        if called and isinstance(node.args[0], ast.Constant):
            yield node.args[0].value


def texts_of_template(path: Path) -> Iterator[str]:
    nodes = Template(path.read_text()).nodelist
    for node in nodes.get_nodes_by_type(BlockTranslateNode):
        yield node.render_token_list(node.singular)[0]
    for node in nodes.get_nodes_by_type(TranslateNode):
        if node.filter_expression.var.literal:
            yield node.filter_expression.var.literal.replace("%", "%%")


@pytest.mark.slow
def test_every_marked_text_is_in_the_catalogue(catalogue):
    known = {entry.msgid for entry in catalogue}
    found = {text for path in PLATFORM.rglob("*.py") for text in texts_of_code(path)}
    assert len(found) > 300
    files = [*PLATFORM.rglob("templates/**/*.html"), *PLATFORM.rglob("templates/**/*.txt")]
    templates = [path for path in files if "translate" in path.read_text()]
    of_templates = {text for path in templates for text in texts_of_template(path)}
    assert len(of_templates) > 300
    assert sorted((found | of_templates) - known) == [], "run make messages, and write the German"


def test_no_text_lacks_its_german(catalogue):
    assert [entry.msgid for entry in [*catalogue.untranslated_entries(), *catalogue.fuzzy_entries()]] == []


def test_the_german_has_the_fields_of_the_english(catalogue):
    single = [entry for entry in catalogue if not entry.msgid_plural]
    differ = [e.msgid for e in single if sorted(FIELDS.findall(e.msgid)) != sorted(FIELDS.findall(e.msgstr))]
    assert differ == []
    many = [entry for entry in catalogue if entry.msgid_plural]
    assert [entry.msgid for entry in many if not all(entry.msgstr_plural.values())] == []


def test_the_compiled_catalogue_is_not_older_than_its_source():
    assert SOURCE.with_suffix(".mo").stat().st_mtime >= SOURCE.stat().st_mtime, "run make setup"


def test_german_has_its_own_plural_forms_and_numbers():
    with override("de"):
        forms = [
            ngettext("{count} block", "{count} blocks", count).format(count=count) for count in (1, 2, 0)
        ]
        assert forms == ["1 Block", "2 Blöcke", "0 Blöcke"]
        assert number_formats.plain(1234.5, 1) == "1.234,5"
        assert number_formats.signed(-0.04, 1) == "0,0"
        assert number_formats.ungrouped(1530.4) == "1530"
        assert number_formats.likely(99.97) == ">99,9"


def test_names_of_the_administration_are_in_the_catalogue_as_make_messages_adds_them(catalogue):
    stored = {entry.msgid for entry in catalogue if entry.msgctxt == model_names.CONTEXT}
    assert stored == model_names.shown_names()
    assert len(stored) > 100


def test_one_german_word_has_one_meaning(catalogue):
    """A bot is entered and a person signs in; a seat, a place of a tournament and a rank are three things."""
    entries = [
        entry for entry in catalogue if re.search(r"\b(?:[Ee]nter(?:s|ed)?|[Ee]ntr(?:y|ies))\b", entry.msgid)
    ]
    of_bots = [entry for entry in entries if "bot" in entry.msgid.lower() and "ign" not in entry.msgid]
    assert len(of_bots) > 10
    wrong = {
        "a bot signs in": [each.msgid for each in of_bots if re.search("[aA]n(?:ge|zu)?meld", each.msgstr)],
        "a table of places": [
            each.msgid
            for each in catalogue
            if re.search(r"\bseats\b", each.msgid) and "s)s Plätze" in each.msgstr
        ],
        "a shared seat": [
            each.msgid
            for each in catalogue
            if "share" in each.msgid and "teilen sich den ersten Platz" in each.msgstr
        ],
        "a waiting seat": [
            each.msgid for each in catalogue if re.search(r"wartet auf einen Platz", each.msgstr)
        ],
    }
    assert {name: texts for name, texts in wrong.items() if texts} == {}


def test_a_length_in_rounds_is_right_german():
    with override("de"):
        told = FORMATS["swiss"].describe_length(blocks=10, rounds=4, stopping="fixed")
    assert re.match(r"4 Runden, 10 Blöcke\b", told)


COUNTED = re.compile(r"(?:%\((\w+)\)s|\{(\w+)(?:[:!][^}]*)?\}) (?:[a-z-]+ )?([a-z]+s|people|entries)\b")
"""A field, and the word behind it, with at most one between them."""
WITH_A_TEXT_FOR_ONE = {("count", "rounds"), ("blocks", "blocks")}
SEVERAL_ALWAYS = {
    *(("count", "bots"), ("count", "matches"), ("count", "minutes"), ("days", "days")),  # told from two on
    *(("bots", "bots"), ("tables", "tables"), ("steps", "decisions"), ("count", "decisions")),
    *(("matches", "matches"), ("points", "points"), ("worth", "points"), ("margin", "points")),
    *(("blocks_compared", "blocks"), ("blocks_read", "blocks"), ("ahead", "points"), ("places", "places")),
    *(("size", "entrants"), ("group_size", "entrants"), ("least", "entrants"), ("pairs", "pairs")),
    *(("blocks_a_look", "blocks"), ("least_pairs", "blocks"), ("number", "times"), ("trials", "times")),
    *(("move_seconds", "seconds"), ("waits", "minutes")),
}
"""Numbers that rules or constants keep above one, decimal numbers, and "of" such a number."""
NAMES = {("bot_name", "tables"), ("game", "bots")}


def test_a_counted_word_has_a_text_for_one(catalogue):
    words = {
        word for entry in catalogue for *_, word in COUNTED.findall(entry.msgid_plural or "") if word != "has"
    }
    assert len(words) > 25
    found = {
        (first or second, word)
        for entry in catalogue
        if not entry.msgid_plural
        for first, second, word in COUNTED.findall(entry.msgid)
        if word in words
    }
    assert found == WITH_A_TEXT_FOR_ONE | SEVERAL_ALWAYS | NAMES
