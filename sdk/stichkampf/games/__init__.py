"""The games by name. A new game is one file in this folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping

from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import check
from stichkampf.engine.game import Game
from stichkampf.errors import UnknownGame
from stichkampf.games.meinz import Meinz
from stichkampf.games.mue import Mue
from stichkampf.games.njet import Njet
from stichkampf.games.sixes_and_sevens import SixesAndSevens
from stichkampf.games.stiche_raten import SticheRaten
from stichkampf.games.sticheln import Sticheln
from stichkampf.games.was_sticht import WasSticht

__all__ = [
    "GAMES",
    "Meinz",
    "Mue",
    "Njet",
    "SixesAndSevens",
    "SticheRaten",
    "Sticheln",
    "WasSticht",
    "game_class",
    "new_game",
    "register",
]

GAMES: dict[str, type[Game]] = {}
"""The registered games by their names in the match record.

>>> list(GAMES)
['sticheln', 'stiche-raten', 'sixes-and-sevens', 'mue', 'njet', 'meinz', 'was-sticht']
"""


def register(game: type[Game]) -> None:
    """Add a game, from this package or any other; everything that takes a game then takes this one.

    >>> register(Mue)  # registered already: nothing changes
    >>> register(type("Other", (Mue,), {}))
    Traceback (most recent call last):
    ...
    TypeError: there is a game 'mue' already: Mue

    :raises TypeError: it does not declare everything about itself, or another game has its name.
    """
    check(game)
    if GAMES.setdefault(game.name, game) is not game:
        raise TypeError(f"there is a game {game.name!r} already: {GAMES[game.name].__qualname__}")


for _game in (Sticheln, SticheRaten, SixesAndSevens, Mue, Njet, Meinz, WasSticht):
    register(_game)


def game_class(name: str) -> type[Game]:
    """Return the rules of a game by its name in the match record.

    >>> game_class("was-sticht").title
    'Was sticht?'

    :raises UnknownGame: naming the games there are.
    """
    if name not in GAMES:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(GAMES)}")
    return GAMES[name]


def new_game(name: str, seats: int, options: Mapping[str, Json] | None = None) -> Game:
    """Make a game for a number of seats; options that are not given take their defaults.

    >>> new_game("njet", 4).options["length"]
    'deals:8'

    :raises UnknownGame: no game has that name.
    :raises SeatsError: it is not for this number of seats.
    :raises OptionError: it has no such option, or the option no such value.
    """
    return game_class(name)(seats, options or {})
