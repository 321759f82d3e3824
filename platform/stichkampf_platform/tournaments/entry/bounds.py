"""Bounds of what organisers give a tournament: of each number, of times, and of its tables in all."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _
from stichkampf.time_control import TOURNAMENT_BOUNDS

BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "seats": (2, 6),
    "blocks_planned": (1, 10_000),
    "rounds": (1, 100),
    "places": (1, 10_000),
    "bots_each": (1, 10),
    "fault_allowance": (0, 1_000),
    **{name: (bounds.least, bounds.most) for name, bounds in TOURNAMENT_BOUNDS.items()},
}
"""The least and the most by field: for its validators, the words under it, and the description of the API."""
MOST_TABLES: Final = 50_000
"""Tables of a tournament that comes to an end."""
MOST_DEALS: Final = 1_000_000
"""Deals of all its tables, where their number is given."""
FARTHEST: Final = timedelta(days=100 * 366)
"""The time ahead up to which a start or a deadline may lie."""


def validators_of(name: str) -> list[BaseValidator]:
    """Return the validators of a field of `BOUNDS`."""
    least, most = BOUNDS[name]
    return [MinValueValidator(least), MaxValueValidator(most)]


def bounds_in_words(name: str) -> str:
    """Say the bounds of a field of `BOUNDS`."""
    least, most = BOUNDS[name]
    return _("From {least:g} to {most:g}.").format(least=least, most=most)
