"""Sentences that are stored: English text, with the template and values that it was made of.

So the same line of a log or notice is read in English by one person and in German by another. Text that
people or programs wrote, and rows from before there were templates, are told as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Self

from django.conf import settings
from django.utils.translation import get_language, gettext, override
from stichkampf.local_play.log_text import LogText, Value
from stichkampf.plain_text import plain

from stichkampf_platform.core.number_formats import ReadNumber

VALUE_CHARACTERS = 2000


class Sentence(LogText):
    """An English sentence that can be told in other languages, too; `make messages` collects the templates.

    >>> Sentence("{name} lost {count:,} tricks.", name="karl", count=1200)
    'karl lost 1,200 tricks.'
    """


class TranslatedText(str):
    """An English text with the same in every other language of the site, by its code."""

    def __new__(cls, text: str, translated: Mapping[str, str]) -> Self:
        new = super().__new__(cls, text)
        new.translated = dict(translated)
        return new

    translated: dict[str, str]


def sentence_of(error: Exception) -> str:
    """Return the message of an error, with its parts where it was made of a sentence."""
    message = error.args[0] if error.args else ""
    return message if isinstance(message, LogText) else str(error)


def in_every_language(tell: Callable[[], str]) -> TranslatedText:
    """Return what this tells in each language of the site; it is called once for each of them."""
    texts = {}
    for language, _ in settings.LANGUAGES:
        with override(language):
            texts[language] = tell()
    return TranslatedText(texts.pop("en"), texts)


def joined(*sentences: str, between: str = " ") -> str:
    """Join sentences to one; empty ones are left out."""
    parts = {f"part_{number}": sentence for number, sentence in enumerate(sentences) if sentence}
    return Sentence(between.join(f"{{{name}}}" for name in parts), **parts) if parts else ""


def parts_of(text: str) -> dict[str, Any] | None:
    """Return the template and values of a sentence or line as JSON values; None for any other text."""
    if not isinstance(text, LogText):
        return None
    return {
        "template": text.template,
        "values": {name: _stored(value) for name, value in text.values.items()},
    }


def restored(text: str, parts: Mapping[str, Any] | None) -> str:
    """Return what was stored: a sentence with its parts, or the text as it is where it has none."""
    if not parts:
        return text
    return Sentence(parts["template"], **{name: _restored(value) for name, value in parts["values"].items()})


def told(text: str) -> str:
    """Return a sentence in the present language, and any other text as it is."""
    if isinstance(text, TranslatedText):
        return text.translated.get(get_language() or "en", str(text))
    if not isinstance(text, LogText):
        return text
    return gettext(text.template).format(**{name: _told(value) for name, value in text.values.items()})


def _told(value: Value) -> str | ReadNumber:
    return told(value) if isinstance(value, str) else ReadNumber(value)


def _stored(value: Value) -> Any:
    if isinstance(value, TranslatedText):
        texts = {"en": str(value)} | value.translated
        return {"spoken": {language: plain(text, VALUE_CHARACTERS) for language, text in texts.items()}}
    if isinstance(value, str):
        return parts_of(value) or plain(value, VALUE_CHARACTERS)
    return value if math.isfinite(value) else {"number": str(value)}  # PostgreSQL's JSON knows no infinity


def _restored(value: Any) -> Value:
    if isinstance(value, dict) and "spoken" in value:
        return TranslatedText(value["spoken"]["en"], value["spoken"])
    if isinstance(value, dict):
        return float(value["number"]) if "number" in value else restored("", value)
    return value
