"""Stichkampf: competition among bots in seven trick-taking card games.

    from stichkampf import Bot, Note, Search, Table, views

The names of this module, of `stichkampf.testing`, `stichkampf.views`, `stichkampf.lab` and its `environments`
are promised: from version 1.0 on, semantic versions say when one changes. Every other module is internal and
may change with any version.
`stichkampf --help` shows the command line.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stichkampf import testing as testing
    from stichkampf import views as views
    from stichkampf.bots.bot import Bot, Note
    from stichkampf.engine.deal import Deal
    from stichkampf.engine.game import Game
    from stichkampf.engine.policy import Policy, Valuation
    from stichkampf.errors import StichkampfError
    from stichkampf.games import new_game
    from stichkampf.match.looking_ahead import Search, World
    from stichkampf.match.match import Match
    from stichkampf.match.recorded import Record
    from stichkampf.match.table import Table, TableClock
    from stichkampf.rulebook.text import rules_text

    __version__: str

_MODULES = {
    "Bot": "bots.bot",
    "Deal": "engine.deal",
    "Game": "engine.game",
    "Match": "match.match",
    "Note": "bots.bot",
    "Policy": "engine.policy",
    "Record": "match.recorded",
    "Search": "match.looking_ahead",
    "StichkampfError": "errors",
    "Table": "match.table",
    "TableClock": "match.table",
    "Valuation": "engine.policy",
    "World": "match.looking_ahead",
    "new_game": "games",
    "rules_text": "rulebook.text",
}
__all__ = [
    "Bot",
    "Deal",
    "Game",
    "Match",
    "Note",
    "Policy",
    "Record",
    "Search",
    "StichkampfError",
    "Table",
    "TableClock",
    "Valuation",
    "World",
    "__version__",
    "new_game",
    "rules_text",
    "testing",
    "views",
]
_INSIDE = ("bots", "engine", "errors", "faults", "games", "lab", "match", "testing", "views")
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
        return globals().setdefault(name, getattr(import_module(f"stichkampf.{_MODULES[name]}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
