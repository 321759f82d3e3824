"""Facts of any game as HTML: numbers, cards, suits, seats, and lists of them."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import Fact, Kind
from stichkampf.engine.game import Game

from stichkampf_platform.core.number_formats import DASH, plain
from stichkampf_platform.web.games.cards import chip, face, is_suit, suit_chip
from stichkampf_platform.web.games.words import in_words


def by_seat(
    declared: Mapping[str, Fact], facts: Mapping[str, Json], seats: int
) -> tuple[dict[str, list[Json]], dict[str, Json]]:
    """Split facts into those with one value a seat and all others, without empty ones."""
    own: dict[str, list[Json]] = {}
    other: dict[str, Json] = {}
    for name, value in facts.items():
        if declared[name].each:
            if any(entry not in (None, []) for entry in value):
                own[name] = value + [None] * (seats - len(value))
        elif value not in (None, [], {}) and not (isinstance(value, list) and not any(value)):
            other[name] = value
    return own, other


def open_cards(declared: Mapping[str, Fact], own: Mapping[str, list[Json]], seat: int) -> int:
    """Count the cards of a seat's hidden hand that everybody sees: those that facts list for the seat."""
    cards = [values[seat] for name, values in own.items() if declared[name].kind is Kind.CARD]
    return sum(len(entry) for entry in cards if isinstance(entry, list))


def shown(game: type[Game], fact: Fact, value: Json) -> SafeString | str:
    """Return the value of a fact of a game as HTML."""
    if value is None or value == []:
        return DASH
    if isinstance(value, dict):
        rows = (
            (label(game, fact, key), shown(game, entry_of(fact, key), entry)) for key, entry in value.items()
        )
        return format_html_join(" · ", "{} {}", rows)
    if isinstance(value, list):
        return _list(game, fact, value)
    text = str(value)
    if fact.kind is Kind.SEAT and text.isdigit():
        return _("seat {number}").format(number=int(text) + 1)
    if fact.kind is Kind.SUIT and is_suit(text):
        return suit_chip(text)
    if isinstance(value, int | float):
        return plain(value)
    return chip(text) if face(text) else label(game, fact, text)


def label(game: type[Game], fact: Fact, word: str) -> str:
    """Return the label of a word in the value of a fact."""
    known = fact.labels.get(word, word)
    told = in_words(game, known)
    return title(word) if told == word else told


def title(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def entry_of(fact: Fact, key: str) -> Fact:
    """Return the declaration of one entry of a fact that is an object."""
    return fact.changed(kind=fact.kinds.get(key, fact.kind))


def _list(game: type[Game], fact: Fact, entries: list[Json]) -> SafeString | str:
    if any(isinstance(entry, list) for entry in entries):
        rows = ((shown(game, fact, entry),) for entry in entries)
        return format_html('<ol class="rows">{}</ol>', format_html_join("", "<li>{}</li>", rows))
    between = " " if fact.kind is Kind.CARD else ", "
    return format_html_join(between, "{}", ((shown(game, fact, entry),) for entry in entries))
