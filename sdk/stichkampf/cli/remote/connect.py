"""`stichkampf connect`: a bot on this machine plays at a server's tables."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.bot import Bot, load_program
from stichkampf.cli import INTERRUPTED
from stichkampf.cli.configuration import ConfigurationError
from stichkampf.cli.parser import UNUSABLE, add_command, positive
from stichkampf.cli.remote.access import (
    SERVER_VARIABLE,
    TOKEN_VARIABLE,
    access_of,
    add_access_options,
    token_given,
)
from stichkampf.cli.remote.kept_tokens import KeptToken
from stichkampf.cli.remote.language_model import add_options, check_options, model_of
from stichkampf.cli.server.site import SiteRefused
from stichkampf.games import GAMES
from stichkampf.local_play.programs import games_named, local_program

REFUSED: Final = 1
ASYNC_JOBS: Final = 16
TABLES: Final = 4
"""The tables at which an async bot decides at the same time; they wait on one thread."""

DESCRIPTION = """\
Let a bot on this machine play at a server's tables. It dials out, so no port needs to be opened here.

After `stichkampf login`, the first start makes a remote version of the bot on the site and keeps its token
with the settings, for you alone to read; later starts use it. The site says where to connect.
"""
EPILOG = f"""\
The bot's name on the site is --name, else the file's or its folder's, or that of the model. A changed program
is a new version: --new-version makes it, so that a rating means one program.

Without a login, --server says where to connect, and the token of a remote version comes from --token-file or
from {TOKEN_VARIABLE}. On a command line everybody on this machine could read it.

The connection is encrypted, except to this machine itself. When it is lost, tables wait for the bot for a
while; the command tries again for as long as it runs. Ctrl-C (or SIGTERM) ends it as soon as no table is
open; a second one ends it at once, and open tables wait as after a lost connection: a bot that is started
again in time goes on there.

With --jobs, tables share what the bot's module holds, and must not disturb each other there. It pays for
programs, and for bots that wait, such as for a language model; Python computes for one table at a time.
A bot whose choose() is an `async def` decides at several tables at once without it, on one event loop.

exit status: 0 ended by Ctrl-C, {INTERRUPTED} by a second one, {REFUSED} refused or suspended,
{UNUSABLE} a file, class, server or token that cannot be used

examples:
  stichkampf connect karl
  stichkampf connect bots.py --class Karl --name karl --new-version
  stichkampf connect ./karl.pl --name karl --jobs 4    # a program that speaks JSON lines
  stichkampf connect --llm http://127.0.0.1:8080/v1 --model NAME --game mue --jobs 4
  stichkampf connect bot.py --server play.example.org:50052 --token-file token
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "connect",
        "let a bot on this machine play at a server's tables",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "bot",
        metavar="BOT",
        nargs="?",
        help="a Python file with a Bot in it, a folder, an archive, or a program",
    )
    add_access_options(parser)
    parser.add_argument("--token", dest="open_token", help=argparse.SUPPRESS)
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="NAME",
        default="",
        help="which bot, where the file has more than one",
    )
    parser.add_argument(
        "--tables",
        metavar="N",
        type=positive,
        default=0,
        help=f"the most tables to have open at once (default: {TABLES}, or as many as --jobs)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=positive,
        default=0,
        help="how many tables think at the same time, each on a thread of its own (default: 1, one decision"
        f" after the other; {ASYNC_JOBS} for an async bot)",
    )
    parser.add_argument(
        "--plaintext",
        action=argparse.BooleanOptionalAction,
        help="do not encrypt the connection, or do (default: encrypted, except to this machine itself)",
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # Before gRPC is loaded: `say` reports on the connection, not gRPC.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # gRPC is loaded by this command alone.
    import asyncio

    from stichkampf.connection.remote_bot import NotAdmitted, RemoteBot
    from stichkampf.connection.server import Server, ServerError

    if args.open_token is not None:
        raise ConfigurationError(
            "everybody on this machine can read a token on the command line; put it into a file of your own,"
            f" for --token-file, or into {TOKEN_VARIABLE}. Have a new one made if others use this machine"
        )
    check_options(args)
    given = token_given(args, os.environ)
    if given and not args.server:
        raise ServerError(f"say which server: --server HOST:PORT, or {SERVER_VARIABLE}")
    if args.server:
        Server.at(args.server, args.plaintext)  # before a version is made for it
    # A shell without job control starts what it puts into the background with SIGINT ignored, and then
    # neither Python nor asyncio would take notice of it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A service manager ends programs in this way; it means the same.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with ExitStack() as stack:
        if args.llm is None:
            loaded = load_bot_of(args.bot, args.class_name)
            make: Callable[[], Bot] = loaded
            games = list(games_named(loaded.games, args.bot)) or list(GAMES)
            jobs = args.jobs or (ASYNC_JOBS if iscoroutinefunction(loaded.choose) else 1)
        else:
            make = stack.enter_context(model_of(args, os.environ, say))
            games = list(GAMES)
            jobs = args.jobs or 1
        try:
            access = KeptToken(given, args.server) if given else access_of(args, games, say)
        except SiteRefused as error:
            print(f"stichkampf: {error}", file=sys.stderr)
            return REFUSED
        remote = RemoteBot(
            Server.at(access.server, args.plaintext),
            access.token,
            lambda _: make(),
            games=games,
            tables_at_once=args.tables or max(TABLES, jobs),
            jobs=jobs,
            new_token=access.new,
            say=say,
            why_not=access.why_not,
        )
        try:
            asyncio.run(remote.play_until_interrupted())
        except NotAdmitted as error:
            print(f"stichkampf: {error}", file=sys.stderr)
            return REFUSED
        finally:
            say(f"stopped; {remote.standing()}")
    return 0


def load_bot_of(text: str, class_name: str) -> type[Bot]:
    """Load the bot that a command line names.

    :param class_name: which one, where its file has several.
    :raises StichkampfError: there is none.
    """
    if text.endswith(".py"):
        return load_program(Path(text), class_name)
    return replace(local_program(text), class_name=class_name).load()


def say(line: str) -> None:
    print(f"{datetime.now().astimezone():%H:%M:%S} {line}", flush=True)
