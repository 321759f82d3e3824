"""The actions of organisers, which the platform declares and `make actions` writes to `actions.json`."""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from typing import Any, Final

from stichkampf.cli.parser import CommandParser, positive

LISTED: Final = files("stichkampf.cli.organise") / "actions.json"

ActionRow = dict[str, Any]


def listed_actions() -> list[ActionRow]:
    rows: list[ActionRow] = json.loads(LISTED.read_text("utf-8"))
    return rows


def add_needs(parser: CommandParser, row: ActionRow) -> None:
    """Add what an action is on, and an option for each thing that it takes."""
    if row["on"] == "block":
        parser.add_argument("block", metavar="BLOCK", type=positive, help="its number, from 1 as on pages")
    elif row["on"] == "entrant":
        parser.add_argument("entrant", metavar="BOT", help="as in all files: 'ann/karl v3'")
    for need in row["needs"]:
        option, told = f"--{need.get('option') or need['name'].replace('_', '-')}", _lowered(need["meaning"])
        if need["kind"] == "bool":
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


def call_of(row: ActionRow, args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the address of an action below the tournament's, and the fields to send."""
    fields = {need["name"]: getattr(args, need["name"]) for need in row["needs"]}
    fields = {name: value for name, value in fields.items() if value != ""}
    if row["on"] == "block":
        return f"blocks/{args.block - 1}/{row['name']}/", fields
    if row["on"] == "entrant":
        fields["entrant"] = args.entrant
    return f"{row['name']}/", fields


def _lowered(meaning: str) -> str:
    """Write a sentence as helps of options are written."""
    return meaning[:1].lower() + meaning[1:].removesuffix(".")
