"""The options of a game as fields of a form: one each, with its default and its meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from stichkampf.engine.deal import Json
from stichkampf.engine.options import Option
from stichkampf.games import GAMES
from stichkampf.rulebook.option_words import option_meaning, option_title, option_value
from stichkampf.rulebook.text import allowed_values

from stichkampf_platform.tournaments.organising.option_values import field_name, typed
from stichkampf_platform.tournaments.titles import present_language


def option_fields(game: str, seats: int) -> dict[str, forms.Field]:
    """Return a field for each option of a game, by the name in the form; none for a game that is not there.

    A field that is left empty stands for the default.
    """
    if game not in GAMES:
        return {}
    seats = seats if seats in GAMES[game].players else GAMES[game].main_ladder.seats
    defaults = GAMES[game](seats, {}).options
    return {
        field_name(game, option): _field(option, game, _default_in_words(option, game, seats, defaults))
        for option in GAMES[game].specification
    }


def _field(option: Option, game: str, default: str) -> forms.Field:
    language = present_language()
    label = capfirst(option_title(game, option.name, language))
    told = option_meaning(game, option.meaning, language)
    meaning = f"{capfirst(told)}. " if told else ""
    if option.values:
        values = ((typed(option, value), _word(game, option, value)) for value in option.values)
        choices = [("", default), *values]
        return forms.TypedChoiceField(
            choices=choices,
            coerce=json.loads,
            empty_value=None,
            required=False,
            label=label,
            help_text=meaning,
        )
    note = _("{meaning}Default: {default}. Possible: {allowed}.").format(
        meaning=meaning, default=default, allowed=allowed_values(option, language)
    )
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
    usual_word = _word(game, option, usual)
    words = [_("{value} (default)").format(value=usual_word) if option.values else usual_word]
    for before, value in _other_values(option, game, defaults):
        other = option.default(seats, {**defaults, before.name: value})
        if other != usual:
            told = _("{value} where {option} is {other}")
            words.append(
                told.format(
                    value=_word(game, option, other),
                    option=option_title(game, before.name, present_language()),
                    other=_word(game, before, value),
                )
            )
    return ", ".join(words)


def _other_values(option: Option, game: str, defaults: Mapping[str, Json]) -> Iterator[tuple[Option, Json]]:
    for before in GAMES[game].specification:
        if before.name == option.name:
            return
        yield from ((before, value) for value in before.values if value != defaults[before.name])


def _word(game: str, option: Option, value: Json) -> str:
    """Write a value for people; one that may be typed as it is typed."""
    if option.values:
        return option_value(game, option.name, value, present_language())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
