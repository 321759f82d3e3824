"""The options of a game as fields of a form: one each, with its default and its meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from stichkampf.engine.deal import Json
from stichkampf.engine.options import Option
from stichkampf.games import GAMES

PREFIX = "option"


def option_fields(game: str, seats: int) -> dict[str, forms.Field]:
    """Return a field for each option of a game, by the name in the form; none for a game that is not there.

    A field that is left empty stands for the default.
    """
    if game not in GAMES:
        return {}
    seats = seats if seats in GAMES[game].players else GAMES[game].main_ladder.seats
    defaults = GAMES[game](seats, {}).options
    return {
        field_name(game, option): _field(option, _default_in_words(option, game, seats, defaults))
        for option in GAMES[game].specification
    }


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
                left_out[field_name(game, option)] = _text(option, options[option.name])
    return left_out


def _field(option: Option, default: str) -> forms.Field:
    label = option.name.replace("_", " ").capitalize()
    meaning = f"{option.meaning.capitalize()}. " if option.meaning else ""
    if option.values:
        choices = [("", default), *((_text(option, value), _word(value)) for value in option.values)]
        return forms.TypedChoiceField(
            choices=choices,
            coerce=json.loads,
            empty_value=None,
            required=False,
            label=label,
            help_text=meaning,
        )
    note = f"{meaning}Default: {default}. Possible: {option.allowed}."
    return OptionField(option, required=False, label=label, help_text=note)


class OptionField(forms.CharField):
    """An option with too many values for a list: a word as it is, anything else as JSON."""

    def __init__(self, option: Option, **more: Any) -> None:
        super().__init__(**more)
        self.option = option

    def clean(self, value: Any) -> Json:
        text = super().clean(value)
        if not text:
            return None
        for read in (json.loads, str):
            try:
                found = read(text)
            except ValueError:
                continue
            if self.option.accepts(found):
                return found
        raise ValidationError(
            _("{name} cannot be {text!r}; possible: {allowed}.").format(
                name=self.option.name, text=text, allowed=self.option.allowed
            )
        )


def _default_in_words(option: Option, game: str, seats: int, defaults: Mapping[str, Json]) -> str:
    """Return the default in words, with those that it has beside other values of the options before it."""
    usual = option.default(seats, dict(defaults))
    words = [f"{_word(usual)} (default)" if option.values else _word(usual)]
    for before, value in _other_values(option, game, defaults):
        other = option.default(seats, {**defaults, before: value})
        if other != usual:
            words.append(f"{_word(other)} where {before.replace('_', ' ')} is {_word(value)}")
    return ", ".join(words)


def _other_values(option: Option, game: str, defaults: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for before in GAMES[game].specification:
        if before.name == option.name:
            return
        yield from ((before.name, value) for value in before.values if value != defaults[before.name])


def _word(value: Json) -> str:
    """Write a value for people: true and false as yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _text(option: Option, value: Json) -> str:
    """Write a value as its field takes it."""
    return json.dumps(value) if option.values or not isinstance(value, str) else value
