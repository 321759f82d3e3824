"""Components of the pages, each with its markup in one place: every template may use them without loading."""

from __future__ import annotations

from typing import Any

from django import template
from django.shortcuts import resolve_url
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

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


@register.simple_tag
def crumbs(*above: Any) -> SafeString:
    """Link the pages above this one, the uppermost first.

    :param above: in turn an address (its name, or an object that has one) and the words of its link.
    """
    links = [(resolve_url(address), words) for address, words in zip(above[::2], above[1::2], strict=True)]
    return format_html('<p class="crumb">{}</p>', format_html_join(" / ", '<a href="{}">{}</a>', links))


@register.filter
def column(kind: str, words: str) -> tuple[str, str]:
    """Say of what kind a column of `columns` is: of numbers, say, or `unseen`, for those who listen."""
    return words, kind


@register.simple_tag
def columns(*named: str | tuple[str, str]) -> SafeString:
    """Begin a table with the names of its columns."""
    cells = []
    for words, kind in (each if isinstance(each, tuple) else (each, "") for each in named):
        if kind == "unseen":
            cells.append(format_html('<th scope="col"><span class="unseen">{}</span></th>', words))
        else:
            cells.append(
                format_html('<th scope="col"{}>{}</th>', kind and format_html(' class="{}"', kind), words)
            )
    return format_html("<thead><tr>{}</tr></thead>", SafeString("".join(cells)))


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


@register.simple_block_tag
def sheet(content: str, label: str = "", **more: Any) -> SafeString:
    """Draw a table that scrolls; the parameters are those of `scroll`."""
    return scroll(format_html('<table class="sheet">{}</table>', content), label, **more)


@register.simple_block_tag(takes_context=True)
def listing(context: template.Context, content: str, label: str) -> SafeString:
    """Draw the table of a list that has pages, of which `page` is in the context."""
    return sheet(content, label, framed=True) + render_to_string("web/parts/pages.html", context.flatten())


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
    context: template.Context, content: str, button: str, *, quiet: bool = False, **more: Any
) -> SafeString:
    """Draw a form that is sent to its own page, with the words of its button.

    :param quiet: whether the button is one among others of the page.
    :param more: `name` of the button, for a page that tells forms by it; `upload`, if it sends a file; `by`,
        the id of a heading in it that is its name.
    """
    values = {"content": content, "button": button, "quiet": quiet, **more}
    return render_to_string("web/parts/form.html", values | {"csrf_token": context.get("csrf_token")})


@register.simple_tag
def copy_button(part: str, words: str) -> SafeString:
    """Draw a button that copies the text of the part of the page with this id."""
    return format_html(
        '<button type="button" class="button quiet js-only" data-copy="{}" data-copied="{}">{}</button>',
        part,
        _("Copied"),
        words,
    )
