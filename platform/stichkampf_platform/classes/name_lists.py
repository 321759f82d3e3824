"""Lists of names, pasted or as a CSV file: read wholly, or refused with everything that is wrong."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from stichkampf import table_files
from stichkampf.table_files import HEADING_BY_ROW, Row, TableFileError, columns_named, read_table, title_of

from stichkampf_platform.classes.models import NAME_CHARACTERS
from stichkampf_platform.core.plain_names import one_line

NAMES_AT_MOST = 200
LIST_BYTES = 100_000
QUOTED, PROBLEMS_TOLD = 60, 40
CELLS_AT_MOST = 3
_MARK_OF_A_LIST = re.compile(r"([-*•\u2013·]|\d+[.)])\s+(?=\S)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


TITLES = {
    "first": _words(
        "first name, firstname, given name, givenname, first names, given names, forename, "
        "forenames, rufname, vorname, vornamen, preferred name, first"
    ),
    "before last": _words("namenszusatz, namensvorsatz, vorsatzwort, name prefix, surname prefix"),
    "last": _words(
        "last name, lastname, surname, family name, familyname, second name, nachname, nachnamen, "
        "familienname, zuname, langname, longname, last"
    ),
    "whole": _words(
        "full name, fullname, student name, student s name, pupil name, display name, displayname, "
        "vollständiger name, anzeigename, vor und nachname, vorname und nachname, vorname nachname, "
        "nachname vorname, name vorname, nachname und vorname, last name first name, "
        "surname first name, surname forename, surname given name, first name last name, "
        "first name surname, schülername, name, names, namen, student, students, pupil, pupils, "
        "participant, participants, learner, schüler, schülerin, schüler in, schülerinnen, "
        "schülerinnen und schüler, schüler innen, lernende, lernende r, teilnehmer, teilnehmerin, "
        "teilnehmer in, teilnehmende, teilnehmende r, teilnehmerinnen"
    ),
}
"""Headings of columns with names, in English and German, as spreadsheets, Moodle and schools write them."""
OF_WHOM = _words(
    "der, des, of, the, s, n, en, schüler, schülers, schülerin, schueler, kind, kindes, student, students, "
    "pupil, pupils, child, learner, teilnehmer, teilnehmers, participant, legal, official, preferred"
)
"""Words of a heading that say whose name stands there, or how often."""
_OF_WHOM_IN_FRONT = re.compile("(schüler|schueler|kinder|kindes)(?=(vor|ruf|nach|familien|zu)name)")

OTHER_TITLES = _words(
    "nr, no, number, nummer, lfd nr, lfd nummer, pos, id, id number, id nummer, student id, "
    "schüler id, class, klasse, course, kurs, group, groups, gruppe, gruppen, team, section, e mail, "
    "email, email address, e mail address, mail, e mail adresse, emailadresse, username, user name, "
    "login, anmeldename, benutzername, nutzername, institution, department, abteilung, abteilungen, "
    "birthday, date of birth, geburtsdatum, geburtstag, geb datum, geschlecht, gender, sex, remark, "
    "remarks, comment, comments, note, notes, bemerkung, bemerkungen, notiz, notizen, grade, grades, "
    "points, punkte, year, jahrgang, stufe, jahrgangsstufe, role, rolle, status, phone, telefon, "
    "city, ort, title, titel, anrede"
)
"""Headings of columns that have no names."""


@dataclass(frozen=True)
class ListedName:
    """A person of a list.

    :ivar family_name: the last part of the name, where the list tells which that is; else empty.
    """

    name: str
    family_name: str = ""


def text_of(content: bytes) -> str:
    """Return the text of a file, as programs for tables save it.

    :raises ValidationError: it is no text, such as a workbook.
    """
    try:
        return table_files.text_of(content)
    except TableFileError:
        raise ValidationError(
            _("This file is no text. Save the table as CSV, and choose that file.")
        ) from None


def names_in(*texts: str, known: Collection[str] = (), room: int = NAMES_AT_MOST) -> list[ListedName]:
    """Return the people of one or several lists, one a row.

    Under headings only the columns of names make names; without, all cells of a row are one name, and a cell
    with nothing but a number is left out.

    :param known: names that are there already, in any case of letters.
    :param room: how many more may come.
    :raises ValidationError: a message for each line that is wrong.
    """
    size = sum(len(text.encode()) for text in texts)
    if size > LIST_BYTES:
        told = _("The list has %(bytes)s bytes; at most %(most)s are possible.")
        raise ValidationError(told % {"bytes": size, "most": LIST_BYTES})
    there = {name.casefold() for name in known}
    lines: dict[str, int] = {}
    names: list[ListedName] = []
    problems: list[str] = []
    for text in texts:
        for number, listed, problem in _listed(text):
            name = listed.name
            problem = problem or _problem(name) or _repeated(name, there, lines)
            if problem:
                problems.append(_("Line %(number)s: %(problem)s") % {"number": number, "problem": problem})
            lines.setdefault(name.casefold(), number)
            names.append(listed)
    if not names and not problems:
        problems.append(_("The list is empty: write one name a line, such as Ada Lovelace."))
    if len(names) > room:
        told = _("%(names)s names; there is room for %(room)s more in this class.")
        problems.append(told % {"names": len(names), "room": max(0, room)})
    if problems:
        more = len(problems) - PROBLEMS_TOLD
        rest = [_("And %(more)s more.") % {"more": more}] if more > 0 else []
        raise ValidationError([*problems[:PROBLEMS_TOLD], *rest])
    return names


def table_of(people: Iterable[ListedName]) -> str:
    """Write people as a table that `names_in` reads as them."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(["First name", "Last name"])
    for listed in people:
        writer.writerow([listed.name.removesuffix(listed.family_name).strip(), listed.family_name])
    return text.getvalue()


def name_order(listed: ListedName) -> tuple[str, ...]:
    """Return the key by which people sort names: by family name, without regard to accents and capitals.

    Where no list told the family name, it is the last word with the small words before it.

    >>> people = ["Öztürk", "Zander", "von der Heide", "Äcker"]
    >>> sorted(people, key=lambda name: name_order(ListedName(name)))
    ['Äcker', 'Öztürk', 'von der Heide', 'Zander']
    """
    family = listed.family_name or _family_name(listed.name)
    return _plain(family), _plain(listed.name), listed.name


def _family_name(name: str) -> str:
    words = name.split()
    small = [place for place, word in enumerate(words) if place and word[:1].islower()]
    return " ".join(words[min([*small, len(words) - 1]) :]) if words and not words[0][:1].islower() else name


def _plain(text: str) -> str:
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in bare if sign.isalnum() or sign == " ")


def _listed(text: str) -> Iterator[tuple[int, ListedName, str]]:
    """Yield the line of each person of a list, the name, and what is wrong with the row."""
    try:
        table = read_table(text)
    except TableFileError as error:
        number = re.findall(r"\d+", str(error))[0]
        yield int(number), ListedName(""), _("a quotation mark opens there and does not close.")
        return
    heading = _heading(table.rows)
    columns = {} if heading is None else columns_named(table.rows[heading].cells, TITLES, _title)
    if columns.keys() >= {"first", "whole"} and "last" not in columns:
        columns["last"] = columns.pop("whole")  # as in Name;Vorname
    if heading is not None and not columns:
        told = _("no heading of a column of names, such as Name, or First name and Last name.")
        yield table.rows[heading].line, ListedName(""), told
        return
    if heading is not None and len(table.rows[heading].cells) == 1:
        columns = {}  # it stands above whole rows
    turned = not columns and table.separator == "," and ", " in text
    for row in table.rows[0 if heading is None else heading + 1 :]:
        if columns:
            listed = _under_headings(row.cells, columns)
            if listed.name:
                yield row.line, listed, ""
        else:
            yield row.line, *_without_headings(row, turned=turned)


def _heading(rows: Sequence[Row]) -> int | None:
    """Return the place of the row of headings; further down it has to name two columns of names."""
    for place, row in enumerate(rows[:HEADING_BY_ROW]):
        names = columns_named(row.cells, TITLES, _title)
        others = sum(title_of(cell) in OTHER_TITLES for cell in row.cells)
        if len(names) > 1 or (place == 0 and (names or others == len(row.cells))):
            return place
        if names and others:
            return place
    return None


def _title(cell: str) -> str:
    """Return a heading without the words that say whose name it is.

    >>> _title("Name des Schülers"), _title("Schüler_Vorname(n)"), _title("Student"), _title("Legal Surname")
    ('name', 'vorname', 'student', 'surname')
    """
    title = title_of(cell)
    if any(title in known for known in TITLES.values()):
        return title
    words = (_OF_WHOM_IN_FRONT.sub("", word) for word in title.split())
    return " ".join(word for word in words if word not in OF_WHOM)


def _under_headings(cells: Sequence[str], columns: dict[str, int]) -> ListedName:
    first, before, last, whole = (
        cells[columns[part]] if part in columns and columns[part] < len(cells) else "" for part in TITLES
    )
    last = " ".join(filter(None, [before, last]))
    if last and not first:
        whole = last
    elif first:
        return ListedName(" ".join(filter(None, [first, last])), last)
    family, comma, given = (part.strip() for part in whole.partition(","))
    return ListedName(f"{given} {family}", family) if comma and given and family else ListedName(whole)


def _without_headings(row: Row, *, turned: bool) -> tuple[ListedName, str]:
    """Read a row without knowing what its cells are.

    :param turned: names stand as in `Lovelace, Ada`.
    """
    cells = [cell for cell in row.cells if cell]
    cells[:1] = [_MARK_OF_A_LIST.sub("", cell, count=1) for cell in cells[:1]]
    if len(cells) > 1:
        cells = [cell for cell in cells if not re.fullmatch(r"[\d.)]+", cell)] or cells
    name = " ".join(cells)
    if turned and len(cells) == 2:
        return ListedName(f"{cells[1]} {cells[0]}", cells[0]), ""
    if len(cells) > CELLS_AT_MOST:
        told = _(
            "%(name)s has %(cells)s cells; write one person a line, or headings above the columns, such as"
            " First name and Last name."
        )
        return ListedName(name), told % {"name": repr(name[:QUOTED]), "cells": len(cells)}
    return ListedName(name), ""


def _problem(name: str) -> str:
    shown = repr(name[:QUOTED])
    if len(name) > NAME_CHARACTERS:
        told = _("%(name)s… has %(length)s characters; at most %(most)s are possible.")
        return told % {"name": shown, "length": len(name), "most": NAME_CHARACTERS}
    if "@" in name:
        return _("%(name)s is a mail address; write the name, no address is needed.") % {"name": shown}
    if not any(sign.isalpha() for sign in name):
        return _("%(name)s has no letters; write a name, such as Ada Lovelace.") % {"name": shown}
    try:
        one_line(name)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def _repeated(name: str, there: Collection[str], lines: dict[str, int]) -> str:
    told = {"name": repr(name[:QUOTED])}
    if name.casefold() in there:
        return _("%(name)s is in the class already; leave the line out, or add what tells them apart.") % told
    if name.casefold() in lines:
        told["line"] = lines[name.casefold()]
        text = _("%(name)s stands in line %(line)s already; add what tells them apart, or leave it out.")
        return text % told
    return ""
