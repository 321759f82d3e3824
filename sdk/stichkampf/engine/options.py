"""The options of a game: their names, their possible values and their defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stichkampf.engine.deal import Json
from stichkampf.errors import OptionError
from stichkampf.values import Value

Options = dict[str, Json]

MOST_DEALS = 10_000
"""The most deals of a match."""
MOST_POINTS = 1_000_000
"""The most points for which a match is played."""
MOST = {"deals": MOST_DEALS, "points": MOST_POINTS}

_LENGTH = re.compile(r"(deals|points):([1-9][0-9]{0,8})")


class Option(Value, kw_only=False):
    """One option.

    >>> hook = choice("hook", True, False, meaning="the dealer may not make the bids add up")
    >>> hook.name, hook.allowed, hook.accepts(1), hook.default(4, {})
    ('hook', 'true or false', False, True)
    >>> hook.values
    (True, False)

    :ivar default: returns the default value, given the number of seats and the options before it.
    :ivar allowed: the possible values in words, for error messages and help.
    :ivar accepts: true for a possible JSON value, types strict: `true` is not 1.
    :ivar meaning: a few words for people who choose; empty where a game gives none.
    :ivar values: the possible values, where they are a handful; else empty.
    :ivar given_when: true where the option exists beside the options before it; a value given all the same
        is checked and then ignored.
    """

    name: str
    default: Callable[[int, Options], Json]
    allowed: str
    accepts: Callable[[Json], bool]
    given_when: Callable[[Options], bool] = lambda options: True
    meaning: str = ""
    values: tuple[Json, ...] = ()


def choice(name: str, *values: Json, meaning: str = "") -> Option:
    """Make an option with a handful of values, the first of them the default.

    >>> choice("deck", 64, 52).allowed
    '64 or 52'
    """
    words = " or ".join(_text(v) for v in values)
    return Option(
        name,
        lambda seats, o: values[0],
        words,
        lambda v: any(_same(v, w) for w in values),
        meaning=meaning,
        values=values,
    )


def length(default: Callable[[int, Options], str], *, points: bool = False, full: bool = False) -> Option:
    """Make the option for the length of a match: `deals:k`, and where the game has them `points:p` and
    `full`.

    >>> length(lambda seats, options: "deals:8", points=True).allowed
    'deals:N with N from 1 to 10000 or points:N with N from 1 to 1000000'
    """
    kinds = ["deals"] + (["points"] if points else [])
    words = (["full"] if full else []) + [f"{kind}:N with N from 1 to {MOST[kind]}" for kind in kinds]

    def accepts(value: Json) -> bool:
        if not isinstance(value, str):
            return False
        match = _LENGTH.fullmatch(value)
        if match is None:
            return full and value == "full"
        return match[1] in kinds and int(match[2]) <= MOST[match[1]]

    return Option("length", default, " or ".join(words), accepts, meaning="when a match ends")


def max_deals(default: int, *, only_with_points: bool) -> Option:
    """Make the option for the cap that ends a match which might not end by itself.

    >>> max_deals(30, only_with_points=True).given_when({"length": "deals:4"})
    False
    """
    return Option(
        "max_deals",
        lambda seats, o: default,
        f"a whole number from 1 to {MOST_DEALS}",
        lambda v: isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= MOST_DEALS,
        (lambda o: str(o["length"]).startswith("points:")) if only_with_points else (lambda o: True),
        meaning="a match ends in any case after this number of deals"
        + (", where it is played for points" if only_with_points else ""),
    )


def length_of(options: Options) -> tuple[str, int]:
    """Return the length as ("deals", k) or ("points", p); ("full", 0) for a whole game.

    >>> length_of({"length": "points:200"})
    ('points', 200)
    """
    kind, _, number = str(options["length"]).partition(":")
    return kind, int(number or 0)


def complete(game: str, specification: tuple[Option, ...], seats: int, given: Mapping[str, Json]) -> Options:
    """Spell out every option of the game, in the game's order.

    >>> complete("sticheln", (choice("edition", "long", "short"),), 4, {})
    {'edition': 'long'}

    :raises OptionError: for an option that the game does not have and for a value that it cannot take;
        the message lists the possible ones.
    """
    names = [option.name for option in specification]
    for name in given:
        if name not in names:
            raise OptionError(f"{game} has no option {name!r}; it has {', '.join(names)}")
    options: Options = {}
    for option in specification:
        if option.name in given and not option.accepts(given[option.name]):
            raise OptionError(
                f"{game}: {option.name} cannot be {_text(given[option.name])}; possible: {option.allowed}"
            )
        if option.given_when(options):
            options[option.name] = (
                given[option.name] if option.name in given else option.default(seats, options)
            )
    return options


def _text(value: Json) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value).replace("'", '"')


def _same(value: Json, other: Json) -> bool:
    return type(value) is type(other) and bool(value == other)
