"""Addresses of pages by language: an English page has its path alone, a German one has it below `/de/`.

What is the same in all languages has one address.
"""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import get_language

OTHERS = tuple(code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE)


def language_of(path: str) -> str:
    """Return the language of the page at this path.

    >>> language_of("/de/ladders/"), language_of("/ladders/")
    ('de', 'en')
    """
    first = path.split("/", 2)[1:2]
    return first[0] if first and first[0] in OTHERS else settings.LANGUAGE_CODE


def in_language(path: str, language: str) -> str:
    """Return the address of the same page in another language; `path` may have a query.

    >>> in_language("/ladders/", "de"), in_language("/de/ladders/?all=1", "en")
    ('/de/ladders/', '/ladders/?all=1')
    """
    now = language_of(path)
    bare = path if now == settings.LANGUAGE_CODE else path.removeprefix(f"/{now}") or "/"
    return bare if language == settings.LANGUAGE_CODE else f"/{language}{bare}"


def localized(path: str) -> str:
    """Return the address of a page in the present language."""
    return in_language(path, get_language() or settings.LANGUAGE_CODE)
