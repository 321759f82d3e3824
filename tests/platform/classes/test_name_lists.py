"""Lists of names: as people paste and save them, with all that is wrong told at once."""

import csv
import io

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf_platform.classes.name_lists import (
    OTHER_TITLES,
    TITLES,
    ListedName,
    name_order,
    names_in,
    table_of,
    text_of,
)
from support import examples

WORDS = st.text("abcdeABCDEäÖéşλжא'-.", min_size=1, max_size=9).filter(lambda word: word[0].isalpha())


def read(text):
    return [listed.name for listed in names_in(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada Lovelace\nGrace  Hopper\r\n\n  Alan Turing ", ["Ada Lovelace", "Grace Hopper", "Alan Turing"]),
        ("Vorname;Nachname\nJürgen;Müller\n;Ng", ["Jürgen Müller", "Ng"]),
        ("name\nO'Neil", ["O'Neil"]),
        ('first name,last name\n"Lovelace, Countess",Ada', ["Lovelace, Countess Ada"]),
        ("Ada\tLovelace\nAlan\tTuring", ["Ada Lovelace", "Alan Turing"]),
        ("sep=;\nName;Vorname\nMüller;Hanna", ["Hanna Müller"]),
        ("SEP=|\nSurname|Given name|Class\nMüller|Hanna|10b", ["Hanna Müller"]),
        ("Nr.;Name;Vorname\n1;Müller;Hanna", ["Hanna Müller"]),
        ("Name;Vorname;;;;\nSchmidt;Eva;;;;\n;;;;;\n;;;;;", ["Eva Schmidt"]),
        ("Klasse;Nachname;Vorname;Bemerkung\n10b;Müller;Hanna;fehlt oft\n10b;Ng;;", ["Hanna Müller", "Ng"]),
        ("First name,Last name,ID number,Email address\nAda,Lovelace,7,ada@example.org", ["Ada Lovelace"]),
        ("Familienname;Rufname;Klasse;Geburtsdatum\nMeier;Tim;5a;1.2.2014", ["Tim Meier"]),
        ("Klassenliste 10b;;\n;;\nLfd. Nr.;Schüler*in;Kurs\n1;Müller, Hanna;Info", ["Hanna Müller"]),
        ("Nachname, Vorname\nMüller, Hanna\nNg, Zoe", ["Hanna Müller", "Zoe Ng"]),
        ("Lovelace, Ada\nTuring, Alan", ["Ada Lovelace", "Alan Turing"]),
        ("1\tMüller\tHanna\n2\tNg\tZoe", ["Müller Hanna", "Ng Zoe"]),
        ('"Bo" Li\nSean O\u2019Brien\n"Müller"', ['"Bo" Li', "Sean O\u2019Brien", "Müller"]),
        ("\ufeffHanna\u200b Müller\u00ad\nMu\u0308ller\u2060 Ole", ["Hanna Müller", "Müller Ole"]),
        (
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627\nHan\u200cna",
            ["\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "Hanna"],
        ),
        ("Name;Vorname\nKind;Hanna\nTitel;Ole", ["Hanna Kind", "Ole Titel"]),
        ("Schueler_Nachname;Schueler_Vorname;Klassen_Klassenbezeichnung\nNg;Zoe;10b", ["Zoe Ng"]),
        ("foreName\tlongName\tbirthDate\tklasse.name\nZoe\tNg\t1.2.2014\t10b", ["Zoe Ng"]),
        ("Name des Schülers;Vorname(n)\nNg;Zoe Ann", ["Zoe Ann Ng"]),
        (
            "Schülervorname;Namenszusatz;Schülernachname\nAnna;von der;Heide\nZoe;;Ng",
            ["Anna von der Heide", "Zoe Ng"],
        ),
        ("Legal Surname,Preferred Forename,Reg\nNg,Zoe,10b", ["Zoe Ng"]),
        ("Last,First,MI\nNg,Zoe,A", ["Zoe Ng"]),
        ("Nachname (Pflicht);Vorname [required];Kurs ()\nNg;Zoe;Info", ["Zoe Ng"]),
        ('="Zoe";="Ng"', ["Zoe Ng"]),
        ("1. Zoe Ng\n- Ole Meier\n\u2022 Eva Ng\n4) Ada B.", ["Zoe Ng", "Ole Meier", "Eva Ng", "Ada B."]),
        ("Zoe Ng\u2028Ole Meier\x0bEva Ng\x85Ada B.", ["Zoe Ng", "Ole Meier", "Eva Ng", "Ada B."]),
    ],
)
def test_a_list_is_read_as_programs_for_tables_write_it(text, names):
    assert read(text) == names


@given(
    people=st.lists(
        st.tuples(WORDS, WORDS), min_size=1, max_size=6, unique_by=lambda one: " ".join(one).casefold()
    ),
    first=st.sampled_from(sorted(TITLES["first"])),
    last=st.sampled_from(sorted(TITLES["last"])),
    others=st.lists(st.sampled_from(sorted(OTHER_TITLES)), max_size=3, unique=True),
    separator=st.sampled_from(";,\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    blanks=st.integers(0, 3),
    named=st.booleans(),
    turned=st.booleans(),
)
@settings(max_examples=examples(120))
def test_every_dialect_of_a_table_with_headings_gives_the_same_people(
    people, first, last, others, separator, quoting, encoding, end, blanks, named, turned
):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    for number, (given_name, family) in enumerate([(first.title(), last.upper()), *people]):
        cells = [family, given_name] if turned else [given_name, family]
        more = others if number == 0 else [str(number)] * len(others)
        writer.writerow([*more, *cells, *[""] * blanks])
        if number % 2:
            text.write(separator * blanks + end)
    content = (f"sep={separator}{end}" if named else "") + text.getvalue()
    listed = names_in(text_of(content.encode(encoding)))
    assert listed == [ListedName(f"{given_name} {family}", family) for given_name, family in people]
    assert names_in(table_of(listed)) == listed


def test_all_that_is_wrong_is_told_at_once_and_quoted():
    text = "Ada\nada\nben@example.org\n42\nZo\u202fe\x07\nCarl\n" + "x" * 81 + "\na;b;c;d"
    with pytest.raises(ValidationError) as refused:
        names_in(text, known=["Carl"], room=3)
    told = refused.value.messages
    assert [message.split(":")[0] for message in told[:-1]] == [f"Line {number}" for number in range(2, 9)]
    parts = [
        "'ada' stands in line 1",
        "'ben@example.org' is a mail address",
        "'42' has no letters",
        r"\x07",
        "'Carl' is in the class already",
        "has 81 characters",
        "has 4 cells",
    ]
    assert [part for part in parts if part not in " ".join(told)] == []
    assert told[-1] == "8 names; there is room for 3 more in this class."


def test_headings_without_a_column_of_names_say_what_is_missing():
    with pytest.raises(ValidationError, match="Line 1: no heading of a column of names"):
        names_in("Nr.;Klasse\n1;10b")


def test_a_quotation_mark_that_does_not_close_is_told_with_its_line():
    with pytest.raises(ValidationError, match="Line 2: a quotation mark"):
        names_in('Ada\n"Ben\nCarl')


def test_files_of_older_programs_are_read_and_workbooks_are_not():
    assert text_of("Jürgen".encode("cp1252")) == text_of("Jürgen".encode("utf-8-sig")) == "Jürgen"
    assert text_of("Jürgen".encode("utf-16")) == "Jürgen"
    with pytest.raises(ValidationError, match="Save the table as CSV"):
        text_of(b"PK\x03\x04")


@pytest.mark.parametrize("encoding", ["cp1252", "iso8859-15", "mac-roman", "cp850", "utf-16-le", "utf-16-be"])
@given(names=st.lists(st.sampled_from(["Jürgen Groß", "Änne Müller", "Özil Käß", "Übel Böhm", "Zoë Rößler"])))
@settings(max_examples=examples(20))
def test_german_names_are_read_from_every_encoding_without_a_mark(encoding, names):
    text = "\n".join(["Jörg Bäcker-Grün", *names])
    assert text_of(text.encode(encoding)) == text


def test_an_empty_list_says_what_to_write():
    with pytest.raises(ValidationError, match="such as Ada Lovelace"):
        names_in("name\n\n")


def test_names_are_in_the_order_in_which_people_look_for_them():
    text = "Vorname;Nachname\nOle;von der Heide\nIda;Zander\nAyşe;Öztürk\nTim;Äcker\nEva;Ots\nBo;Meier"
    assert [listed.name for listed in sorted(names_in(text), key=name_order)] == [
        "Tim Äcker", "Bo Meier", "Eva Ots", "Ayşe Öztürk", "Ole von der Heide", "Ida Zander",
    ]  # fmt: skip
