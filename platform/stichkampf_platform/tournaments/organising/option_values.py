"""The options of a game in a form: the names of their fields, and values as they are typed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stichkampf.engine.deal import Json
from stichkampf.engine.options import Option
from stichkampf.games import GAMES

PREFIX = "option"


def field_name(game: str, option: Option) -> str:
    """Return the name of an option's field. It has the game's: no value is taken for one of another game."""
    return f"{PREFIX}_{game}_{option.name}".replace("-", "_")


def options_in(game: str, values: Mapping[str, Any]) -> dict[str, Json]:
    """Return the options that were chosen among the values of a form, by their own names."""
    chosen = ((option.name, values.get(field_name(game, option))) for option in GAMES[game].specification)
    return {name: value for name, value in chosen if value is not None}


def initial_values(game: str, seats: int, options: Mapping[str, Json]) -> dict[str, str]:
    """Return the texts with which the fields show these options; what is the default is left empty."""
    if game not in GAMES or seats not in GAMES[game].players:
        return {}
    left_out = {}
    for option in GAMES[game].specification:
        if option.name in options:
            others = {name: value for name, value in options.items() if name != option.name}
            if GAMES[game](seats, others).options.get(option.name) != options[option.name]:
                left_out[field_name(game, option)] = typed(option, options[option.name])
    return left_out


def typed(option: Option, value: Json) -> str:
    """Write a value as its field takes it."""
    return json.dumps(value) if option.values or not isinstance(value, str) else value
