"""Components of the pages, each with its markup in one place: every template may use them without loading."""

from __future__ import annotations

from typing import Any

from django import template
from django.shortcuts import resolve_url
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag
def head(content: str, title: str = "", *, up: Any = None, named: str = "", lead: str = "") -> SafeString:
    """Begin a page with its title, and the content of the tag below it.

    :param up: the page above it, which is linked by the name `named`: an address, its name, or an object.
    :param lead: a sentence below the title.
    """
    address = resolve_url(up) if up else ""
    values = {"title": title, "up": address, "named": named, "lead": lead, "content": content}
    return render_to_string("web/parts/head.html", values)


@register.simple_tag
def heading(title: str, **more: Any) -> SafeString:
    """Begin a page with its title, as `head` does, where no more is said there."""
    return head("", title, **more)


@register.simple_block_tag
def scroll(
    content: str, label: str = "", *, by: str = "", role: str = "", framed: bool = False
) -> SafeString:
    """Let a table that is wider than the screen scroll, also by keys.

    :param label: its name for screen readers.
    :param by: in place of a label, the id of the heading above it.
    :param role: `region`, or `group` for what the list of regions of the page is better without.
    """
    return format_html(
        '<div class="scroll{}" tabindex="0" role="{}" {}="{}">{}</div>',
        " framed" if framed else "",
        role or ("group" if by else "region"),
        "aria-labelledby" if by else "aria-label",
        by or label,
        content,
    )


@register.simple_block_tag(takes_context=True)
def listing(context: template.Context, content: str, label: str) -> SafeString:
    """Draw the table of a list that has pages, of which `page` is in the context."""
    table = scroll(format_html('<table class="sheet">{}</table>', content), label, framed=True)
    return table + render_to_string("web/parts/pages.html", context.flatten())


@register.simple_block_tag
def nothing(content: str, text: str = "") -> SafeString:
    """Say that there is nothing to show here yet, and with the content of the tag what to do."""
    said = format_html("<p>{}</p>", text) if text else ""
    return format_html('<div class="empty">{}{}</div>', said, content)


@register.simple_tag
def no_rows(text: str) -> SafeString:
    """Say that there is nothing to show here yet."""
    return nothing("", text)


@register.simple_block_tag(takes_context=True)
def form(
    context: template.Context, content: str, button: str, *, name: str = "", upload: bool = False
) -> SafeString:
    """Draw a form that is sent to its own page, with the words of its button.

    :param name: of the button, for a page that tells forms by it.
    :param upload: whether it sends a file.
    """
    values = {"content": content, "button": button, "name": name, "upload": upload}
    return render_to_string("web/parts/form.html", values | {"csrf_token": context.get("csrf_token")})
