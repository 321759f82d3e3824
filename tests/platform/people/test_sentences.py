"""Sentences that are stored, and told to each reader in the own language."""

from __future__ import annotations

import ast
import inspect
import json

from django.utils.translation import override
from stichkampf.local_play import validation
from stichkampf_platform.bots.validation.log_texts import LOG_TEXTS
from stichkampf_platform.people.sentences import Sentence, joined, parts_of, restored, told


def stored(text):
    return restored(str(text), json.loads(json.dumps(parts_of(text))))


def test_a_stored_sentence_is_english_and_is_told_in_german_with_german_numbers():
    inner = Sentence("started in {seconds:.1f} s", seconds=1.25)
    line = Sentence("{game}: {how}. Hello from {agent}.", game="mue", how=inner, agent="{x}")
    assert line == "mue: started in 1.2 s. Hello from {x}."
    with override("de"):
        assert told(stored(line)) == "mue: nach 1,2 s gestartet. {x} meldet sich."
        assert told(stored(Sentence("{count} files", count=3))) == "3 Dateien"
    assert told(stored(line)) == line


def test_sentences_are_joined_and_empty_ones_left_out():
    both = joined("By hand.", "", Sentence("By staff."))
    assert both == "By hand. By staff."
    with override("de"):
        assert told(stored(both)) == "By hand. Von der Betreuung."
    assert joined("", "") == ""


def test_words_of_a_program_are_stored_without_signs_that_a_database_refuses():
    assert parts_of(Sentence("printed: {text}", text="a\0b"))["values"] == {
        "text": "a\N{REPLACEMENT CHARACTER}b"
    }


def test_a_number_without_end_is_stored_too():
    line = Sentence("LLR {llr:.2f}", llr=float("inf"))
    assert json.dumps(parts_of(line), allow_nan=False)
    assert told(stored(line)) == "LLR inf"


def test_a_row_without_parts_says_what_it_said():
    assert told(restored("An old line with {braces}.", None)) == "An old line with {braces}."


def test_every_line_of_a_validation_is_known_to_the_catalogue():
    calls = [
        node for node in ast.walk(ast.parse(inspect.getsource(validation))) if isinstance(node, ast.Call)
    ]
    made = {node.args[0].value for node in calls if getattr(node.func, "id", "") == "LogText"}
    assert len(made) > 20
    assert made == LOG_TEXTS
