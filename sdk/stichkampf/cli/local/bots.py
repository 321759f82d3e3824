"""`stichkampf bots`: list the house bots."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.bots.registry import ANCHORS, bots_on_request, house_bots
from stichkampf.cli.parser import add_command
from stichkampf.plain_text import json_text


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "bots",
        "list the house bots",
        description="List the house bots. Each plays every game. The mean of the anchors is 1500 Elo.",
    )
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.json:
        bots = [
            {
                "name": name,
                "version": bot.version,
                "description": bot.description,
                "anchor": name in ANCHORS,
                "on_ladders": name in house_bots(),
            }
            for name, bot in (house_bots() | bots_on_request()).items()
        ]
        print(json_text(bots))
        return 0
    for name, bot in house_bots().items():
        anchor = "  (anchor)" if name in ANCHORS else ""
        print(f"{name.ljust(10)}{bot.description}{anchor}")
    print("\nonly where they are named, on no ladder:")
    for name, bot in bots_on_request().items():
        print(f"{name.ljust(10)}{bot.description}")
    return 0
