"""`stichkampf withdraw`: take a bot back before or after a tournament starts."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from stichkampf.cli.entry.enter import add_entry_arguments, slug_of
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteRefused

EPILOG = f"""\
example:
  stichkampf withdraw friday-cup karl

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "withdraw",
        "withdraw a bot from a tournament",
        description="Withdraw one of your bots from a tournament, before or after its start, also where the"
        " organiser chose it. After the start it plays to the end what it has begun; its results stay.",
        epilog=EPILOG,
    )
    add_entry_arguments(parser)
    add_site_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    name = site.bot(args.bot).removeprefix("bots/")
    try:
        site.delete(f"tournaments/{slug_of(args.tournament)}/entries/{name}")
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return 1
    if args.json:
        print_json({"tournament": args.tournament, "bot": name.strip("/")})
    else:
        print(f"{name.strip('/')} is withdrawn from {args.tournament}")
    return 0
