"""Stichkampf: competition among bots in seven trick-taking card games.

Bot authors need only the names of this module; `stichkampf --help` shows the command line.
"""

from importlib.metadata import version

from stichkampf.bots.bot import Bot, Note
from stichkampf.errors import StichkampfError
from stichkampf.games import new_game
from stichkampf.games.rules_text import rules_text
from stichkampf.match.match import Match
from stichkampf.match.table import Table

__version__ = version("stichkampf")

__all__ = ["Bot", "Match", "Note", "StichkampfError", "Table", "__version__", "new_game", "rules_text"]
