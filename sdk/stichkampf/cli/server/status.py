"""`stichkampf status`: how one's bots are doing."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_columns, print_json
from stichkampf.cli.server.site import SiteApi

DESCRIPTION = """\
Show the newest version of each of your bots, or all versions of one: whether it may play, its ratings, the
blocks that are missing to a rank, and when its first block comes.
"""
EPILOG = f"""\
examples:
  stichkampf status
  stichkampf status karl

{EXIT_STATUS}"""
BOTS = 50
VERSIONS = 100


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "status", "show how your bots are doing", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("bot", metavar="BOT", nargs="?", default="", help="one of your bots (default: all)")
    add_site_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    if args.bot:
        bots = [site.get(site.bot(args.bot), "full_name")]
    else:
        bots = list(site.rows("me/bots/", BOTS, "full_name"))
    told = [row for bot in bots for row in _versions(site, bot["full_name"], all_of_them=bool(args.bot))]
    if args.json:
        print_json(told)
    elif not told:
        print("No bot has a version yet; submit one: stichkampf submit PATH")
    else:
        print_columns(
            ("version", "state", "ladder", "Elo", "rank", "now"), [r for v in told for r in _rows(v)]
        )
    return 0


def _versions(site: SiteApi, name: str, *, all_of_them: bool) -> list[dict[str, Any]]:
    """Return versions of a bot, newest first, each with its `ladders`."""
    path = f"bots/{name}/versions/"
    found = sorted(site.rows(path, VERSIONS, "number", "state"), key=lambda version: -version["number"])
    return [
        {**version, "name": name, "ladders": site.get(f"{path}{version['number']}/ladders/")}
        for version in (found if all_of_them else found[:1])
    ]


def _rows(version: dict[str, Any]) -> list[tuple[object, ...]]:
    name, state = f"{version['name']} v{version['number']}", version["state"]
    if not version["ladders"]:
        return [(name, state, "", "", "", version.get("reason") or "")]
    return [(name, state, ladder["game"], *standing(ladder)) for ladder in version["ladders"]]


def standing(ladder: dict[str, Any]) -> tuple[str, str, str]:
    """Return Elo with its interval, rank, and what happens now, in words."""
    rating = ladder["rating"]
    elo = "" if rating is None else f"{rating['elo']:.0f}"
    if rating is not None and rating["plus_minus"] is not None:
        elo += f" ±{rating['plus_minus']:.0f}"
    rank = "" if rating is None or rating["rank"] is None else str(rating["rank"])
    now = []
    if ladder["playing"]:
        now.append("plays a block")
    elif ladder["place"]:
        about = f", in about {ladder['seconds']} s" if ladder["seconds"] else ""
        now.append(f"first block is number {ladder['place']} in line{about}")
    if ladder["blocks_to_go"]:
        now.append(f"{ladder['blocks_to_go']} blocks to a rank")
    if ladder["waits"]:
        now.append(ladder["waits"])
    return elo, rank, "; ".join(now)
