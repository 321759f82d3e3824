"""`stichkampf faults`: the faults of a bot."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_columns, print_json
from stichkampf.cli.server.site import SiteApi

EPILOG = f"""\
examples:
  stichkampf faults karl
  stichkampf faults ann/otto --limit 50 --json

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "faults",
        "list the faults of a bot, with the page of each",
        description="List the faults of a bot in blocks that are over, newest first, with the page of each.",
        epilog=EPILOG,
    )
    parser.add_argument("bot", metavar="BOT", help="one of your bots, or AUTHOR/BOT")
    add_site_options(parser, limit=20)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    needed = ("page", "game", "version", "deal", "move", "kind")
    faults = list(site.rows(f"{site.bot(args.bot)}faults/", args.limit, *needed))
    if args.json:
        print_json(faults)
    elif not faults:
        print(f"{args.bot} has no faults.")
    else:
        rows = [
            (f"v{f['version']}", f["game"], f["deal"] + 1, f["move"] + 1, f["kind"], site.address + f["page"])
            for f in faults
        ]
        print_columns(("version", "game", "deal", "move", "fault", "page"), rows)
    return 0
