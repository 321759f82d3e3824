"""Names of those who sit at a person's table."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.bots.practice import HOUSE

from stichkampf_platform.web.replay.scene_parts import SeatOccupant

CHAIRS = ("Ada", "Bruno", "Carla", "Dario", "Elif", "Finn")
"""The names of house bots by seat, because several of them are often the same."""

LEVELS = {"gentle": gettext_lazy("gentle"), "even": gettext_lazy("even"), "strong": gettext_lazy("strong")}
"""House bots whose names are words that tell how well they play."""


def house_name(name: str) -> str:
    """Name a house bot: of a level, the level's word."""
    return str(LEVELS.get(name, name))


def occupant(seat: int, name: str, person: str = "") -> SeatOccupant:
    """Name who sits at a seat: a person as said, a house bot by its chair, anybody else by the own name."""
    if person:
        return SeatOccupant(person)
    if name.startswith(HOUSE):
        return SeatOccupant(CHAIRS[seat % len(CHAIRS)], house_name(name.removeprefix(HOUSE)))
    return SeatOccupant(name)


def guest(seat: int) -> str:
    """Name a person without an account among several."""
    return _("Guest {seat}").format(seat=seat + 1)
