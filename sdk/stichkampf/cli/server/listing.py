"""Options that the commands of a site share, and lists of what it tells."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from stichkampf.cli.parser import positive
from stichkampf.plain_text import json_text, plain_line

EXIT_STATUS = """\
exit status: 0 done, 1 refused by the site, 2 no answer or settings that cannot be used, 130 interrupted
"""


def add_site_options(parser: argparse.ArgumentParser, *, limit: int = 0) -> None:
    """Add `--site` and `--json`, and `--limit` with this default unless it is 0."""
    parser.add_argument(
        "--site", metavar="ADDRESS", default="", help="another site than that of the settings"
    )
    parser.add_argument("--json", action="store_true", help="print what the site answers as JSON")
    if limit:
        parser.add_argument(
            "--limit",
            metavar="N",
            type=positive,
            default=limit,
            help=f"the most entries, newest first (default: {limit})",
        )


def add_wait_options(parser: argparse.ArgumentParser, *, waits: str, minutes: int) -> None:
    """Add `--wait` with its words, and `--minutes` with its default."""
    parser.add_argument("--wait", action="store_true", help=waits)
    parser.add_argument(
        "--minutes",
        metavar="N",
        type=positive,
        default=minutes,
        help=f"with --wait: give up after so long (default: {minutes})",
    )


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose among the matches of a bot."""
    parser.add_argument("--lost", action="store_true", help="only those in which somebody had a better rank")
    parser.add_argument("--faulty", action="store_true", help="only those in which the bot had a fault")
    parser.add_argument("--game", metavar="GAME", default="", help="only those of this game")
    parser.add_argument("--version", metavar="N", type=positive, help="only those of this version")


def match_query(args: argparse.Namespace) -> dict[str, object]:
    """Return the choice of `add_match_options` as the API takes it."""
    return {
        "lost": "true" if args.lost else None,
        "faulty": "true" if args.faulty else None,
        "game": args.game,
        "version": args.version,
    }


def print_json(answer: Any) -> None:
    print(json_text(answer))


def print_columns(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows below their heads; numbers stand to the right."""
    texts = [[plain_line(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *texts, strict=True)]
    right = [bool(rows) and all(isinstance(row[at], int | float) for row in rows) for at in range(len(head))]
    for line in [list(head), *texts]:
        cells = zip(line, widths, right, strict=True)
        print("  ".join(c.rjust(width) if to else c.ljust(width) for c, width, to in cells).rstrip())
