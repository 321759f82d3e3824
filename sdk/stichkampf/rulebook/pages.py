"""The rules of a game in words, in each language: the page `games/rules/LANGUAGE/GAME.html` and its summary.

After the page of a game stands `every-game.html`, which holds for all. A page consists of headings with an
`id`, paragraphs, lists and tables, and of block tags that hold a text: `{% example "auction" %}` draws an
example of the game by its name, `{% row "R9 R8" %}` cards, and `{% option "hook" %}` explains an option. The
site draws the pages, `text` makes plain text of them.
"""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from stichkampf import games
from stichkampf.errors import StichkampfError
from stichkampf.games import game_class

LANGUAGES: Final = ("en", "de")
EVERY_GAME: Final = "every-game"

_HEADING: Final = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)


def path_of(game: str, language: str, *, summary: bool = False) -> str:
    """Return the path of a page below the folder of the games.

    >>> path_of("mue", "de", summary=True)
    'rules/de/summaries/mue.html'
    """
    return f"rules/{language}/summaries/{game}.html" if summary else f"rules/{language}/{game}.html"


def page(game: str, language: str = "en", *, summary: bool = False) -> str:
    """Return the source of a page; empty for a game that comes from another package.

    >>> "auction" in page("mue")
    True

    :raises UnknownGame: no game has that name.
    :raises StichkampfError: there is no such language.
    """
    names = [game_class(game).name] if summary else [game_class(game).name, EVERY_GAME]
    found = [_file(path_of(name, known_language(language), summary=summary)) for name in names]
    return "".join(file.read_text("utf-8") for file in found) if found[0].is_file() else ""


def sections(game: str, language: str = "en") -> list[tuple[str, str]]:
    """List the sections of a page: (id, the same in every language; heading).

    >>> sections("mue", "de")[0]
    ('cards', 'Spieler und Karten')

    :raises UnknownGame: no game has that name.
    :raises StichkampfError: there is no such language.
    """
    return [(name, " ".join(title.split())) for name, title in _HEADING.findall(page(game, language))]


def known_language(language: str) -> str:
    """Return a language of the rules as it is.

    >>> known_language("fr")
    Traceback (most recent call last):
    ...
    stichkampf.errors.StichkampfError: no language 'fr'; there are en, de
    """
    if language not in LANGUAGES:
        raise StichkampfError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    return language


def _file(path: str) -> Traversable:
    return files(games).joinpath(*path.split("/"))
