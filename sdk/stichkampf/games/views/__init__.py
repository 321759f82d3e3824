"""Typed views: the facts of each game as attributes, and what follows from them at once.

`table.view(MueView)` gives the one of a table. Seats count from 0, cards are the record's words.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def __getattr__(name: str) -> object:
    """Load a view, which the rules of its game name from its own module."""
    if name in __all__:
        module = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("View")).lower()
        return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
