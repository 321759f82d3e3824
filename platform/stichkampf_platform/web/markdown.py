"""Markdown that people write, as HTML for pages: no HTML of theirs, no pictures, no links but to pages."""

from __future__ import annotations

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# this preset takes HTML as text; links to javascript:, data: and the like stay text too
_PARSER = MarkdownIt("js-default").disable("image")


def render(text: str) -> SafeString:
    """Render Markdown. Its headings are one level lower, since the page has the first."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
        for part in token.children or []:
            if part.type == "link_open":
                part.attrSet("rel", "nofollow ugc")
    return mark_safe(_PARSER.renderer.render(tokens, _PARSER.options, {}))
