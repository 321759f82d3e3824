"""Stichkampf: competition among bots in seven trick-taking card games.

Bot authors need only the names of this module; `stichkampf --help` shows the command line.
"""

from typing import TYPE_CHECKING

from stichkampf.bots.bot import Bot, Note
from stichkampf.errors import StichkampfError
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.table import Table

if TYPE_CHECKING:
    from stichkampf.rulebook.text import rules_text

    __version__: str

__all__ = ["Bot", "Match", "Note", "StichkampfError", "Table", "__version__", "new_game", "rules_text"]


def __getattr__(name: str) -> object:
    """Load what few bots need when it is asked for."""
    if name == "__version__":
        # a fifth of the time of `import stichkampf`
        from importlib.metadata import version

        return version("stichkampf")
    if name == "rules_text":
        # loads an HTML parser
        from stichkampf.rulebook.text import rules_text

        return rules_text
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
