from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from stichkampf.games import GAMES

from stichkampf_platform.bots.actions import AUTHOR_ACTIONS, CONSENTS
from stichkampf_platform.classes import closing, export
from stichkampf_platform.core.actions import Action, Export, Need
from stichkampf_platform.experiments import services as experiments
from stichkampf_platform.experiments.beginning import BEGIN
from stichkampf_platform.ratings.figures import FIGURES
from stichkampf_platform.ratings.organising import ACTIONS, EXPORTS
from stichkampf_platform.tournaments.entry.setting_rows import SENT, SETTINGS
from stichkampf_platform.tournaments.formats import FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.actions import (
    BLOCK_ACTIONS,
    ENTRANT_ACTIONS,
    MEMBER_ACTIONS,
    PROTEST_ACTIONS,
)

CHOSEN_FROM: dict[str, Iterable[str]] = {"game": GAMES, "format": FORMATS}
SETTINGS_HEAD = "| setting | what it says | default |\n|---|---|---|\n"
FIGURES_HEAD = "| figure of a rating | what it says |\n|---|---|\n"
FILES_HEAD = "| file of {on} | what it holds |\n|---|---|\n"
FILES: dict[str, tuple[str, Mapping[str, Export]]] = {
    "tournament": ("export/", EXPORTS),
    "class": ("", export.EXPORTS),
    "experiment": ("", experiments.EXPORTS),
}
"""By what they are made of, with what stands before a file's name in the API."""


class Command(BaseCommand):
    help = (
        "Write what people can do and set, as the command `stichkampf` reads it; `make actions` calls this."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--document",
            type=Path,
            action="append",
            default=[],
            help="whose tables of settings and files are written too; may be given many times",
        )

    def handle(self, **options: Any) -> None:
        self.stdout.write(described_rows(), ending="")
        for document in options["document"]:
            document.write_text(with_tables(document.read_text("utf-8")), "utf-8")


def described_rows() -> str:
    """Return the actions of organisers and of others, settings and files as JSON."""
    tables = {"tournament": ACTIONS, "block": BLOCK_ACTIONS, "entrant": ENTRANT_ACTIONS,
              "member": MEMBER_ACTIONS, "protest": PROTEST_ACTIONS}  # fmt: skip
    others = {
        "bot": CONSENTS, "version": AUTHOR_ACTIONS, "experiment": experiments.ACTIONS,
        "class": closing.ACTIONS, "person": closing.PUPIL_ACTIONS,
    }  # fmt: skip
    rows = {
        "actions": [described for on, table in tables.items() for described in _rows(on, table)],
        "others": [described for on, table in others.items() for described in _rows(on, table)],
        "experiments": list(_rows("version", BEGIN)),
        "settings": [_setting(name) for name in SENT],
        "files": [
            {"name": name, "on": on, "meaning": row.meaning, "address": below + (row.address or name)}
            for on, (below, table) in FILES.items()
            for name, row in table.items()
        ],
    }
    return json.dumps(rows, indent=1) + "\n"


def with_tables(text: str) -> str:
    """Return a document with its tables of settings, figures and files as they are declared."""
    settings = [_setting(name) for name in SENT]
    listed = (f"| `{each['name']}` | {each['meaning']} | {_default_in_words(each)} |\n" for each in settings)
    figures = (f"| `{name}` | {row.meaning} |\n" for name, row in FIGURES.items())
    tables = {SETTINGS_HEAD: listed, FIGURES_HEAD: figures}
    for on, (_below, table) in FILES.items():
        rows = (f"| `{name}` | {row.meaning} |\n" for name, row in table.items())
        tables[FILES_HEAD.format(on=f"an {on}" if on[0] in "aeiou" else f"a {on}")] = rows
    for head, lines in tables.items():
        if head not in text:
            continue
        before, _, rest = text.partition(head)
        after = rest[rest.index("\n\n") :]
        text = f"{before}{head}{''.join(lines).rstrip()}{after}"
    return text


def _rows(on: str, table: Mapping[str, Action]) -> Iterator[dict[str, object]]:
    for name, row in table.items():
        needs = [_need(need_name, need) for need_name, need in row.needs.items()]
        adds = {"adds": True} if row.adds else {}
        yield {"name": name, "on": on, "meaning": row.meaning, "needs": needs, **adds}


def _need(name: str, need: Need) -> dict[str, object]:
    found: dict[str, object] = {"name": name, "kind": need.kind.__name__, "meaning": need.meaning}
    if need.option:
        found["option"] = need.option
    if need.default is not None:
        found["default"] = need.default
    if need.choices:
        found["choices"] = [value for value, _words in need.choices]
    return found


def _setting(name: str) -> dict[str, object]:
    """Return a setting as programs are told of it: its meaning with bounds and values, and its default."""
    row, told = SETTINGS[name], SETTINGS[name].told
    described = _need(name, row)
    if row.most is not None:
        told += f" From {row.least:g} to {row.most:g}."
    if row.column:
        field = Tournament._meta.get_field(name)
        values = CHOSEN_FROM.get(name) or [value for value, _words in field.choices or () if value]
        if values:
            told += f" One of {', '.join(f'`{value}`' for value in values)}."
        if not field.has_default() and not field.null and name != "slug":
            described["required"] = True
    if row.kind is datetime:
        told += " Such as `2026-12-04T17:00Z`."
    if row.kind is dict:
        del described["default"]
    return {**described, "meaning": told}


def _default_in_words(setting: Mapping[str, object]) -> str:
    if setting.get("required"):
        return "must be given"
    default = setting.get("default")
    return "" if default in (None, "") else f"`{json.dumps(default)}`".replace('"', "")
