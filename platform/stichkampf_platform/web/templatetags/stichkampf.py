"""What templates may call: cards, figures, worked tricks."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from stichkampf_platform.core import number_formats
from stichkampf_platform.web.games import cards

register = template.Library()

SECTIONS = [
    ("/ladders/", "Ladders"),
    ("/tournaments/", "Tournaments"),
    ("/games/", "Rules"),
    ("/docs/", "Write a bot"),
]


@register.simple_tag
def card(word: str, extra: str = "") -> SafeString:
    return cards.card(word, extra)


@register.filter
def chip(word: str) -> SafeString:
    return cards.chip(word)


@register.simple_tag
def suit(letter: str) -> SafeString:
    return cards.suit_chip(letter)


@register.filter
def plain(number: float | None, digits: int = 0) -> str:
    return number_formats.DASH if number is None else number_formats.plain(number, digits)


@register.filter
def likely(percent: float) -> str:
    return number_formats.likely(percent)


@register.filter
def elo(number: float | None) -> str:
    return number_formats.DASH if number is None else number_formats.plain(number).replace(",", "")


@register.filter
def signed(number: float | None, digits: int = 0) -> str:
    return number_formats.DASH if number is None else number_formats.signed(number, digits)


@register.filter
def halves(number: float) -> str:
    return number_formats.halves(number)


@register.filter
def milliseconds(number: float | None) -> str:
    return number_formats.DASH if number is None else number_formats.duration(number)


@register.filter
def size(count: int) -> str:
    return number_formats.size(count)


@register.inclusion_tag("web/parts/navigation.html", takes_context=True)
def navigation(context: dict) -> dict:
    """The main sections, the present one marked."""
    return {"sections": SECTIONS, "path": context["request"].path if "request" in context else ""}


@register.inclusion_tag("web/parts/trick.html")
def trick(words: str, names: str = "", winner: int = -1, caption: str = "") -> dict:
    """A worked trick: `words` and `names` in the order played, `winner` counted from 1, -1 for nobody."""
    played = words.split()
    players = names.split() or [str(k + 1) for k in range(len(played))]
    slots = [
        {"order": k + 1, "word": word, "name": name, "wins": k + 1 == winner}
        for k, (word, name) in enumerate(zip(played, players, strict=True))
    ]
    return {"slots": slots, "caption": caption}


@register.inclusion_tag("web/parts/row.html")
def row(words: str, caption: str = "") -> dict:
    """Cards side by side."""
    return {"words": words.split(), "caption": caption}
