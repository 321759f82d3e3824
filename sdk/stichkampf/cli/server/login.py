"""`stichkampf login`: keep the address of a site and a token for it."""

from __future__ import annotations

import argparse
import contextlib
import getpass
import re
import sys
import webbrowser
from dataclasses import replace
from typing import Any

from stichkampf import __version__
from stichkampf.cli.configuration import checked_token, read, site_address, write
from stichkampf.cli.parser import add_command
from stichkampf.cli.server.site import SiteApi, SiteError
from stichkampf.plain_text import plain_line

DESCRIPTION = """\
Keep the address of a site and your token for it, in a file that only you can read. The token is tried at
once. Make one on the site's page /account/tokens/, then paste it here; it is not shown.
"""
EPILOG = """\
examples:
  stichkampf login http://127.0.0.1:8000
  stichkampf login https://play.example.org --open
  stichkampf login https://play.example.org < token

exit status: 0 done; 2 no answer, or an address or token that cannot be used: then nothing is changed
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "login",
        "keep the address of a site and your token",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        nargs="?",
        default="",
        help="of the site (default: that of the settings)",
    )
    parser.add_argument("--open", action="store_true", help="open the page of tokens in the browser")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    address = site_address(args.address)
    page = f"{address}/account/tokens/"
    if args.open:
        webbrowser.open(page)
    if sys.stdin.isatty():
        print(f"Make a token on {page}", file=sys.stderr)
        text = getpass.getpass("Paste it here (it is not shown): ")
    else:
        text = sys.stdin.readline()
    token = checked_token(text, "standard input")
    site = SiteApi(address, token)
    name = site.get("me/", "username")["username"]
    known = read()
    file = write(replace(known, site=address, tokens={**known.tokens, address: token}))
    print(f"Logged in at {address} as {name}. The token is in {file}, which only you can read.")
    theirs = ""
    with contextlib.suppress(SiteError):  # the token is kept, whatever else the site says
        theirs = plain_line(str(site.get("", "sdk")["sdk"]))
    if _numbers(theirs) > _numbers(__version__):
        print(f"The site has stichkampf {theirs}, newer than this {__version__}: see {address}/download/")
    return 0


def _numbers(version: str) -> list[int]:
    """Return the numbers of a version, by which versions are ordered; a preview counts as its release."""
    return [int(number) for number in re.findall(r"\d+", version)[:3]]
