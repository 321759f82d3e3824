"""Files of a server, which commands write whole."""

from __future__ import annotations

import argparse
import sys
from codecs import getincrementaldecoder
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.organise.actions import ActionRow
from stichkampf.cli.parser import CommandParser
from stichkampf.cli.server.listing import print_json
from stichkampf.cli.server.site import SiteApi, SiteError
from stichkampf.cli.whole_files import whole_file

TEXTS: Final = (".csv", ".json", ".jsonl", ".txt")


def add_file_options(parser: CommandParser, rows: list[ActionRow]) -> None:
    names = dict.fromkeys(row["name"] for row in rows)
    parser.add_argument("name", metavar="NAME", help=", ".join(names))
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="where to (default: standard output)"
    )


def fetch(site: SiteApi, path: str, args: argparse.Namespace, **on: Any) -> int:
    """Fetch a file, and say how large it is.

    :param on: what it is of, as JSON tells it.
    :raises SiteError: it is no text and would go to a terminal, or the site refuses.
    """
    if args.output is None and not args.name.endswith(TEXTS):
        raise SiteError(f"{args.name} is no text: say where to, as in -o {args.name}")
    portions = site.file(path)
    if args.output is None:
        decode = getincrementaldecoder("utf-8")().decode
        for portion in portions:
            sys.stdout.write(decode(portion))
        return 0
    size = 0
    with whole_file(args.output) as file:
        for portion in portions:
            size += file.write(portion)
    if args.json:
        print_json({**on, "file": str(args.output), "bytes": size})
    else:
        print(f"{size:,} bytes in {args.output}")
    return 0
