"""Stichkampf: competition among bots in seven trick-taking card games.

What a bot author needs stands here; `stichkampf play` and `stichkampf verify` are the same from the command line.
"""

from stichkampf.bot import Bot, Note
from stichkampf.errors import StichkampfError
from stichkampf.games import new_game
from stichkampf.match import Match
from stichkampf.table import Table

__all__ = ["Bot", "Match", "Note", "StichkampfError", "Table", "new_game"]
