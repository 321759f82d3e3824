"""`stichkampf rate FILE`: Elo with intervals from any results."""

from __future__ import annotations

import argparse
import csv
import math
import sys
from pathlib import Path

from stichkampf.cli.parser import add_command
from stichkampf.errors import StichkampfError, installing

_DESCRIPTION = """\
Rate bots by their results on the same hands.

FILE is CSV with the header block,hand,bot,score: within a block and hand, bots are compared by score,
and equal scores are draws. Or it holds match records, as `stichkampf records` or `stichkampf duel` with
--records writes them: records with equal game, options and first deal form a block, and each seat is a
hand. Matches of `stichkampf play` have new cards each, so there is nothing to compare. Every version of a bot
is an entrant of its own, named as in "house/thumb v3".
"""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = add_command(
        subparsers,
        "rate",
        "Elo with intervals from results or match records",
        description=_DESCRIPTION,
    )
    parser.add_argument("file", metavar="FILE", help="the results; - for standard input")
    parser.add_argument(
        "--prior",
        metavar="WEIGHT",
        type=_weight,
        default=1.0,
        help="drawn games of each bot against an average opponent; they keep the unbeaten finite (default 1)",
    )
    parser.add_argument(
        "--anchor",
        metavar="BOT,BOT…|none",
        type=_bots,
        help="the bots whose mean Elo is 1500 (default: all); none: the mean of all is 0",
    )
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table", help="default: table")
    parser.add_argument(
        "--matrix", action="store_true", help="print also how likely each bot is stronger than each other"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, rate, print.

    :raises StichkampfError: for a file that cannot be read or rated, and without numpy and scipy.
    """
    try:
        # numpy and scipy are loaded by this command alone, and may be missing
        from stichkampf.cli.local import rate_output
        from stichkampf.rating import rate
        from stichkampf.rating.fit import groups_never_compared
        from stichkampf.rating.result_files import read_results
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("numpy", "scipy"):
            raise
        raise StichkampfError(f"rating needs numpy and scipy: {installing('rating')}") from error
    rated = read_results(_content(args.file))
    if not len(rated.comparisons):
        raise StichkampfError(
            "no hand was held by two different bots in the same block, so there is nothing to compare;"
            " `stichkampf duel` with --records FILE plays such blocks"
        )
    unanchored = args.anchor == ["none"]
    table = rate(
        rated.comparisons,
        anchors=None if unanchored else args.anchor,
        centre=0.0 if unanchored else 1500.0,
        prior=args.prior,
    )
    remarks = list(rated.remarks)
    groups = groups_never_compared(rated.comparisons.half_point_matrix)
    if groups > 1:
        remarks.append(
            f"{groups} groups of bots were never compared with each other; only the prior relates them"
        )
    for remark in remarks:
        print(f"note: {remark}", file=sys.stderr)
    sys.stdout.write(rate_output.WRITERS[args.format](table, args.matrix))
    return 0


def _content(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise StichkampfError(f"cannot read {name}: {error.strerror}") from error


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise argparse.ArgumentTypeError(f"the weight must be a number from 0 on, not {text!r}")
    return weight


def _bots(text: str) -> list[str]:
    """Read names between commas; a name that holds a comma stands in double quotes."""
    try:
        names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error:  # a line end outside quotes
        names = []
    if not names or not all(names):
        raise argparse.ArgumentTypeError(f"must be names of bots between commas, or none, not {text!r}")
    return names
