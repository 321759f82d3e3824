"""`stichkampf experiments`: list one's challenges and comparisons, follow or end one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from stichkampf.cli.configuration import ConfigurationError
from stichkampf.cli.experiment.asking import MINUTES, NO, allowances, is_over, show
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.listing import add_site_options, add_wait_options, print_columns, print_json
from stichkampf.cli.server.site import SiteApi, SiteRefused

DESCRIPTION = """\
List your challenges, comparisons and counterfactual seats, newest first, and what is left of the blocks that
you may ask for; or show one with its Elo and LLR so far, follow it to its end, or end it. Its number is the
last word in the address of its page.
"""
EPILOG = """\
examples:
  stichkampf experiments
  stichkampf experiments 12 --wait
  stichkampf experiments 12 --cancel

exit status: 0 done, and with --wait over; 1 refused by the site, or not over in time; 2 no answer, or input
or settings that cannot be used; 130 interrupted (the server plays on)
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "experiments",
        "list your challenges and comparisons, follow or end one",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "experiment", metavar="ID", nargs="?", type=positive, help="the number of one (default: list them)"
    )
    parser.add_argument("--cancel", action="store_true", help="end it; the blocks that are over stay")
    add_wait_options(parser, waits="follow it to the end, and print what came out", minutes=MINUTES)
    add_site_options(parser, limit=20)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.experiment is None and (args.wait or args.cancel):
        raise ConfigurationError(
            "--wait and --cancel are for one experiment; name it, as in: stichkampf experiments 12 --wait"
        )
    if args.wait and args.cancel:
        raise ConfigurationError("an experiment is followed to its end or ended now: --wait or --cancel")
    site = SiteApi.known(args.site)
    if args.experiment is None:
        return _list(site, args)
    path = f"experiments/{args.experiment}/"
    try:
        if args.cancel:
            site.post(f"{path}cancel/", {}, "state")
        experiment = site.get(path, "id", "state", "standing", "outcome", "blocks_planned")
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return NO
    experiment = show(site, experiment, args)
    return NO if args.wait and not is_over(experiment) else 0


def _list(site: SiteApi, args: argparse.Namespace) -> int:
    needed = ("id", "page", "kind", "bot", "version", "game", "state", "blocks_planned", "created_at")
    found = list(site.rows("experiments/", args.limit, *needed))
    if args.json:
        print_json(found)
        return 0
    if found:
        print_columns(
            ("id", "what", "version", "game", "blocks", "state", "begun (UTC)"), [_row(one) for one in found]
        )
    else:
        print("You have asked for none yet: stichkampf challenge BOT OPPONENT")
    left = "; ".join(
        f"{each['left']:,} of {each['most']:,} of a {each['kind']}"
        for each in allowances(site, "experiments/")
    )
    if left:
        print(f"Blocks left today: {left}")
    return 0


def _row(one: Mapping[str, Any]) -> tuple[object, ...]:
    against = f" and v{one['against']}" if one.get("against") else ""
    return (
        one["id"],
        one["kind"],
        f"{one['bot']} v{one['version']}{against}",
        one["game"],
        one["blocks_planned"],
        one["state"],
        str(one["created_at"])[:16].replace("T", " "),
    )
