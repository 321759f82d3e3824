"""`stichkampf records`: the match records of a bot."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.listing import EXIT_STATUS, add_match_options, match_query
from stichkampf.cli.server.site import SiteApi
from stichkampf.cli.terminal import ProgressBar
from stichkampf.cli.whole_files import whole_file
from stichkampf.plain_text import json_text

DESCRIPTION = """\
Fetch the records of a bot's matches, one JSON document a line, for `stichkampf verify`, `rate` and `debug`. A
file is written as a whole or not at all.
"""
EPILOG = f"""\
examples:
  stichkampf records karl --lost -o lost.jsonl
  stichkampf records karl --game mue --limit 100 | stichkampf verify -

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "records", "fetch the match records of a bot", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("bot", metavar="BOT", help="one of your bots, or AUTHOR/BOT")
    add_match_options(parser)
    parser.add_argument(
        "--site", metavar="ADDRESS", default="", help="another site than that of the settings"
    )
    parser.add_argument(
        "--limit", metavar="N", type=positive, default=20, help="the most records, newest first (default: 20)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="where to write them (default: standard output)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    path = f"{site.bot(args.bot)}matches/"
    tables = [row["table"] for row in site.rows(path, args.limit, "table", **match_query(args))]
    tables = list(dict.fromkeys(tables))  # copies of a bot may share a table
    lines = _lines(site, tables)
    if args.output is None:
        for line in lines:
            print(line)
        return 0
    with whole_file(args.output) as file:
        for line in lines:
            file.write(f"{line}\n".encode())
    print(f"{len(tables)} records in {args.output}")
    return 0


def _lines(site: SiteApi, tables: list[int]) -> Iterator[str]:
    with ProgressBar(len(tables) or 1, "records") as progress:
        for table in tables:
            yield json_text(site.get(f"tables/{table}/record/"), indent=None)
            progress.step()
