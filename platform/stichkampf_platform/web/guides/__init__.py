"""Guides for authors: the documents of the repository, shown as pages.

The Markdown files beside this module lead to `docs/`, those in `de` to `docs/de/`. A guide without a German
text is shown in English, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(__file__).parent

GUIDES = {
    "second-bot": "tutorial",
    "learners": "tutorial",
    "how-to": "how-to",
    "json-lines": "how-to",
    "language-models": "how-to",
    "remote-bots": "how-to",
    "facts": "reference",
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

_PARSER = MarkdownIt("js-default")


@dataclass(frozen=True)
class Guide:
    """A guide in one language.

    :ivar text: Markdown without the title.
    """

    language: str
    title: str
    text: str


def guide(slug: str) -> Guide:
    """Return a guide in the present language; in English where there is none in that."""
    language = get_language() or settings.LANGUAGE_CODE
    return _read(slug, language if (FOLDER / language / f"{slug}.md").exists() else settings.LANGUAGE_CODE)


def render(text: str, address_of: Callable[[str], str]) -> SafeString:
    """Render a document of our own. Code and tables can be scrolled by keyboard.

    :param address_of: returns the address of the page for the name of a guide.
    """
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.children:
            token.children = _with_links(token.children, address_of)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    code = format_html('<pre tabindex="0" role="group" aria-label="{}">', _("Program or commands"))
    numbers = count(1)

    def table(_match: re.Match[str]) -> str:
        region = (
            '<div class="scroll framed" tabindex="0" role="region" aria-label="{} {}"><table class="sheet">'
        )
        return format_html(region, _("Overview"), next(numbers))

    html = re.sub("<table>", table, html.replace("<pre>", code)).replace("</table>", "</table></div>")
    return mark_safe(html)


def _with_links(parts: list[Token], address_of: Callable[[str], str]) -> list[Token]:
    """Lead links between guides to their pages, and take those away whose files have no page."""
    kept: list[Token] = []
    left_out = False
    for part in parts:
        if part.type == "link_open":
            target = str(part.attrGet("href"))
            name = target.removesuffix(".md")
            left_out = name not in GUIDES and not target.startswith("https://")
            if name in GUIDES:
                part.attrSet("href", address_of(name))
        if not (left_out and part.type in ("link_open", "link_close")):
            kept.append(part)
    return kept


@cache
def _read(slug: str, language: str) -> Guide:
    folder = FOLDER if language == settings.LANGUAGE_CODE else FOLDER / language
    content = (folder / f"{slug}.md").read_text(encoding="utf-8")
    title, text = content.split("\n", 1)
    return Guide(language, title.removeprefix("# "), text)
