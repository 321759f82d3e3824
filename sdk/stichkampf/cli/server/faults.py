"""`stichkampf faults`: the faults of a bot."""

from __future__ import annotations

import argparse
from typing import Any, Final

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_columns, print_json
from stichkampf.cli.server.site import SiteApi

FAULTS_OF_A_MATCH: Final = 50
"""The most faults of a match that are looked at, on average."""
EPILOG = f"""\
examples:
  stichkampf faults karl
  stichkampf faults ann/otto --limit 50 --json

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "faults",
        "list the matches of a bot with a fault, and why",
        description="List the matches of a bot with a fault in blocks that are over, newest first: the first"
        " of its faults there and the last line of what was wrong, and the page of that decision, which"
        " `stichkampf debug PAGE BOT` asks again.",
        epilog=EPILOG,
    )
    parser.add_argument("bot", metavar="BOT", help="one of your bots, or AUTHOR/BOT")
    add_site_options(parser, limit=20)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    matches = [_told(site, faults) for faults in _matches(site, args.bot, args.limit)]
    if args.json:
        print_json(matches)
    elif not matches:
        print(f"{args.bot} has no faults.")
    else:
        head = ("version", "game", "decision", "faults", "first", "forfeited", "why", "page")
        print_columns(head, [_row(match) for match in matches])
    return 0


def _matches(site: SiteApi, bot: str, most: int) -> list[list[dict[str, Any]]]:
    """Return the faults of the newest matches with one, by match, each in the order of its decisions."""
    of_the_match = ("table", "page", "game", "version", "seat", "forfeited")
    needed = (*of_the_match, "decision", "deal", "move", "kind")
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for fault in site.rows(f"{site.bot(bot)}faults/", most * FAULTS_OF_A_MATCH, *needed):
        key = fault["table"], fault["seat"]
        if key not in found and len(found) == most:
            break
        found.setdefault(key, []).append(fault)
    return [sorted(faults, key=lambda fault: (fault["deal"], fault["move"])) for faults in found.values()]


def _told(site: SiteApi, faults: list[dict[str, Any]]) -> dict[str, Any]:
    """Tell a match by its first fault: seats and deals count from 0, decisions from 1."""
    first = faults[0]
    reasons = [
        reason
        for fault in site.objects(f"tables/{first['table']}/faults/", "seat", "deal", "move", "reasons")
        if (fault["seat"], fault["deal"], fault["move"]) == (first["seat"], first["deal"], first["move"])
        for reason in fault["reasons"]
    ]
    lines = "\n".join(map(str, reasons)).strip().splitlines()
    return {
        **{name: first[name] for name in ("table", "game", "version", "seat", "decision", "deal", "kind")},
        "page": site.address + first["page"],
        "faults": len(faults),
        "kinds": sorted({fault["kind"] for fault in faults}),
        "forfeited": first["forfeited"],
        "reason": lines[-1] if lines else "",
    }


def _row(match: dict[str, Any]) -> tuple[object, ...]:
    return (
        f"v{match['version']}",
        match["game"],
        "" if match["decision"] is None else match["decision"],
        match["faults"],
        match["kind"],
        "yes" if match["forfeited"] else "",
        match["reason"],
        match["page"],
    )
