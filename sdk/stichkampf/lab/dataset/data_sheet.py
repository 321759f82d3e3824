"""The data sheet: what a data set holds and how it was made, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stichkampf.lab.dataset.schema import FIELDS

# The questions are those of Gebru et al., "Datasheets for Datasets", 2021, where a program can answer them.
_TEXT: Final = """\
# Data sheet

Decisions of {matches} matches of trick-taking card games: {decisions} rows, format `{format}`.

## What a row is

One decision of one seat. Each row names its match, deal and move, who decided, what was chosen and what came
of it. The moves of a deal in order are its history: every card, bid and choice is a row, but for moves that
the rules make themselves.

| field | type | meaning |
|---|---|---|
{fields}
| `hand` | bits | the hand of the seat that decides, eight to a byte, the first lowest |
| `legal` | bits | the legal actions, as `words` of dataset.json numbers them |
{observed}

All hands of a deal are in its rows. A learner that sees more of a row than its own seat knew has seen the
cards of others: take `hand`, `legal` and the observation, and of other seats what the rules show.

## Files

| file | game | seats | rows | bytes a row |
|---|---|---:|---:|---:|
{files}

`matches.jsonl` has a line for each match with its options, bots, scores and seed; `dataset.json` has the
numbers of actions, bots and faults. `stichkampf.lab.dataset.load(folder, game)` reads all of it.

## How it was made

`stichkampf dataset` read match records and refereed every one from its first card to its scores, before a row
was made of it. A record that breaks the rules stops the command, so there is none here.

## Who is in it

{bots}

Bots and no people. The deals are shuffled by the rules. Matches of one block have the same deals: split a
data set for training and testing by `seed`, never by rows.

## What it may be used for

The program that made it is under the Apache License 2.0; the records are under the terms of the site or
person they came from.
"""


def sheet(told: Mapping[str, Any]) -> str:
    """Write the data sheet of what `dataset.json` tells."""
    bots = told["bots"]
    shown = ", ".join(f"`{bot}`" for bot in bots[:50]) or "no bots"
    return _TEXT.format(
        **{name: told[name] for name in ("matches", "decisions", "format")},
        fields="\n".join(f"| `{field.name}` | `{field.type}` | {field.meaning} |" for field in FIELDS),
        observed=_OBSERVED if told["observations"] else "",
        files="\n".join(_row_text(file) for file in told["files"]),
        bots=shown + (f" and {len(bots) - 50} more" if len(bots) > 50 else ""),
    ).replace("|\n\n\nAll", "|\n\nAll")


_OBSERVED: Final = """\
| `observation` | bits | what the seat knew; `observation` of dataset.json has the bits of each part |
| `numbers` | `<i2` | the numbers that follow the bits |"""


def _row_text(file: Mapping[str, Any]) -> str:
    return f"| `{file['name']}` | {file['game']} | {file['seats']} | {file['rows']} | {file['bytes_a_row']} |"
