"""`stichkampf bots`: list the house bots, or one's own on a site."""

from __future__ import annotations

import argparse
from typing import Any, Final

from stichkampf.bots.registry import ANCHORS, bots_on_request, house_bots
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.site import SiteApi
from stichkampf.plain_text import json_text, plain_line

SECONDS: Final = 3.0
MOST: Final = 200


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "bots",
        "list the house bots",
        description="List the house bots. Each plays every game. The mean of the anchors is 1500 Elo.",
    )
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--mine", action="store_true", help="your bots on the site, in place of house bots")
    parser.add_argument("--names", action="store_true", help="print the names alone, a line each")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.mine:
        bots = list(SiteApi.known(seconds=SECONDS, attempts=1).rows("me/bots/", MOST, "slug", "full_name"))
        if args.json:
            print(json_text(bots))
        for bot in () if args.json else bots:
            print(plain_line(str(bot["slug" if args.names else "full_name"])))
        return 0
    if args.names:
        print("\n".join(house_bots() | bots_on_request()))
        return 0
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
