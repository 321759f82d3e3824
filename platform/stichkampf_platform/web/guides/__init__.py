"""The documents of the repository as pages of the site.

The Markdown files beside this module lead to `docs/`, those in `de` to `docs/de/`. Pages have placeholders
for the figures of this installation, as templates of Django have them; guides have none. A guide without a
German text is shown in English, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from django.conf import settings
from django.template import Context, Template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(__file__).parent

PAGES = ("write-a-bot", "submit", "limits", "ratings", "tournaments", "records", "api", "researchers", "data")
"""The documents that have an entry of their own among the pages for authors."""
GUIDES = {
    "second-bot": "tutorial",
    "learners": "tutorial",
    "how-to": "how-to",
    "json-lines": "how-to",
    "language-models": "how-to",
    "remote-bots": "how-to",
    "facts": "reference",
    "rating-model": "reference",
    "experiments": "explanation",
    "marks": "explanation",
}
"""The kind of each guide, by the name of its file and page."""
KINDS = {
    "tutorial": gettext_lazy("Tutorials"),
    "how-to": gettext_lazy("How to"),
    "reference": gettext_lazy("To look up"),
    "explanation": gettext_lazy("To understand"),
}

_PARSER = MarkdownIt("js-default", {"html": True})


@dataclass(frozen=True)
class Guide:
    """A document in one language.

    :ivar text: Markdown without the title.
    """

    language: str
    title: str
    text: str


def guide(slug: str) -> Guide:
    """Return a document in the present language; in English where there is none in that."""
    language = get_language() or settings.LANGUAGE_CODE
    return _read(slug, language if (FOLDER / language / f"{slug}.md").exists() else settings.LANGUAGE_CODE)


def filled(text: str, figures: Mapping[str, object]) -> str:
    """Fill the placeholders of a page."""
    return Template(f"{{% load stichkampf %}}{text}").render(Context(figures))


def render(text: str, address_of: Callable[[str], str]) -> SafeString:
    """Render a document of our own. Code and tables can be scrolled by keyboard.

    :param address_of: returns the address of the page for the name of a document.
    """
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.children:
            token.children = _with_links(token.children, address_of)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    code = format_html('<pre tabindex="0" role="group" aria-label="{}">', _("Program or commands"))
    overview, numbers = _("Overview"), count(1)

    def table(match: re.Match[str]) -> str:
        region = '<div class="scroll framed" tabindex="0" role="region" aria-label="{} {}">'
        return f'{format_html(region, overview, next(numbers))}<table class="sheet">{match[1]}</div>'

    html = re.sub("<table>(.*?</table>)", table, html.replace("<pre>", code), flags=re.DOTALL)
    return mark_safe(html)


def _with_links(parts: list[Token], address_of: Callable[[str], str]) -> list[Token]:
    """Lead links between documents to their pages, and take those away whose files have no page."""
    kept: list[Token] = []
    left_out = False
    for part in parts:
        if part.type == "link_open":
            target = str(part.attrGet("href"))
            file, mark, place = target.partition("#")
            name = file.removesuffix(".md")
            has_page = name in GUIDES or name in PAGES
            left_out = not has_page and not target.startswith(("https://", "/"))
            if has_page:
                part.attrSet("href", address_of(name) + mark + place)
        if not (left_out and part.type in ("link_open", "link_close")):
            kept.append(part)
    return kept


@cache
def _read(slug: str, language: str) -> Guide:
    folder = FOLDER if language == settings.LANGUAGE_CODE else FOLDER / language
    content = (folder / f"{slug}.md").read_text(encoding="utf-8")
    title, text = content.split("\n", 1)
    return Guide(language, title.removeprefix("# "), text)
