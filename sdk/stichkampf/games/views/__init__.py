"""Typed views: the facts of each game as attributes, and what follows from them at once.

`table.view(MueView)` gives the one of a table. Seats count from 0, cards are the record's words.
"""

from stichkampf.games.views.meinz import MeinzView
from stichkampf.games.views.mue import MueView
from stichkampf.games.views.njet import NjetView
from stichkampf.games.views.sixes_and_sevens import SixesAndSevensView
from stichkampf.games.views.stiche_raten import SticheRatenView
from stichkampf.games.views.sticheln import StichelnView
from stichkampf.games.views.was_sticht import WasStichtView

__all__ = [
    "MeinzView",
    "MueView",
    "NjetView",
    "SixesAndSevensView",
    "SticheRatenView",
    "StichelnView",
    "WasStichtView",
]
