"""`stichkampf submit`: hand in the next version of a bot, and follow it."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command
from stichkampf.cli.server.following import MINUTES, Follower
from stichkampf.cli.server.listing import add_site_options, add_wait_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteError, SiteRefused
from stichkampf.errors import ArchiveError
from stichkampf.games import game_class

DESCRIPTION = """\
Pack a bot, hand it in as the next version, and say where its page is. PATH is a folder, a Python file, or an
archive that is ready. With --wait it follows the validation and then the first blocks on the ladders, until
the bot is ranked on one of them.
"""
EPILOG = """\
The bot's name is --name, else the file's, else its folder's: karl.py, karl/bot.py and karl/ are all karl.

examples:
  stichkampf submit karl --wait
  stichkampf submit bot.py --name karl --game mue --game njet

exit status: 0 handed in, and with --wait accepted and ranked; 1 refused, rejected, suspended, or not ranked
in time; 2 no answer, or input or settings that cannot be used; 130 interrupted (the version stays handed in)
"""
ARCHIVES: Final = (".zip", ".tar.gz", ".tgz")
NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "submit",
        "hand in the next version of a bot, and follow it",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="a folder, a Python file, or an archive")
    parser.add_argument("--name", default="", help="the name of the bot on the site")
    parser.add_argument(
        "--game", action="append", default=[], help="a game that it plays (default: as the bot says; all)"
    )
    add_wait_options(parser, waits="follow it until it is ranked", minutes=MINUTES)
    add_site_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # zipfile and tarfile are loaded by the commands alone that need them
    from stichkampf.packaging.archive import check_archive, pack

    name = checked_name(args.name or name_of(args.path))
    games = [("games", game_class(game).name) for game in args.game]
    content = _read(args.path) if args.path.name.endswith(ARCHIVES) else pack(args.path)
    check_archive(content)
    site = SiteApi.known(args.site)
    file = args.path.name if args.path.name.endswith(ARCHIVES) else f"{name}.zip"
    path = f"{site.bot(name)}versions/"
    try:
        submission = site.upload(path, file, content, games, "id", "version", "page")
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return 1
    version = f"{path}{submission['version']['number']}/"
    told = f"{submission['version']['bot']} v{submission['version']['number']}"
    if not args.json:
        print(f"{told} is handed in: {site.address}{submission['page']}", flush=True)
    if not args.wait:
        if args.json:
            print_json(submission)
        return 0
    ranked = Follower(site, args.minutes, quiet=args.json).is_ranked(submission["id"], version)
    if args.json:
        submission = site.get(f"submissions/{submission['id']}/")
        print_json({**submission, "ladders": site.get(f"{version}ladders/")})
    return 0 if ranked else 1


def name_of(path: Path) -> str:
    """Return the name for a bot of this path.

    >>> name_of(Path("karl/bot.py")), name_of(Path("otto.tar.gz"))
    ('karl', 'otto')
    """
    path = path.resolve()
    name = path.name.removesuffix(".gz").removesuffix(".tar").removesuffix(".tgz")
    name = name.removesuffix(".zip").removesuffix(".py")
    return path.parent.name if name == "bot" else name


def checked_name(text: str) -> str:
    """Return the name of a bot.

    :raises SiteError: the text cannot be one.
    """
    if not NAME.fullmatch(text):
        raise SiteError(
            f"{text!r} cannot name a bot; choose lower-case letters, digits and hyphens: --name karl"
        )
    return text


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ArchiveError(f"cannot read {file}: {error.strerror}") from None
