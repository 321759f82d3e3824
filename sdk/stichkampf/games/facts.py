"""Facts, secrets and phases of a game, in words, from its declarations alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stichkampf.engine.declaration import Fact
from stichkampf.engine.game import Game


class FactRow(NamedTuple):
    """A fact or a secret in words.

    :ivar key: in `table.facts` or `table.secrets`.
    :ivar type: in Python's words, None included where there may be no value.
    :ivar field: in the typed view of the game.
    :ivar meaning: a few words.
    :ivar when: when there is a value.
    """

    key: str
    type: str
    field: str
    meaning: str
    when: str


def rows_of(game: type[Game], declared: Mapping[str, Fact]) -> list[FactRow]:
    """List declared facts or secrets of a game in words, in the order of their keys.

    >>> from stichkampf.games import game_class
    >>> mue = game_class("mue")
    >>> rows_of(mue, mue.facts)[1]
    FactRow(key='chief', type='int | None', field='chief', meaning='chief', when='None in the auction')
    """
    fields = {fact: name for name, fact in game.view.fields.items()}
    return [
        FactRow(key, fact.type, fields.get(key, ""), meaning_of(fact), fact.when)
        for key, fact in sorted(declared.items())
    ]


def meaning_of(fact: Fact) -> str:
    return f"{fact.meaning}, by seat" if fact.each else fact.meaning


def facts_json(game: type[Game]) -> dict[str, object]:
    """Return phases, facts and secrets of a game as JSON.

    >>> from stichkampf.games import game_class
    >>> facts_json(game_class("sixes-and-sevens"))["phases"]
    {'tricks': 'each seat in turn plays a card'}
    """
    return {
        "game": game.name,
        "view": game.view.__name__,
        "phases": dict(game.phases),
        "facts": [row._asdict() for row in rows_of(game, game.facts)],
        "secrets": [row._asdict() for row in rows_of(game, game.secrets)],
    }


def facts_text(game: type[Game]) -> str:
    """Tell phases, facts and secrets of a game in lines for a terminal.

    >>> from stichkampf.games import game_class
    >>> print(facts_text(game_class("sixes-and-sevens")))
    sixes-and-sevens, in Python: table.view(SixesAndSevensView)
    <BLANKLINE>
    phases (table.phase)
      tricks  each seat in turn plays a card
    <BLANKLINE>
    facts (table.facts)
      side points  list[int]   points of the two sides
      tricks       list[int]   tricks won, by seat
      trump        str | None  trump suit; None before the first seven
    """
    parts = [[f"{game.name}, in Python: table.view({game.view.__name__})"]]
    parts.append(["phases (table.phase)", *_aligned([[name, told] for name, told in game.phases.items()])])
    for title, declared in (("facts (table.facts)", game.facts), ("secrets (table.secrets)", game.secrets)):
        rows = rows_of(game, declared)
        told = [[row.key, row.type, "; ".join(filter(None, [row.meaning, row.when]))] for row in rows]
        if told:
            parts.append([title, *_aligned(told)])
    return "\n\n".join("\n".join(lines) for lines in parts)


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def facts_markdown(game: type[Game]) -> str:
    """Tell phases, facts and secrets of a game as a section of Markdown.

    >>> from stichkampf.games import game_class
    >>> print(facts_markdown(game_class("mue")).splitlines()[0])
    ## Mü (`mue`)
    """
    lines = [f"## {game.title} (`{game.name}`)", "", f"Typed: `table.view({game.view.__name__})`.", ""]
    lines += ["| phase | choice |", "|---|---|"]
    lines += [f"| `{name}` | {told} |" for name, told in game.phases.items()]
    for title, declared in (("fact", game.facts), ("secret", game.secrets)):
        if declared:
            lines += ["", f"| {title} | type | field | meaning | when |", "|---|---|---|---|---|"]
            lines += [_markdown_row(row) for row in rows_of(game, declared)]
    return "\n".join(lines)


def _markdown_row(row: FactRow) -> str:
    kind = row.type.replace("|", "\\|")
    return f"| `{row.key}` | `{kind}` | `{row.field}` | {row.meaning} | {row.when} |"
