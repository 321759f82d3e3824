"""Lists of names: as people paste and save them, with all that is wrong told at once."""

import pytest
from django.core.exceptions import ValidationError
from stichkampf_platform.classes.name_lists import names_in, text_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada Lovelace\nGrace  Hopper\r\n\n  Alan Turing ", ["Ada Lovelace", "Grace Hopper", "Alan Turing"]),
        ("Vorname;Nachname\nJürgen;Müller\n;Ng", ["Jürgen Müller", "Ng"]),
        ("name\nO'Neil", ["O'Neil"]),
        ('first name,last name\n"Lovelace, Countess",Ada', ["Lovelace, Countess Ada"]),
        ("Ada\tLovelace\nAlan\tTuring", ["Ada Lovelace", "Alan Turing"]),
    ],
)
def test_a_list_is_read_as_programs_for_tables_write_it(text, names):
    assert names_in(text) == names


def test_all_that_is_wrong_is_told_at_once_and_quoted():
    text = "Ada\nada\nben@example.org\n42\nZo\u200be\nCarl\n" + "x" * 81 + "\na;b;c;d"
    with pytest.raises(ValidationError) as refused:
        names_in(text, known=["Carl"], room=3)
    told = refused.value.messages
    assert [message.split(":")[0] for message in told[:-1]] == [f"Line {number}" for number in range(2, 9)]
    parts = [
        "'ada' stands in line 1",
        "'ben@example.org' is a mail address",
        "'42' has no letters",
        r"\u200b",
        "'Carl' is in the class already",
        "has 81 characters",
        "has 4 cells",
    ]
    assert [part for part in parts if part not in " ".join(told)] == []
    assert told[-1] == "8 names; there is room for 3 more in this class."


def test_a_quotation_mark_that_does_not_close_is_told_with_its_line():
    with pytest.raises(ValidationError, match="Line 2: a quotation mark"):
        names_in('Ada\n"Ben\nCarl')


def test_files_of_older_programs_are_read_and_workbooks_are_not():
    assert text_of("Jürgen".encode("cp1252")) == text_of("Jürgen".encode("utf-8-sig")) == "Jürgen"
    assert text_of("Jürgen".encode("utf-16")) == "Jürgen"
    with pytest.raises(ValidationError, match="Save the table as CSV"):
        text_of(b"PK\x03\x04")


def test_an_empty_list_says_what_to_write():
    with pytest.raises(ValidationError, match="such as Ada Lovelace"):
        names_in("name\n\n")
