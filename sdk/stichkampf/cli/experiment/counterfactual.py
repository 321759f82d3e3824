"""`stichkampf counterfactual`: a version in the seats of another one, in blocks that are over."""

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
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.site import SiteApi

DESCRIPTION = """\
Let version V1 of your bot take the seats of V2 in the newest past blocks of V2 on the main ladder: the same
cards and opponents, who play again in fresh processes. The paired difference of the two is more certain than
that of as many fresh blocks. The cards of past blocks are public, so a version that carries old records with
it fools only its author. Only you see the blocks.
"""
EPILOG = """\
examples:
  stichkampf counterfactual karl@4 karl@3 --game mue --blocks 200 --wait

exit status: 0 begun, and with --wait over; 1 refused by the site, or not over in time; 2 no answer, or input
or settings that cannot be used; 130 interrupted (the server plays on)
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "counterfactual",
        "play past blocks again with another version in the seat",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("version", metavar="V1", help="BOT@N, the version that takes the seats")
    parser.add_argument("against", metavar="V2", help="BOT@N, the version of the same bot that sat there")
    add_experiment_options(parser, "counterfactual")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    version, against = two_versions(site, args.version, args.against)
    fields = {
        "game": game_of(version, args.game),
        "against": against["number"],
        "blocks": args.blocks,
    }
    experiment = begin(site, "counterfactual", version, fields, args)
    return NO if experiment is None or (args.wait and not is_over(experiment)) else 0
