"""`stichkampf compare`: is a version better than another one of the same bot?"""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.experiment.asking import (
    NO,
    add_experiment_options,
    begin,
    game_of,
    is_over,
    two_versions,
)
from stichkampf.cli.parser import add_command, elo
from stichkampf.cli.server.site import SiteApi
from stichkampf.errors import OptionError

DESCRIPTION = """\
Test on the server if version V1 of your bot is better than V2 of it, in mirrored pairs of tables with copies
of both. It ends as soon as there is a verdict, at the latest after --blocks pairs; only you see it. Several
versions before the last are tested against it at once: those without a verdict play on. With --better-than
it plays all pairs, waits, and tells by its exit status if the whole interval lies above ELO.
"""
EPILOG = """\
examples:
  stichkampf compare karl@4 karl@3 --game mue --wait
  stichkampf compare karl@4 karl@3 --blocks 200 --better-than 0
  stichkampf compare karl@4 karl@5 karl@6 karl@3 --blocks 400

exit status: 0 begun, with --wait over, and with --better-than surely better; 1 not surely better, refused by
the site, or not over in time; 2 no answer, or input or settings that cannot be used; 130 interrupted (the
server plays on)
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "compare",
        "test on the server if one version of your bot is better than another",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "versions", metavar="V1", nargs="+", help="BOT@N, the version that should be better, or several"
    )
    parser.add_argument("against", metavar="V2", help="BOT@N, another version of the same bot")
    add_experiment_options(parser, "comparison")
    parser.add_argument(
        "--better-than",
        metavar="ELO",
        type=elo,
        help="wait, and exit with status 0 only if the whole interval of the difference lies above ELO",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    bound = args.better_than
    args.wait = args.wait or bound is not None
    first, *also = args.versions
    if also and bound is not None:
        raise OptionError(
            f"--better-than compares two versions, not {' '.join(args.versions)} {args.against}"
        )
    site = SiteApi.known(args.site)
    version, against = two_versions(site, first, args.against)
    fields = {
        "game": game_of(version, args.game),
        "against": against["number"],
        "also": [two_versions(site, one, args.against)[0]["number"] for one in also],
        "blocks": args.blocks,
        "fixed": bound is not None,
    }
    experiment = begin(site, "comparison", version, fields, args)
    if experiment is None or (args.wait and not is_over(experiment)):
        return NO
    return 0 if bound is None or _surely_above(experiment, bound) else NO


def _surely_above(experiment: dict[str, Any], bound: float) -> bool:
    lows = [one["elo"]["low"] for one in experiment["standing"]["differences"]]
    return all(low is not None and low > bound for low in lows)
