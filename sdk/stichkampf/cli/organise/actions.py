"""Actions and settings of organisers, which the platform declares and `make actions` writes down."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from stichkampf.cli.parser import CommandParser, positive

LISTED: Final = files("stichkampf.cli.organise") / "actions.json"

ActionRow = dict[str, Any]


def declared() -> dict[str, Any]:
    """Return actions and settings of tournaments, actions on `others` and files of all, a row each."""
    found: dict[str, Any] = json.loads(LISTED.read_text("utf-8"))
    return found


def settings_in_words(rows: Sequence[ActionRow]) -> str:
    """Return settings as a help lists them."""
    width = max(len(row["name"]) for row in rows) + 4
    wrapped = partial(textwrap.fill, width=100, subsequent_indent=" " * width)
    lines = (f"  {row['name']:{width - 2}}{row['meaning']}{_default_of(row)}" for row in rows)
    return "\n".join(["settings:", *map(wrapped, lines)])


def _default_of(row: ActionRow) -> str:
    if row.get("required"):
        return " It must be given."
    return f" Default: {json.dumps(row['default'])}." if row.get("default") not in (None, "") else ""


def add_needs(parser: CommandParser, row: ActionRow) -> None:
    """Add what an action is on, and an option for each thing that it takes."""
    if row["on"] == "block":
        parser.add_argument("block", metavar="BLOCK", type=positive, help="its number, from 1 as on pages")
    elif row["on"] == "entrant":
        parser.add_argument("entrant", metavar="BOT", help="as in all files: 'ann/karl v3'")
    elif row["on"] == "member":
        parser.add_argument("person", metavar="PERSON", help="the name of the account")
    elif row["on"] == "protest":
        parser.add_argument("protest", metavar="PROTEST", type=positive, help="its id, as `rulings` shows it")
    for need in row["needs"]:
        option, told = f"--{need.get('option') or need['name'].replace('_', '-')}", lowered(need["meaning"])
        if need["kind"] == "bool" and "default" not in need:
            yes_or_no = argparse.BooleanOptionalAction
            parser.add_argument(option, dest=need["name"], action=yes_or_no, required=True, help=told)
        elif need["kind"] == "bool":
            parser.add_argument(option, dest=need["name"], action="store_true", help=told)
        elif need["kind"] == "int":
            told = f"{told} (default: {need['default']})"
            parser.add_argument(
                option, dest=need["name"], metavar="N", type=positive, default=need["default"], help=told
            )
        else:
            parser.add_argument(
                option, dest=need["name"], choices=need.get("choices"), default=need.get("default"),
                required="default" not in need, help=told,
            )  # fmt: skip


def add_setting(parser: CommandParser, row: ActionRow) -> None:
    """Add the option of a setting; one that is not given is None."""
    reading: dict[str, Any] = {"action": "store_const", "const": True}
    if row["kind"] != "bool":
        reading = {"metavar": "N", "type": positive} if row["kind"] == "int" else {"metavar": "VALUE"}
    parser.add_argument(row["option"], dest=row["name"], help=lowered(row["meaning"]), **reading)


def call_of(row: ActionRow, args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the address of an action below the tournament's, and the fields to send."""
    fields = needs_of(row, args)
    if row["on"] == "block":
        return f"blocks/{args.block - 1}/{row['name']}/", fields
    if row["on"] == "member":
        return f"members/{quote(args.person, safe='')}/{row['name']}/", fields
    if row["on"] == "protest":
        return f"protests/{args.protest}/{row['name']}/", fields
    if row["on"] == "entrant":
        fields["entrant"] = args.entrant
    return f"{row['name']}/", fields


def needs_of(row: ActionRow, args: argparse.Namespace) -> dict[str, Any]:
    """Return what an action takes as it was given, without empty texts."""
    given = {need["name"]: getattr(args, need["name"]) for need in row["needs"]}
    return {name: value for name, value in given.items() if value != ""}


def lowered(meaning: str) -> str:
    """Write a sentence as helps of options are written."""
    return meaning[:1].lower() + meaning[1:].removesuffix(".")
