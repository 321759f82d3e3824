"""The games by name. A new game is one file in this folder and one line here, or a package (`installed`).

The rules of a game are loaded when they are asked for: a bot of one game needs no other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING

from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import check
from stichkampf.engine.game import Game
from stichkampf.errors import UnknownGame

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
    "usual_seats",
]

_CLASSES = {
    "sticheln": "Sticheln",
    "stiche-raten": "SticheRaten",
    "sixes-and-sevens": "SixesAndSevens",
    "mue": "Mue",
    "njet": "Njet",
    "meinz": "Meinz",
    "was-sticht": "WasSticht",
}
"""The classes of this folder's games, by their names in the match record; those of files have underscores."""


class _Registered(MutableMapping[str, type[Game]]):
    """The registered games, each loaded with the first look at it.

    Other packages are looked for once, when somebody asks for all games or for one that is not known here.
    """

    def __init__(self) -> None:
        self._known: dict[str, type[Game] | None] = dict.fromkeys(_CLASSES)
        self._installed: dict[str, EntryPoint] | None = None

    def _all(self) -> dict[str, type[Game] | None]:
        if self._installed is None:
            # it takes longer than the rules of a game, and who plays one of this folder needs none of it
            from stichkampf.games.installed import installed_games

            found = installed_games(_CLASSES)
            for name in found:
                self._known.setdefault(name, None)
            self._installed = found
        return self._known

    def __getitem__(self, name: str) -> type[Game]:
        game = self._known[name] if name in self._known else self._all()[name]
        if game is None:
            game = self._known[name] = self._load(name)
        return game

    def _load(self, name: str) -> type[Game]:
        if self._installed and name in self._installed:
            # as above
            from stichkampf.games.installed import load

            return load(self._installed[name])
        module = import_module(f"stichkampf.games.{name.replace('-', '_')}")
        game: type[Game] = getattr(module, _CLASSES[name])
        check(game)
        return game

    def __setitem__(self, name: str, game: type[Game]) -> None:
        self._known[name] = game

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._known or name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


GAMES: MutableMapping[str, type[Game]] = _Registered()
"""The registered games by their names in the match record.

>>> list(GAMES)
['sticheln', 'stiche-raten', 'sixes-and-sevens', 'mue', 'njet', 'meinz', 'was-sticht']
"""


def __getattr__(name: str) -> object:
    """Load the class of a game."""
    for game, kind in _CLASSES.items():
        if kind == name:
            return GAMES[game]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def register(game: type[Game]) -> None:
    """Add a game, from this package or any other; everything that takes a game then takes this one.

    >>> register(game_class("mue"))  # registered already: nothing changes
    >>> register(type("Other", (game_class("mue"),), {}))
    Traceback (most recent call last):
    ...
    TypeError: there is a game 'mue' already: Mue

    :raises TypeError: it does not declare everything about itself, or another game has its name.
    """
    check(game)
    if GAMES.setdefault(game.name, game) is not game:
        raise TypeError(f"there is a game {game.name!r} already: {GAMES[game.name].__qualname__}")


def usual_seats(game: type[Game]) -> int:
    """Return the seats of a usual table: four where the game is for four, else the fewest.

    >>> [usual_seats(game_class(name)) for name in ("mue", "stiche-raten")]
    [4, 4]
    """
    return 4 if 4 in game.players else game.players[0]


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
