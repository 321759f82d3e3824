"""Typed views: the facts of each game as attributes, and what follows from them at once.

    from stichkampf import views

    view = table.view(views.MueView)

Seats count from 0, cards are the record's words.
"""

from typing import TYPE_CHECKING

from stichkampf.games import views as views_of_games
from stichkampf.games.views import __all__ as __all__

if TYPE_CHECKING:
    from stichkampf.games.views import *  # noqa: F403


def __getattr__(name: str) -> object:
    """Load a view with the rules of its game alone."""
    return getattr(views_of_games, name)
