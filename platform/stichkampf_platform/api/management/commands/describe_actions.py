from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from django.core.management.base import BaseCommand

from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.ratings.organising import ACTIONS
from stichkampf_platform.tournaments.organising.actions import BLOCK_ACTIONS, ENTRANT_ACTIONS


class Command(BaseCommand):
    help = "Write what organisers can do, as `stichkampf organise` reads it; `make actions` calls this."

    def handle(self, **options) -> None:
        self.stdout.write(described_actions(), ending="")


def described_actions() -> str:
    """Return the actions on tournaments, blocks and entrants as JSON."""
    tables = {"tournament": ACTIONS, "block": BLOCK_ACTIONS, "entrant": ENTRANT_ACTIONS}
    rows = [described for on, table in tables.items() for described in _rows(on, table)]
    return json.dumps(rows, indent=1) + "\n"


def _rows(on: str, table: Mapping[str, Action]) -> Iterator[dict[str, object]]:
    for name, row in table.items():
        needs = [_need(need_name, need) for need_name, need in row.needs.items()]
        yield {"name": name, "on": on, "meaning": row.meaning, "needs": needs}


def _need(name: str, need: Need) -> dict[str, object]:
    found: dict[str, object] = {"name": name, "kind": need.kind.__name__, "meaning": need.meaning}
    if need.option:
        found["option"] = need.option
    if need.default is not None:
        found["default"] = need.default
    if need.choices:
        found["choices"] = [value for value, _words in need.choices]
    return found
