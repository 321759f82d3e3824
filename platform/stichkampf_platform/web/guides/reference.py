"""Reference of the SDK's promised names, as `platform/build_reference.py` wrote it, and a search in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.safestring import SafeString

from stichkampf_platform.web.guides import FOLDER, render


@dataclass(frozen=True)
class PromisedName:
    """A promised name, or a public member of a class.

    :ivar words: Markdown.
    """

    name: str
    kind: str
    signature: str
    words: str

    @property
    def place(self) -> str:
        """Its place on the page: the name, without the point that selectors take for a class."""
        return self.name.replace(".", "-")

    @property
    def is_top(self) -> bool:
        """True where it is a name of the module itself."""
        return "." not in self.name

    def html(self) -> SafeString:
        return _html(self.words)


@dataclass(frozen=True)
class PromisedModule:
    """A module of promised names.

    :ivar words: Markdown.
    """

    name: str
    words: str
    entries: tuple[PromisedName, ...]

    def html(self) -> SafeString:
        return _html(self.words)


def found(asked: str) -> list[PromisedModule]:
    """Return the modules with the entries that hold every word that was asked for; all without one."""
    words = asked.casefold().split()
    kept = []
    for name, module in _written()["modules"].items():
        entries = tuple(entry for entry in map(_entry, module["entries"]) if _fits(entry, words))
        if entries:
            kept.append(PromisedModule(name, "" if words else module["words"], entries))
    return kept


def _fits(entry: PromisedName, words: list[str]) -> bool:
    text = f"{entry.signature} {entry.words}".casefold()
    return all(word in text for word in words)


def _entry(written: dict[str, str]) -> PromisedName:
    return PromisedName(**written)


@cache
def _html(words: str) -> SafeString:
    return render(words, _address)


def _address(name: str) -> str:
    return f"/docs/{name}/"


@cache
def _written() -> Any:
    return json.loads((FOLDER / "reference.json").read_text(encoding="utf-8"))
