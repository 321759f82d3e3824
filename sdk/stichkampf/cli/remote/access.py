"""The options of `stichkampf connect` for its token and its server, and what follows from them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from stichkampf.cli.configuration import ConfigurationError, checked_token
from stichkampf.cli.parser import CommandParser
from stichkampf.cli.remote.kept_tokens import KeptToken, access_to
from stichkampf.cli.server.site import SiteApi
from stichkampf.cli.server.submit import name_of
from stichkampf.games import game_class

SERVER_VARIABLE: Final = "STICHKAMPF_SERVER"
TOKEN_VARIABLE: Final = "STICHKAMPF_TOKEN"
NAME_CHARACTERS: Final = 40
"""The most that a site takes."""
OF_KEPT_TOKENS: Final = ("name", "game", "new_version", "site")
"""Options that say which token is kept, or made."""


def add_access_options(parser: CommandParser) -> None:
    """Add the options for the server, for a token that is given, and for one that is kept."""
    parser.add_argument(
        "--server",
        metavar="HOST:PORT",
        default=os.environ.get(SERVER_VARIABLE),
        help=f"where remote bots dial in (default: {SERVER_VARIABLE}, else what the site says)",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"a file that holds the token (default: {TOKEN_VARIABLE}, else the token that is kept)",
    )
    parser.add_argument("--name", default="", help="the name of the bot on the site")
    parser.add_argument(
        "--game",
        action="append",
        default=[],
        help="a game that it plays, for a new version (default: as the bot says; all)",
    )
    parser.add_argument(
        "--new-version", action="store_true", help="make another remote version, as for a changed program"
    )
    parser.add_argument(
        "--site", metavar="ADDRESS", default="", help="another site than that of the settings"
    )


def token_given(args: argparse.Namespace, environ: Mapping[str, str]) -> str:
    """Return the token that a file or the environment holds; empty where the kept one is meant.

    :raises ConfigurationError: the text cannot be a token, or there are options for a kept one too.
    """
    if args.token_file is None and not environ.get(TOKEN_VARIABLE):
        return ""
    for option in OF_KEPT_TOKENS:
        if getattr(args, option):
            where = "--token-file" if args.token_file else TOKEN_VARIABLE
            raise ConfigurationError(
                f"{where} holds the token of one version, so --{option.replace('_', '-')} has no meaning;"
                " leave one of them out"
            )
    return read_token(args.token_file, environ)


def access_of(args: argparse.Namespace, games: Sequence[str], say: Callable[[str], None]) -> KeptToken:
    """Find or make the token of the bot on the site of the settings.

    :raises SiteRefused: the site refuses.
    :raises StichkampfError: no site is known or reached, or the kept token is no longer valid.
    """
    try:
        site = SiteApi.known(args.site)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{error}; or name a file with the token of a remote version: --token-file FILE"
        ) from None
    name = args.name or name_of(Path(args.bot or slug_of(args.model)))
    wanted = [game_class(game).name for game in args.game] or games
    access = access_to(site, name, wanted, say, another=args.new_version)
    return replace(access, server=args.server or access.server)


def slug_of(model: str) -> str:
    """Return a name of a bot for a model.

    >>> slug_of("meta/Llama-3.1:8b")
    'meta-llama-3-1-8b'
    """
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")[:NAME_CHARACTERS].rstrip("-")


def read_token(file: Path | None, environ: Mapping[str, str]) -> str:
    """Read the token from a file, or from the environment where no file is named.

    :raises ConfigurationError: there is none, or the text cannot be a token.
    """
    if file is None:
        source, text = TOKEN_VARIABLE, environ.get(TOKEN_VARIABLE, "")
    else:
        source = str(file)
        try:
            text = file.read_text("ascii")
        except OSError as error:
            raise ConfigurationError(f"cannot read the token in {file}: {error.strerror}") from None
        except UnicodeDecodeError:
            text = "\0"
    if not text.strip():
        raise ConfigurationError(
            f"there is no token in {source}; name a file that holds it with --token-file, or put it into"
            f" {TOKEN_VARIABLE}"
        )
    return checked_token(text, source)
