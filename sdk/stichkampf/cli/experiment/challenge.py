"""`stichkampf challenge`: unrated blocks against other bots, now."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.experiment.asking import (
    NO,
    add_experiment_options,
    begin,
    game_of,
    is_over,
    version_named,
)
from stichkampf.cli.local.matches import options_from
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.site import SiteApi, SiteError

DESCRIPTION = """\
Play unrated blocks of your bot against others on the server, at once, whatever else it plays. Only you see
them, and faults in them do no harm. BOT is yours, OPPONENT is AUTHOR/BOT, or the name of a house bot; @N
behind a name chooses a version. With one opponent, copies of both fill the table, then with the seats
exchanged; more opponents meet your bot in turn.
"""
EPILOG = """\
examples:
  stichkampf challenge karl thumb --game sticheln --blocks 64 --wait
  stichkampf challenge karl@3 bob/otto glimpse worrier --game mue

exit status: 0 begun, and with --wait over; 1 refused by the site, or not over in time; 2 no answer, or input
or settings that cannot be used; 130 interrupted (the server plays on)
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "challenge",
        "play unrated blocks against other bots on the server, now",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("bot", metavar="BOT", help="your bot, with @N a version of it")
    parser.add_argument("opponents", metavar="OPPONENT", nargs="+", help="whom it plays")
    add_experiment_options(parser, "challenge")
    parser.add_argument(
        "-o",
        "--option",
        dest="options",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="an option of the game (default: that of its main ladder)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if len(set(args.opponents)) < len(args.opponents):
        raise SiteError(f"name each opponent once, not {' '.join(args.opponents)}")
    options = options_from(args.options)
    site = SiteApi.known(args.site)
    version = version_named(site, args.bot)
    fields = {
        "game": game_of(version, args.game),
        "opponents": args.opponents,
        "blocks": args.blocks,
        **({"options": options} if options else {}),
    }
    experiment = begin(site, "challenge", version, fields, args)
    return NO if experiment is None or (args.wait and not is_over(experiment)) else 0
