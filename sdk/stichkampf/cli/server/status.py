"""`stichkampf status`: how one's bots are doing."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.configuration import ConfigurationError
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.following import MINUTES, Follower, standing
from stichkampf.cli.server.listing import add_site_options, add_wait_options, print_columns, print_json
from stichkampf.cli.server.site import SiteApi, SiteError

DESCRIPTION = """\
Show the newest version of each of your bots, or all versions of one: whether it may play, its ratings, the
blocks that are missing to a rank, and when its first block comes. With --wait the newest version is followed
as `submit --wait` does, until it is ranked.
"""
EPILOG = """\
examples:
  stichkampf status
  stichkampf status karl
  stichkampf status karl --wait      # take up what `submit --wait` left

exit status: 0 done, and with --wait ranked; 1 refused by the site, or with --wait rejected, suspended, or not
ranked in time; 2 no answer or settings that cannot be used; 130 interrupted
"""
NOT_RANKED = 1
BOTS = 50
VERSIONS = 100


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "status", "show how your bots are doing", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("bot", metavar="BOT", nargs="?", default="", help="one of your bots (default: all)")
    add_wait_options(parser, waits="follow the newest version until it is ranked", minutes=MINUTES)
    add_site_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.wait and not args.bot:
        raise ConfigurationError("--wait follows one bot; name it: stichkampf status BOT --wait")
    site = SiteApi.known(args.site)
    if args.wait:
        return 0 if _follow(site, args) else NOT_RANKED
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


def _follow(site: SiteApi, args: argparse.Namespace) -> bool:
    path = f"{site.bot(args.bot)}versions/"
    found = list(site.rows(path, VERSIONS, "number", "state", "submission"))
    newest = max(found, default=None, key=lambda version: version["number"])
    if newest is None or newest["submission"] is None:
        raise SiteError(f"{args.bot} has no version of yours to follow; submit one: stichkampf submit PATH")
    version = f"{path}{newest['number']}/"
    ranked = Follower(site, args.minutes, quiet=args.json).is_ranked(newest["submission"], version)
    if args.json:
        print_json(_versions(site, site.get(site.bot(args.bot), "full_name")["full_name"], all_of_them=False))
    return ranked


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
