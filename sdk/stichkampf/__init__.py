"""Stichkampf: competition among bots in seven trick-taking card games.

Bot authors need only the names of this module; `stichkampf --help` shows the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stichkampf.bots.bot import Bot, Note
    from stichkampf.errors import StichkampfError
    from stichkampf.games import new_game
    from stichkampf.match.match import Match
    from stichkampf.match.table import Table
    from stichkampf.rulebook.text import rules_text

    __version__: str

__all__ = ["Bot", "Match", "Note", "StichkampfError", "Table", "__version__", "new_game", "rules_text"]

_MODULES = {
    "Bot": "stichkampf.bots.bot",
    "Match": "stichkampf.match.match",
    "Note": "stichkampf.bots.bot",
    "StichkampfError": "stichkampf.errors",
    "Table": "stichkampf.match.table",
    "new_game": "stichkampf.games",
    "rules_text": "stichkampf.rulebook.text",
}
_INSIDE = ("bots", "engine", "errors", "faults", "games", "match")
"""Modules that can be named after `import stichkampf` alone."""


def __getattr__(name: str) -> object:
    """Load what is asked for: the client of a sandbox chooses what happens before."""
    if name == "__version__":
        # takes ten milliseconds to import
        from importlib.metadata import version

        return version("stichkampf")
    if name in _INSIDE:
        return import_module(f"stichkampf.{name}")
    if name in _MODULES:
        return globals().setdefault(name, getattr(import_module(_MODULES[name]), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
