"""Tables that people save or paste: CSV as Excel, Moodle and school systems write it, read in one way.

A table is text in Unicode or an encoding of Windows, macOS or DOS. Its cells stand between semicolons, tabs,
commas, or what a first line `sep=;` names. Blank cells at the end of a row, and rows of blank cells, say
nothing and are left out; so are signs that cannot be seen, but for the joiners that some scripts write with.
"""

from __future__ import annotations

import codecs
import csv
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from stichkampf.errors import StichkampfError

SEPARATORS = ";\t,|"
LINES_OF_A_CELL = 20
"""The lines within which a quotation has to close."""
HEADING_BY_ROW = 10
"""The number of first rows among which headings are looked for."""
SIGNS_LOOKED_AT = 400
"""Bytes at the start of a file by which its encoding is told."""
_UNICODE = (
    ("utf-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    ("utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
    ("utf-16-le", ()),
    ("utf-16-be", ()),
)
CELL_CHARACTERS = csv.field_size_limit()

_SPACES = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")
_ADDED = re.compile(r"(?<=\w\s)[(\[][^()\[\]]*[)\]]\s*$")
_JOINERS = "\u200c\u200d"
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_PROTECTED = re.compile(r'="(.*)"')
"""A cell that Excel shall take for text, whatever stands in it."""
_ONE_BYTE_ENCODINGS = ("cp1252", "mac-roman", "cp850")
_LIKELY_LETTERS = re.compile(r"(?<!\w)[ÄÖÜÉŠŽ]|[äöüßàáçèéêíñóšž]")
"""Letters beyond ASCII of which names are full: the right encoding shows the most of them."""
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?[\s;,]*', re.IGNORECASE)
_WITHOUT_JOINERS = ("LATIN", "GREEK", "CYRILLIC")
"""Scripts whose letters need no joiners, so that one between them only deceives."""


class TableFileError(StichkampfError):
    """A file is no table, or cannot be read as one."""


@dataclass(frozen=True)
class Row:
    """A row with something in it.

    :ivar line: its first line in the text, from 1.
    :ivar cells: without blank ones at the end; each is on one line and in composed form (NFC).
    """

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class TableText:
    """The rows of a table, and the sign between its cells (empty where there is one column)."""

    rows: tuple[Row, ...]
    separator: str


def text_of(content: bytes) -> str:
    """Return the text of a file, as programs for tables save it.

    >>> text_of("Jürgen".encode("cp1252")), text_of("Jürgen".encode("utf-16"))
    ('Jürgen', 'Jürgen')

    :raises TableFileError: it is no text, such as a workbook.
    """
    for encoding, signs in _UNICODE:
        if content.startswith(signs) or _every_second_is_nul(content, encoding):
            return content.decode(encoding, errors="replace").removeprefix("\ufeff")
    if content.startswith(b"PK") or b"\0" in content:
        raise TableFileError("this file is no text; save the table as CSV and choose that file")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        texts = [content.decode(encoding, errors="replace") for encoding in _ONE_BYTE_ENCODINGS]
        return max(texts, key=lambda text: len(_LIKELY_LETTERS.findall(text)))


def _every_second_is_nul(content: bytes, encoding: str) -> bool:
    """Tell whether a text without a mark is in this encoding of two bytes a sign, as its ASCII shows."""
    start = content[:SIGNS_LOOKED_AT]
    high, low = (start[0::2], start[1::2]) if encoding == "utf-16-be" else (start[1::2], start[0::2])
    return encoding in ("utf-16-le", "utf-16-be") and 2 * high.count(0) > len(high) and 0 not in low


def read_table(text: str) -> TableText:
    """Read a table.

    >>> read_table("sep=;\\nName;Vorname;;\\n\\nMüller;Hanna;;").rows[1].cells
    ('Müller', 'Hanna')

    :raises TableFileError: a quotation mark opens and does not close; the message begins with the line.
    """
    lines = _LINE_ENDS.sub("\n", text.removeprefix("\ufeff")).split("\n")
    named = _SEPARATOR_LINE.fullmatch(lines[0].strip(" "))
    separator = named[1] if named else _separator(lines)
    if named:
        lines[0] = ""
    found = (Row(number, _without_blanks(cells)) for number, cells in _cells(lines, separator))
    return TableText(tuple(row for row in found if row.cells), separator)


def without_hidden_signs(text: str) -> str:
    """Return a text in composed form without signs that cannot be seen, as pasting brings them along.

    Joiners stay between letters of scripts that are written with them.

    >>> without_hidden_signs("Hanna\\u200b M\\u0075\\u0308ller\\u00ad")
    'Hanna Müller'
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        sign
        for place, sign in enumerate(composed)
        if unicodedata.category(sign) != "Cf" or is_joined(composed, place)
    )


def is_joined(text: str, place: int) -> bool:
    """Tell whether a sign of a text is a joiner between two letters of a script that needs joiners."""
    if text[place] not in _JOINERS or not 0 < place < len(text) - 1:
        return False
    return all(
        unicodedata.category(sign)[0] in "LM" and not unicodedata.name(sign, "").startswith(_WITHOUT_JOINERS)
        for sign in (text[place - 1], text[place + 1])
    )


def title_of(cell: str) -> str:
    """Return a heading as it is compared: its words in small letters, without brackets behind them.

    >>> title_of("E-Mail-Adresse"), title_of(" Nr. "), title_of("Schüler*in"), title_of("Name (Pflicht)")
    ('e mail adresse', 'nr', 'schüler in', 'name')
    """
    return _NO_WORD.sub(" ", _ADDED.sub("", cell.casefold())).strip()


def columns_named(
    cells: Collection[str],
    titles: Mapping[str, Collection[str]],
    compared: Callable[[str], str] = title_of,
) -> dict[str, int]:
    """Return the index of the first cell with one of the titles of each name, where there is one."""
    headings = [compared(cell) for cell in cells]
    return {
        name: min(places)
        for name, known in titles.items()
        if (places := [headings.index(title) for title in known if title in headings])
    }


def _separator(lines: Collection[str]) -> str:
    """Return the sign that most of the first rows have in equal number; empty where none has any."""
    rows = [re.sub(r'"[^"]*"', "", line) for line in lines if line.strip(SEPARATORS + " ")][:HEADING_BY_ROW]
    best, most = "", 0
    for sign in SEPARATORS:
        counts = [row.count(sign) for row in rows]
        agreed = max((counts.count(count) for count in counts if count), default=0)
        if agreed > most:
            best, most = sign, agreed
    return best


def _cells(lines: list[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with the number of their first line. A quotation within a cell stands as it is written."""
    at = 0
    while at < len(lines):
        for end in range(at + 1, min(at + LINES_OF_A_CELL, len(lines)) + 1):
            try:
                yield at + 1, _parsed(lines[at:end], separator, quoted=True)
            except csv.Error as error:
                if "unexpected end" in str(error):
                    continue
                if "field larger" in str(error):
                    raise TableFileError(
                        f"line {at + 1}: a cell is longer than {CELL_CHARACTERS:,} characters"
                    ) from None
                yield at + 1, _parsed(lines[at:end], separator, quoted=False)
            at = end
            break
        else:
            raise TableFileError(f"line {at + 1}: a quotation mark opens there and does not close")


def _parsed(lines: list[str], separator: str, *, quoted: bool) -> list[str]:
    reader = csv.reader(
        ["\n".join(lines)] if quoted else [" ".join(lines)],
        delimiter=separator or "\x1f",
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        skipinitialspace=True,
        strict=True,
    )
    return next(reader, [])


def _without_blanks(cells: Collection[str]) -> tuple[str, ...]:
    found = [_SPACES.sub(" ", without_hidden_signs(cell)).strip(" ") for cell in cells]
    found = [told[1] if (told := _PROTECTED.fullmatch(cell)) else cell for cell in found]
    while found and not found[-1]:
        found.pop()
    return tuple(found)
