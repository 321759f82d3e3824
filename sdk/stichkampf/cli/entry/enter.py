"""`stichkampf enter`: put a bot down for a tournament."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteError, SiteRefused

DESCRIPTION = """\
Enter one of your bots in a tournament that authors may enter. TOURNAMENT is the word in the address of its
page. Unless you choose a version, the newest plays that was submitted before the deadline and is approved; a
validation that is still running then is waited for. Entering again changes the version and keeps the place.
"""
EPILOG = f"""\
examples:
  stichkampf enter friday-cup karl
  stichkampf enter class-7b-k3mf97pqwt karl --code k3mf-97pq-wtzh
  stichkampf enter friday-cup karl --version 3

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "enter", "enter a bot in a tournament", description=DESCRIPTION, epilog=EPILOG
    )
    add_entry_arguments(parser)
    parser.add_argument(
        "--version", metavar="N", type=positive, help="which version (default: the newest at the deadline)"
    )
    parser.add_argument("--code", default="", help="the code, where the tournament has one")
    add_site_options(parser)
    parser.set_defaults(run=run)


def add_entry_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tournament and the bot, as `withdraw` takes them, too."""
    parser.add_argument("tournament", metavar="TOURNAMENT", help="the word in the address of its page")
    parser.add_argument("bot", metavar="BOT", help="one of your bots")


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    fields = {"bot": args.bot, "version": args.version, "code": args.code}
    sent = {name: value for name, value in fields.items() if value not in (None, "")}
    try:
        entry = site.post(f"tournaments/{slug_of(args.tournament)}/entries/", sent, "bot", "place", "waits")
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return 1
    if args.json:
        print_json(entry)
        return 0
    version = f"v{entry['version']}" if entry.get("version") else "the newest version at the deadline"
    waits = ", and waits for a place" if entry["waits"] else ""
    place = f"number {entry['place']} in the list{waits}"
    print(f"{entry['bot']} is entered in {args.tournament}, {place}: {version}")
    return 0


def slug_of(tournament: str) -> str:
    """Return a tournament's word in addresses.

    :raises SiteError: it is none.

    >>> slug_of("friday-cup")
    'friday-cup'
    """
    if not tournament.isascii() or not tournament.replace("-", "").replace("_", "").isalnum():
        raise SiteError(
            f"{tournament!r} is not a tournament; write the word in its page's address, such as friday-cup"
        )
    return tournament
