"""Tags and filters of the templates: cards, numbers, parts of the rules."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from stichkampf_platform.core import number_formats
from stichkampf_platform.core.page_addresses import in_language, localized
from stichkampf_platform.people import fault_texts
from stichkampf_platform.tournaments.entry import local_times
from stichkampf_platform.web import rule_pages
from stichkampf_platform.web.games import cards, rulebook

register = template.Library()

INDENT = re.compile(r"\s*\n\s*")

SECTIONS = [
    ("web:play", _("Play")),
    ("web:watch", _("Watch")),
    ("web:ladders", _("Ladders")),
    ("web:games", _("Rules")),
    ("web:docs", _("Write a bot")),
]


@register.simple_tag
def card(word: str, extra: str = "") -> SafeString:
    return cards.card(word, extra)


@register.simple_tag
def mails_leave() -> bool:
    """Say whether mail is set up, so that mails of this installation leave it."""
    return bool(settings.EMAIL_HOST)


@register.filter
def by_clock(moment: datetime | None, zone: str) -> str:
    """Write a moment by the clocks of a time zone and in UTC; a dash for none."""
    return local_times.in_words(moment, zone) if moment else "\u2013"


@register.filter
def sample_cards(game: str) -> list[str]:
    """Return three cards of a game, as pictures of it have them."""
    return list(rulebook.GameTexts(game).cards)


@register.filter
def chip(word: str) -> SafeString:
    return cards.chip(word)


@register.simple_tag
def chip_link(word: str, step: int, query: str, current: bool) -> SafeString:
    """Draw a card that leads to the decision at which it was played."""
    return cards.chip_link(word, f"{step}{query}", current=current)


@register.simple_tag
def suit(letter: str) -> SafeString:
    return cards.suit_chip(letter)


@register.filter(name="localized")
def localized_page(path: str) -> str:
    """Return the address of a page in the language that is read."""
    return localized(path)


@register.filter
def game_title(slug: str) -> str:
    return rulebook.game_title(slug)


@register.filter
def fault_name(kind: str) -> str:
    return fault_texts.name(kind)


@register.filter
def plain(number: float | None, digits: int = 0) -> str:
    return number_formats.DASH if number is None else number_formats.plain(number, digits)


@register.filter
def likely(percent: float) -> str:
    return number_formats.likely(percent)


@register.filter
def elo(number: float | None) -> str:
    return number_formats.DASH if number is None else number_formats.ungrouped(number)


@register.filter
def plus_minus(half_width: float | None) -> str:
    """Write half the width of an interval: "±12", or "± ?" where it is unknown."""
    return "± ?" if half_width is None else f"±{elo(half_width)}"


@register.filter
def rank_range(rating) -> str:
    """Write the first and the last rank that a rating may have, or the only one."""
    best, worst = rating.rank_best, rating.rank_worst
    return str(best) if best == worst else f"{best}\N{EN DASH}{worst}"


@register.filter
def signed(number: float | None, digits: int = 0) -> str:
    return number_formats.DASH if number is None else number_formats.signed(number, digits)


@register.filter
def figure(rating, name: str) -> str:
    return rating.written(name)


@register.filter
def frequency(permille: float) -> str:
    return number_formats.frequency(permille)


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
    """Show the main sections, with the current one marked."""
    sections = [(reverse(name), title) for name, title in SECTIONS]
    return {"sections": sections, "path": context["request"].path if "request" in context else ""}


@register.inclusion_tag("web/parts/languages.html", takes_context=True)
def languages(context: dict, *, short: bool = False) -> dict:
    """Show a button for each other language, which leads to the same page in it; `short` shows its code.

    A page of the API is in English only, and has no button.
    """
    page = context["request"].get_full_path() if "request" in context else "/"
    others = [
        (code, code.upper() if short else name, name)
        for code, name in settings.LANGUAGES
        if code != get_language() and not page.startswith("/api/")
    ]
    return {"others": others, "page": page, "short": short}


@register.inclusion_tag("web/parts/alternates.html", takes_context=True)
def alternates(context: dict) -> dict:
    """Name the addresses of a page in each language, and the one for readers of any other language."""
    request = context["request"]
    codes = [code for code, _ in settings.LANGUAGES]
    pages = [(code, in_language(request.path, code)) for code in codes]
    pages.append(("x-default", in_language(request.path, settings.LANGUAGE_CODE)))
    return {"addresses": [(code, request.build_absolute_uri(page)) for code, page in pages]}


@register.simple_block_tag
def compact(content: str) -> SafeString:
    """Leave out the indentation of a part of a page that is sent often."""
    return mark_safe(INDENT.sub("\n", content))


@register.simple_tag(takes_context=True)
def drawn(context: template.Context, name: str, **values: object) -> SafeString:
    """Draw the template `name`, which needs these values alone: once for all steps with the same.

    :param context: `kept` in it is a list of what was drawn; without it, every time is the first.
    """
    kept = context.get("kept", [])
    for other, seen, part in kept:
        if other == name and seen == values:
            return part
    html: SafeString = context.template.engine.get_template(name).render(context.new(values))
    kept.append((name, values, html))
    return html


@register.simple_block_tag(takes_context=True)
def part(context: dict, content: str) -> SafeString:
    """Mark a part of a page that its script puts together, and leave out what the browser has already.

    Parts are known by the hash of their content; `known` in the context holds those that the browser has.
    """
    content = INDENT.sub("\n", content)
    name = blake2b(content.encode(), digest_size=5).hexdigest()
    sent = "" if name in context.get("known", ()) else content
    return mark_safe(f"<!--part {name}-->{sent}<!--/part-->")


@register.simple_block_tag(takes_context=True)
def example(context: dict, content: str, name: str) -> SafeString:
    """Draw an example of the game of a page of rules, with the content of the tag below it."""
    return rule_pages.draw_example(context["entry"].slug, name, mark_safe(content.strip()))


@register.simple_block_tag(takes_context=True)
def option(context: dict, content: str, name: str) -> SafeString:
    """Explain an option of the game of a page of rules."""
    return rule_pages.draw_option(context["entry"].slug, name, mark_safe(content.strip()))


@register.simple_block_tag
def row(content: str, words: str) -> SafeString:
    """Draw cards side by side, with the content of the tag below them."""
    return render_to_string(
        "web/parts/row.html", {"words": words.split(), "caption": mark_safe(content.strip())}
    )
