"""Facts of any game as pieces of a page: numbers, cards, suits, seats, lists of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from stichkampf_platform.web.cards import SUIT_NAMES, chip, face, suit_chip
from stichkampf_platform.web.figures import DASH, plain

Json = Any
SUIT_FACTS = ("trump", "colour", "suit", "super", "led")  # a single letter under such a name is a suit
SEAT_FACTS = (
    "chief",
    "vice",
    "partner",
    "called",
    "hint",
    "start",
    "team",
    "monster",
)  # a number under such a name is a seat


def by_seat(facts: Mapping[str, Json], seats: int) -> tuple[dict[str, list[Json]], dict[str, Json]]:
    """Facts that say one thing about every seat, and all the others; empty ones are left out."""
    own: dict[str, list[Json]] = {}
    other: dict[str, Json] = {}
    for name, value in facts.items():
        if isinstance(value, list) and len(value) in (seats, seats - 1) and all(map(_is_own, value)):
            if any(entry not in (None, []) for entry in value):
                own[name] = value + [None] * (seats - len(value))
        elif value not in (None, [], {}) and not (isinstance(value, list) and not any(value)):
            other[name] = value
    return own, other


def open_cards(own: Mapping[str, list[Json]], seat: int) -> int:
    """How many cards of a seat's hidden hand lie open: those that the facts list under that seat."""
    lists = (values[seat] for values in own.values() if isinstance(values[seat], list))
    return sum(len(entry) for entry in lists if all(isinstance(word, str) and face(word) for word in entry))


def _is_own(value: Json) -> bool:
    if isinstance(value, list):
        return all(isinstance(entry, str) for entry in value)
    return value is None or isinstance(value, int | float | bool | str)


def shown(name: str, value: Json) -> SafeString | str:
    """A fact's value as HTML."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return (
            f"seat {value + 1}"
            if name.rstrip("s") in SEAT_FACTS
            else plain(value, 0 if isinstance(value, int) else 2)
        )
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, list):
        return _list(name, value)
    if isinstance(value, dict):
        return format_html_join(
            " · ", "{} {}", ((title(key), shown(key, entry)) for key, entry in value.items())
        )
    return str(value)


def title(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _text(name: str, text: str) -> SafeString | str:
    if face(text):
        return chip(text)
    if text.isdigit() and name in SEAT_FACTS:
        return f"seat {int(text) + 1}"
    if text in SUIT_NAMES and any(word in name for word in SUIT_FACTS):
        return suit_chip(text)
    return title(text)


def _list(name: str, entries: list[Json]) -> SafeString | str:
    if not entries:
        return DASH
    if any(isinstance(entry, list) for entry in entries):
        rows = ((shown(name, entry),) for entry in entries)
        return format_html('<ol class="rows">{}</ol>', format_html_join("", "<li>{}</li>", rows))
    if all(isinstance(entry, str) and face(entry) for entry in entries):
        return format_html_join(" ", "{}", ((chip(entry),) for entry in entries))
    return format_html_join(", ", "{}", ((shown(name, entry),) for entry in entries))
