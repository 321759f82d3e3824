"""Lists of names, pasted or as a CSV file: read wholly, or refused with everything that is wrong."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection, Iterator

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from stichkampf_platform.classes.models import NAME_CHARACTERS
from stichkampf_platform.core.plain_names import one_line

NAMES_AT_MOST = 200
LIST_BYTES = 100_000
QUOTED, PROBLEMS_TOLD = 60, 40
CELLS_AT_MOST = 3
SPACES = re.compile(r"[ \t\xa0]+")
HEADINGS = frozenset(
    {"name", "names", "full name", "first name", "last name", "given name", "family name", "forename",
     "surname", "vorname", "nachname", "familienname", "rufname"}
)  # fmt: skip
"""Words of a first line that is no person."""


def text_of(content: bytes) -> str:
    """Return the text of a file, as programs for tables save it.

    :raises ValidationError: it is no text, such as a workbook.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    if content.startswith(b"PK") or b"\0" in content:
        raise ValidationError(_("This file is no text. Save the table as CSV, and choose that file."))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def names_in(text: str, *, known: Collection[str] = (), room: int = NAMES_AT_MOST) -> list[str]:
    """Return the names of a list, one a line; cells of a line are one name.

    :param known: names that are there already, in any case of letters.
    :param room: how many more may come.
    :raises ValidationError: a message for each line that is wrong.
    """
    if len(text.encode()) > LIST_BYTES:
        told = _("The list has %(bytes)s bytes; at most %(most)s are possible.")
        raise ValidationError(told % {"bytes": len(text.encode()), "most": LIST_BYTES})
    there = {name.casefold() for name in known}
    lines: dict[str, int] = {}
    names: list[str] = []
    problems: list[str] = []
    try:
        for number, cells in _rows(text):
            name = " ".join(filter(None, cells))
            problem = _problem(name, cells) or _repeated(name, there, lines)
            if problem:
                problems.append(_("Line %(number)s: %(problem)s") % {"number": number, "problem": problem})
            lines.setdefault(name.casefold(), number)
            names.append(name)
    except csv.Error:
        told = _("Line %(number)s: a quotation mark opens there and does not close where the cell ends.")
        problems.append(told % {"number": _open_quotation(text)})
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


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that has any, without headings."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=max(";\t,", key=text.count), strict=True)
    begun = False
    for row in reader:
        cells = [SPACES.sub(" ", cell).strip(" ") for cell in row]
        if any(cells):
            heading = not begun and all(cell.casefold() in HEADINGS for cell in cells if cell)
            begun = True
            if not heading:
                yield reader.line_num, cells


def _open_quotation(text: str) -> int:
    """Return the number of the first line with an odd quotation mark."""
    odd = [number for number, line in enumerate(text.splitlines(), start=1) if line.count('"') % 2]
    return odd[0] if odd else 1


def _problem(name: str, cells: Collection[str]) -> str:
    shown = repr(name[:QUOTED])
    if len(cells) > CELLS_AT_MOST:
        told = _("%(name)s has %(cells)s cells; write one person a line, with first name and last name.")
        return told % {"name": shown, "cells": len(cells)}
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
