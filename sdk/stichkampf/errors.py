"""The errors of the SDK. Every message quotes the input and says what would be right."""

from __future__ import annotations

import re


class StichkampfError(Exception):
    """The base of all errors that Stichkampf raises on purpose.

    >>> from stichkampf import new_game
    >>> try:
    ...     new_game("skat", 3)
    ... except StichkampfError as error:
    ...     print(str(error)[:24])
    no game is called 'skat'
    """


def installing(extra: str) -> str:
    """Say how to install an extra: from files, as anybody may take the name in the public index.

    >>> installing("rating")
    "in a checkout of Stichkampf, pip install '.[rating]'; elsewhere, pip install 'numpy>=2.2' 'scipy>=1.15'"
    """
    if extra in ("sandbox", "view"):
        return f"in a checkout of Stichkampf, pip install '.[{extra}]' ./platform"
    wanted = " ".join(f"'{each}'" for each in _requirements(extra))
    elsewhere = f"; elsewhere, pip install {wanted}" if wanted else ""
    return f"in a checkout of Stichkampf, pip install '.[{extra}]'{elsewhere}"


def _requirements(extra: str) -> list[str]:
    """Return what an extra installs of others; nothing where the distribution is not installed as one."""
    # only a message asks for it
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires("stichkampf") or []
    except PackageNotFoundError:
        return []
    found: list[str] = []
    for line in declared:
        wanted, _, marker = (part.strip() for part in line.partition(";"))
        if marker.replace("'", '"') == f'extra == "{extra}"':
            own = re.fullmatch(r"stichkampf\[(\w+)\]", wanted)
            found += _requirements(own[1]) if own else [wanted]
    return list(dict.fromkeys(found))


class MissingLibrary(StichkampfError, ImportError):
    """A library that an extra brings, and that is not installed."""


class InterpretedRules(UserWarning):
    """A warning at the first search: the rules are interpreted here, so searches are slow."""


class UnknownGame(StichkampfError):
    """A name that no game has."""


class InstalledGameError(StichkampfError):
    """A game of an installed package that cannot be loaded, or whose name is taken."""


class SeatsError(StichkampfError):
    """A number of seats for which the game is not made."""


class OptionError(StichkampfError):
    """An option that the game does not have, or a value that the option cannot take."""


class SeedError(StichkampfError):
    """A seed of the wrong length."""


class DealError(StichkampfError):
    """Cards that do not make a deal of this game: a card twice, a card missing, a hand of the wrong size."""


class TimeControlError(StichkampfError):
    """A time control with a number outside its bounds, or with a cap below the time for a move."""


class ActionError(StichkampfError):
    """A text that is no action of this game at any moment."""


class IllegalAction(StichkampfError):
    """An action of the game that is not legal for that seat at this moment."""


class RecordError(StichkampfError):
    """A text that is not a match record, or a record that breaks the rules."""


class ArchiveError(StichkampfError):
    """A file that is not the archive of a bot. The message names the broken rule, and what would be right."""


class BotError(StichkampfError):
    """A bot that does not exist, or a file that holds no bot."""
