"""The rules of a game as plain text, for terminals and language models.

Their one source is the page `rules/en/GAME.html` beside this file, which the site shows too. It consists of
headings, paragraphs, lists and tables, and of example tricks and cards in two block tags:
`{% trick "R3 R7" "Ann Bo" 2 %}` with the cards, the players and the number of the winner, and
`{% row "R9 R8" %}`. Each holds its caption.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from typing import Final

from stichkampf.engine.game import Game
from stichkampf.games import game_class

_WIDTH: Final = 100
_TAG: Final = re.compile(r"\{% *(\w+)(.*?)%\}", re.DOTALL)
_ARGUMENT: Final = re.compile(r'"([^"]*)"|(\d+)')


def rules_text(name: str) -> str:
    """Return the rules of a game, its options and the words of its actions as plain text, in English.

    >>> told = rules_text("mue")
    >>> print(told.split("\\n\\n")[0])
    Mü
    >>> "chief" in told and "partner 2" in told
    True

    :raises UnknownGame: no game has that name.
    """
    game = game_class(name)
    return "\n\n".join([game.title, *_rules(game), *_words(game), *_options(game)])


def _rules(game: type[Game]) -> Iterator[str]:
    page = files(__package__).joinpath("rules", "en", f"{game.name}.html")
    if page.is_file():
        yield from text_blocks(page.read_text("utf-8"))
    else:  # a game from another package tells its rules in its own file
        module = sys.modules.get(game.__module__)
        yield (inspect.getdoc(module) if module else None) or game.tagline


def _words(game: type[Game]) -> Iterator[str]:
    yield "## Words of the actions"
    yield "A card is a suit letter and a rank. Seats count from 0 in these words."
    yield "\n".join(_item("- ", f"{when}: {examples}") for when, examples in game.moments)


def _options(game: type[Game]) -> Iterator[str]:
    yield "## Options"
    yield "\n".join(_item("- ", f"{option.name}: {option.allowed}") for option in game.specification)


def text_blocks(page: str) -> list[str]:
    """Return headings, paragraphs, lists, tables and examples of a page as blocks of plain text.

    >>> text_blocks("<h2>End</h2><p>Most <b>points</b> win.</p>")
    ['## End', 'Most points win.']
    >>> text_blocks('{% trick "R3 R7" "Ann Bo" 2 %}High.{% endtrick %}')
    ['Example: Ann R3, Bo R7 (takes the trick). High.']
    """
    reader = _Reader()
    reader.feed(_TAG.sub(_as_element, page))
    reader.close()
    return reader.blocks


def _as_element(tag: re.Match[str]) -> str:
    """Write a block tag as an element that the reader knows; other tags are left out."""
    name, given = tag[1], [quoted or number for quoted, number in _ARGUMENT.findall(tag[2])]
    if name == "trick":
        return f'<trick cards="{given[0]}" names="{given[1]}" winner="{given[2]}">'
    if name == "row":
        return f'<row cards="{given[0]}">'
    return f"</{name[3:]}>" if name in ("endtrick", "endrow") else ""


class _Reader(HTMLParser):
    """Reads a page of rules into blocks of text."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._text = ""
        self._items: list[str] = []
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("h2", "p", "li", "td", "th"):
            self._text = ""
        elif tag in ("ul", "ol"):
            self._items = []
        elif tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag == "row":
            self._text = f"{given['cards']}: "
        elif tag == "trick":
            cards = zip(given["names"].split(), given["cards"].split(), strict=True)
            told = [
                f"{name} {card}" + (" (takes the trick)" if order == int(given["winner"]) else "")
                for order, (name, card) in enumerate(cards, 1)
            ]
            self._text = f"Example: {', '.join(told)}. "

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        text = " ".join(self._text.split())
        if tag == "h2":
            self.blocks.append(f"## {text}")
        elif tag in ("p", "trick", "row"):
            self.blocks.append(textwrap.fill(text, _WIDTH))
        elif tag == "li":
            self._items.append(text)
        elif tag in ("td", "th"):
            self._rows[-1].append(text)
        elif tag in ("ul", "ol"):
            marks = [f"{n}. " if tag == "ol" else "- " for n in range(1, len(self._items) + 1)]
            self.blocks.append("\n".join(map(_item, marks, self._items)))
        elif tag == "table":
            self.blocks.append(_table(self._rows))


def _item(mark: str, text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark))


def _table(rows: list[list[str]]) -> str:
    """Return rows of cells in columns; a short row, such as a heading over several columns, is filled up."""
    columns = max(map(len, rows))
    full = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[column]) for row in full) for column in range(columns)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in full
    )
