"""`stichkampf matches`: the matches of a bot."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import (
    EXIT_STATUS,
    add_match_options,
    add_site_options,
    match_query,
    print_columns,
    print_json,
)
from stichkampf.cli.server.site import SiteApi

DESCRIPTION = """\
List the matches of a bot in blocks that are over, newest first, with its seat, from 1, and its replay.
"""
EPILOG = f"""\
examples:
  stichkampf matches karl --lost
  stichkampf matches karl --game mue --version 3 --limit 100 --json

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "matches",
        "list the matches of a bot, with the replay of each",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("bot", metavar="BOT", help="one of your bots, or AUTHOR/BOT")
    add_match_options(parser)
    add_site_options(parser, limit=20)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    needed = ("page", "game", "version", "seat", "score", "rank", "faults", "players")
    matches = list(site.rows(f"{site.bot(args.bot)}matches/", args.limit, *needed, **match_query(args)))
    if args.json:
        print_json(matches)
    elif not matches:
        print("There are no such matches in blocks that are over.")
    else:
        head = ("version", "game", "seat", "rank", "score", "faults", "against", "page")
        print_columns(head, [_row(site, match) for match in matches])
    return 0


def _row(site: SiteApi, match: dict[str, Any]) -> tuple[object, ...]:
    others = [player["bot"] for player in match["players"] if player["seat"] != match["seat"]]
    return (
        f"v{match['version']}",
        match["game"],
        match["seat"] + 1,
        match["rank"],
        match["score"],
        match["faults"],
        " ".join(others),
        site.address + match["page"],
    )
