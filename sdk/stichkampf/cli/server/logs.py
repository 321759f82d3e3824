"""`stichkampf logs`: what validation said of a version, and what it wrote in matches."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteError
from stichkampf.plain_text import plain_line, plain_lines

DESCRIPTION = """\
Show the log of a version's validation, or with --matches what your bot wrote to standard output and error in
matches whose block is over.
"""
EPILOG = f"""\
examples:
  stichkampf logs karl
  stichkampf logs karl --version 2
  stichkampf logs karl --matches --limit 3

{EXIT_STATUS}"""
VERSIONS = 1000


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "logs",
        "show what validation said of a bot, and what it wrote",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("bot", metavar="BOT", help="one of your bots")
    parser.add_argument("--version", metavar="N", type=positive, help="which version (default: the newest)")
    parser.add_argument("--matches", action="store_true", help="what it wrote in matches")
    add_site_options(parser, limit=10)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    site = SiteApi.known(args.site)
    path = site.bot(args.bot)
    return _matches(site, path, args) if args.matches else _validation(site, path, args)


def _validation(site: SiteApi, path: str, args: argparse.Namespace) -> int:
    found = {row["number"]: row for row in site.rows(f"{path}versions/", VERSIONS, "number", "submission")}
    number = args.version or max(found, default=0)
    if number not in found:
        there = f"it has {', '.join(map(str, sorted(found)))}" if found else "it has none yet"
        raise SiteError(f"{args.bot} has no version {number}; {there}")
    if found[number]["submission"] is None:
        raise SiteError(f"the log of {args.bot} v{number} is for its owner")
    submission = site.get(f"submissions/{found[number]['submission']}/", "lines")
    if args.json:
        print_json(submission)
        return 0
    for line in submission["lines"]:
        print(logged_text(line))
    return 0


def _matches(site: SiteApi, path: str, args: argparse.Namespace) -> int:
    reports = list(site.rows(f"{path}reports/", args.limit, "table", "stderr", "version"))
    if args.version:
        reports = [report for report in reports if report["version"] == args.version]
    if args.json:
        print_json(reports)
        return 0
    for report in reports:
        ended = f", {plain_line(report['exit_kind'])}" if report.get("exit_kind") else ""
        print(f"== {site.address}/r/{report['table']}/ v{report['version']}{ended}")
        for line in [*report.get("complaints", []), *report["stderr"].splitlines()]:
            print(*plain_lines(str(line)), sep="\n")
    return 0


def logged_text(line: dict[str, Any]) -> str:
    """Return a line of a submission's log with its time."""
    return f"{line['at'][11:19]} {plain_line(line['text'], 2000)}"
