"""Settings to begin with, for the tournaments that organisers make most often, in any game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.games import GAMES
from stichkampf.time_control import LADDER_CLOCK

from stichkampf_platform.tournaments.organising.option_values import initial_values


@dataclass(frozen=True)
class Preset:
    """A name, a sentence about it, and fields of the form.

    :ivar short: true for few deals, false for the game's own length; `None`: as on the main ladder.
    """

    title: str
    meaning: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    short: bool | None = None

    def values(self, game: str) -> dict[str, Any]:
        """Return the fields of the form in a game."""
        seats = GAMES[game].main_ladder.seats
        return {"seats": seats, **self.settings, **initial_values(game, seats, self.options(game))}

    def options(self, game: str) -> Mapping[str, Json]:
        """Return the options that it chooses in a game; the others take their defaults."""
        declared = GAMES[game]
        if self.short is None:
            return declared.main_ladder.options
        return _short_options(declared, declared.main_ladder.seats) if self.short else {}


def _short_options(game: type[Game], seats: int) -> dict[str, Json]:
    """Return the options of the main ladder, with as many deals as seats where the game has that."""
    options = dict(game.main_ladder.options)
    length = f"deals:{seats}"
    if any(option.name == "length" and option.accepts(length) for option in game.specification):
        options["length"] = length
    return options


PRESETS = {
    "ladder": Preset(
        gettext_lazy("Main ladder"),
        gettext_lazy("without an end, rated, with the options of the game's main ladder"),
        {"format": "ladder", "stopping": "fixed", "blocks_planned": 8, "rounds": "", "rated": True,
         **LADDER_CLOCK.to_json(), "fault_allowance": FAULT_ALLOWANCE},
    ),
    "class": Preset(
        gettext_lazy("Short, for a class"),
        gettext_lazy("everybody against everybody, few deals, one second a move, not rated"),
        {"format": "round-robin", "stopping": "fixed", "blocks_planned": 24, "rounds": "", "rated": False,
         "move_seconds": 1, "bank_seconds": 5, "cap_seconds": 3, "fault_allowance": 2},
        short=True,
    ),
    "championship": Preset(
        gettext_lazy("Championship"),
        gettext_lazy("five Swiss rounds with matches of full length, rated"),
        {"format": "swiss", "stopping": "fixed", "blocks_planned": 8, "rounds": 5, "rated": True,
         "move_seconds": 2, "bank_seconds": 30, "cap_seconds": 10, "fault_allowance": 2},
        short=False,
    ),
    "slow": Preset(
        gettext_lazy("For language models"),
        gettext_lazy("a ladder of its own, without an end, with a minute for each move"),
        {"format": "ladder", "stopping": "fixed", "blocks_planned": 8, "rounds": "", "rated": True,
         "move_seconds": 60, "bank_seconds": 600, "cap_seconds": 120, "fault_allowance": 2},
    ),
}  # fmt: skip
