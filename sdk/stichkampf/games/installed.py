"""Games of other packages that are installed here.

A package declares each of its games as an entry point of the group `stichkampf.games`: the name of the game
in the match record, and its class, as in `whist = "card_club.whist:Whist"`.
"""

from __future__ import annotations

from collections.abc import Container
from importlib.metadata import EntryPoint, entry_points

from stichkampf.engine.declaration import check
from stichkampf.engine.game import Game
from stichkampf.errors import InstalledGameError

GROUP = "stichkampf.games"


def installed_games(taken: Container[str] = ()) -> dict[str, EntryPoint]:
    """Find the games that installed packages declare, by name; none of them is loaded.

    :param taken: names that they may not have.
    :raises InstalledGameError: two games would have one name.
    """
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, package_of(point))):
        other = package_of(found[point.name]) if point.name in found else "stichkampf"
        if point.name in found or point.name in taken:
            raise InstalledGameError(
                f"{package_of(point)} declares a game {point.name!r}, and {other} has one of that name:"
                f" uninstall one of them, or rename the game"
            )
        found[point.name] = point
    return found


def package_of(point: EntryPoint) -> str:
    """Return the name of the package that declares a game."""
    return point.dist.name if point.dist else "a package without a name"


def load(point: EntryPoint) -> type[Game]:
    """Load the rules of a game of another package.

    :raises InstalledGameError: it is not where the package says, or is no whole game of that name.
    """
    try:
        game: type[Game] = point.load()
        check(game)
    except (ImportError, AttributeError, TypeError) as error:
        raise InstalledGameError(
            f"the game {point.name!r} of {package_of(point)} cannot be loaded from {point.value}: {error}"
        ) from error
    if game.name != point.name:
        raise InstalledGameError(
            f"{package_of(point)} declares a game {point.name!r}, which calls itself {game.name!r}"
        )
    return game
