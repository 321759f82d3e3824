"""The rules of a game as plain text, for terminals and language models."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Final

from stichkampf.engine.game import Game
from stichkampf.engine.options import Option
from stichkampf.games import game_class
from stichkampf.match.phrases import PHRASES
from stichkampf.match.wording import Wording
from stichkampf.rulebook.examples import WorkedExample, examples
from stichkampf.rulebook.pages import known_language, page

_WIDTH: Final = 100
_TAG: Final = re.compile(r"\{% *(\w+)(.*?)%\}", re.DOTALL)
_BLOCK_TAGS: Final = ("example", "row", "option")

Told = Callable[[str], str]


def rules_text(game: str, language: str = "en") -> str:
    """Return the rules of a game, its options and the words of its actions as plain text.

    >>> told = rules_text("mue")
    >>> print(told.split("\\n\\n")[0])
    Mü
    >>> "chief" in told and "partner 2" in told
    True
    >>> "Versteigerung" in rules_text("mue", language="de")
    True

    :param language: "en" or "de".
    :raises UnknownGame: no game has that name.
    :raises StichkampfError: there is no such language.
    """
    rules = game_class(game)
    known_language(language)
    return "\n\n".join([rules.title, *_rules(rules, language), *_words(rules, language)])


def _rules(game: type[Game], language: str) -> Iterator[str]:
    source = page(game.name, language)
    if source:
        shown = examples(game.name)
        options = {option.name: option for option in game.specification}
        phrases = PHRASES[language]

        def example_told(name: str) -> str:
            return phrases["example"].format(told=_happening(game, shown[name], language))

        def option_told(name: str) -> str:
            return f"{name} ({allowed_values(options[name], language)}):"

        yield from text_blocks(source, example_told, option_told)
    else:  # a game from another package tells its rules in its own file
        module = sys.modules.get(game.__module__)
        yield (inspect.getdoc(module) if module else None) or game.tagline
        yield f"## {PHRASES[language]['option list']}"
        yield "\n".join(_item("- ", f"{option.name}: {option.allowed}") for option in game.specification)


def _happening(game: type[Game], example: WorkedExample, language: str) -> str:
    """Tell the decisions of an example in words."""
    phrases, players = PHRASES[language], example.players

    def player(seat: int) -> str:
        return players[seat] if seat < len(players) else phrases["seat of the rules"].format(seat=seat)

    wording = Wording(game, language, player)
    told = []
    for event in example.events():
        if event.kind == "trick":
            cards = ", ".join(f"{player(s)} {c}" for s, c in zip(event.numbers, event.cards, strict=True))
            takes = phrases["takes it"].format(winner=player(event.seat))
            told.append(f"{cards}; {takes if event.seat >= 0 else phrases['no winner of it']}.")
        elif event.kind == "move" and not event.text.startswith("play "):
            told.append(wording.action(event.seat, event.text) + ".")
    return " ".join(told)


def _words(game: type[Game], language: str) -> Iterator[str]:
    said = PHRASES[language]
    german = game.german if language == "de" else {}
    yield f"## {said['words of actions']}"
    yield said["card words"]
    yield "\n".join(_item("- ", f"{german.get(when, when)}: {examples}") for when, examples in game.moments)


def allowed_values(option: Option, language: str = "en") -> str:
    """Tell the values that an option may have.

    >>> from stichkampf.games import game_class
    >>> [allowed_values(option, "de") for option in game_class("mue").specification][1]
    '100 oder "none"'
    """
    told = option.allowed
    if language == "de":
        for english, german in _ALLOWED_GERMAN.items():
            told = told.replace(english, german)
    return told


_ALLOWED_GERMAN: Final = {
    " or ": " oder ",
    " with N from ": " mit N von ",
    "a whole number from ": "eine ganze Zahl von ",
    " to ": " bis ",
    "a list of tasks, copies repeated, out of ": "eine Liste von Aufgaben, jede so oft wie ihre Karten, aus ",
}


def text_blocks(source: str, example: Told = "Example: {}.".format, option: Told = "{}:".format) -> list[str]:
    """Return headings, paragraphs, lists, tables, examples and options of a page as blocks of plain text.

    :param example: tells the example with a name; `option` begins the explanation of the option with a name.

    >>> text_blocks("<h2>End</h2><p>Most <b>points</b> win.</p>")
    ['## End', 'Most points win.']
    >>> text_blocks('{% example "auction" %}High.{% endexample %}')
    ['Example: auction. High.']
    """
    reader = _Reader(example, option)
    reader.feed(_TAG.sub(_as_element, source))
    reader.close()
    return reader.blocks


def _as_element(tag: re.Match[str]) -> str:
    """Write a block tag as an element that the reader knows; other tags are left out."""
    name = tag[1]
    if name in _BLOCK_TAGS:
        return f"<{name} of={tag[2].strip()}>"
    return f"</{name[3:]}>" if name.removeprefix("end") in _BLOCK_TAGS else ""


class _Reader(HTMLParser):
    """Reads a page of rules into blocks of text."""

    def __init__(self, example: Told, option: Told) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._begins = {"example": example, "option": option, "row": "{}:".format}
        self._text = ""
        self._items: list[str] = []
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("h2", "h3", "p", "li", "td", "th"):
            self._text = ""
        elif tag in ("ul", "ol"):
            self._items = []
        elif tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in self._begins:
            self._text = self._begins[tag](dict(attrs)["of"] or "") + " "

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        text = " ".join(self._text.split())
        if tag in ("h2", "h3"):
            self.blocks.append(f"{'#' * int(tag[1])} {text}")
        elif tag in ("p", "example", "row"):
            self.blocks.append(textwrap.fill(text, _WIDTH))
        elif tag == "option":
            self.blocks.append(_item("- ", text))
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
    """Return rows of cells in columns; short rows are filled up, and wide ones become items."""
    columns = max(map(len, rows))
    full = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[column]) for row in full) for column in range(columns)]
    if sum(widths) + 2 * columns > _WIDTH:
        return "\n".join(_item("- ", " | ".join(row)) for row in rows)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in full
    )
