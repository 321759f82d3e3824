"""The time control of a match, with the bounds in which it may lie.

A decision is free up to `move_seconds`; time beyond that is taken from the bank of `bank_seconds`, which is
there once in a match; no decision may take more than `cap_seconds`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, NamedTuple

from stichkampf.errors import TimeControlError


class SecondsRange(NamedTuple):
    """The least and the greatest number of seconds, both included."""

    least: float
    most: float


BOUNDS: Final[Mapping[str, SecondsRange]] = {
    "move_seconds": SecondsRange(0.001, 3600),
    "bank_seconds": SecondsRange(0, 3600),
    "cap_seconds": SecondsRange(0.001, 3600),
}
"""The bounds of every time control."""
TOURNAMENT_BOUNDS: Final[Mapping[str, SecondsRange]] = {**BOUNDS, "move_seconds": SecondsRange(0.05, 600)}
"""The bounds for tournaments, from which organisers choose."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """The thinking time of a bot in one match.

    :raises TimeControlError: a number lies outside its `BOUNDS`, or the cap below the time for a move.

    >>> TimeControl(move_seconds=1).to_json()
    {'move_seconds': 1, 'bank_seconds': 10.0, 'cap_seconds': 5.0}
    """

    move_seconds: float = 2.0
    bank_seconds: float = 10.0
    cap_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name, problem in problems(self.to_json()).items():
            raise TimeControlError(f"{name} {problem}")

    def to_json(self) -> dict[str, float]:
        """The three numbers by name, as records and wire spell them."""
        return asdict(self)

    def __str__(self) -> str:
        """Write the numbers as the option `--clock` takes them."""
        return ",".join(f"{seconds:g}" for seconds in self.to_json().values())


def problems(seconds: Mapping[str, float], bounds: Mapping[str, SecondsRange] = BOUNDS) -> dict[str, str]:
    """Find the numbers of a time control that are wrong, each with the reason.

    :param seconds: by name; a number that is missing is not judged.

    >>> problems({"move_seconds": 4.0, "bank_seconds": -1.0})
    {'bank_seconds': 'must lie between 0 and 3600 seconds, not -1'}
    """
    found = {}
    for name, number in seconds.items():
        least, most = bounds[name]
        if not math.isfinite(number) or not least <= number <= most:
            found[name] = f"must lie between {least:g} and {most:g} seconds, not {number:g}"
    move, cap = seconds.get("move_seconds"), seconds.get("cap_seconds")
    if move is not None and cap is not None and cap < move and "cap_seconds" not in found:
        found["cap_seconds"] = (
            f"cannot be less than the time for a move: it is {cap:g} seconds, a move has {move:g}"
        )
    return found


LADDER_CLOCK: Final = TimeControl()
"""The clock of the main ladders, and so of validations, new tournaments and matches at home."""
