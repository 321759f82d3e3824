"""`stichkampf whoami`: the account behind the token."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "whoami",
        "show which account of which site the token belongs to",
        description="Show which account of which site the token belongs to.",
        epilog=EXIT_STATUS,
    )
    add_site_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    account = site.get("me/", "username")
    if args.json:
        print_json({"site": site.address, **account})
    else:
        print(f"{account['username']} at {site.address}")
    return 0
