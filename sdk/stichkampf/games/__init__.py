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

GAMES: dict[str, type[Game]] = {}
"""The registered games by their names in the match record."""


def register(game: type[Game]) -> None:
    """Add a game, from this package or any other; everything that takes a game then takes this one.

    :raises TypeError: it does not declare everything about itself, or another game has its name.
    """
    check(game)
    if GAMES.setdefault(game.name, game) is not game:
        raise TypeError(f"there is a game {game.name!r} already: {GAMES[game.name].__qualname__}")


for _game in (Sticheln, SticheRaten, SixesAndSevens, Mue, Njet, Meinz, WasSticht):
    register(_game)


def game_class(name: str) -> type[Game]:
    """The rules of a game by its name in the match record.

    :raises UnknownGame: naming the games there are.
    """
    if name not in GAMES:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(GAMES)}")
    return GAMES[name]


def new_game(name: str, seats: int, options: Mapping[str, Json] | None = None) -> Game:
    """A game for so many seats; options that are not given take their defaults.

    :raises UnknownGame: no game has that name.
    :raises SeatsError: it is not for so many seats.
    :raises OptionError: it has no such option, or the option no such value.
    """
    return game_class(name)(seats, options or {})
