"""`stichkampf connect`: a bot on this machine plays at a server's tables."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.bot import Bot, load_program
from stichkampf.cli import INTERRUPTED
from stichkampf.cli.configuration import ConfigurationError, checked_token
from stichkampf.cli.parser import UNUSABLE, add_command, positive
from stichkampf.cli.server.language_model import add_options, check_options, model_of
from stichkampf.errors import BotError
from stichkampf.games import GAMES
from stichkampf.local_play.programs import local_program

SERVER_VARIABLE: Final = "STICHKAMPF_SERVER"
TOKEN_VARIABLE: Final = "STICHKAMPF_TOKEN"
REFUSED: Final = 1

DESCRIPTION = """\
Let a bot on this machine play at a server's tables. It dials out, so no port needs to be opened here. The
site names the server and the token when you make a remote version of your bot there.
"""
EPILOG = f"""\
The token comes from the file or from {TOKEN_VARIABLE}. On a command line everybody on this machine
could read it.

The connection is encrypted, except to this machine itself. When it is lost, tables wait for the bot for a
while; the command tries again for as long as it runs. Ctrl-C (or SIGTERM) ends it as soon as no table is
open; a second one ends it at once, and open tables wait as after a lost connection: a bot that is started
again in time goes on there.

With --jobs, tables share what the bot's module holds, and must not disturb each other there. It pays for
programs, and for bots that wait, such as for a language model; Python computes for one table at a time.

exit status: 0 ended by Ctrl-C, {INTERRUPTED} by a second one, {REFUSED} refused by the server,
{UNUSABLE} a file, class, server or token that cannot be used

examples:
  stichkampf connect bot.py --server play.example.org:50052 --token-file token
  stichkampf connect bots.py --class Karl --server 127.0.0.1:50052
  stichkampf connect ./karl.pl --server 127.0.0.1:50052 --jobs 4    # a program that speaks JSON lines
  stichkampf connect --llm http://127.0.0.1:8080/v1 --model NAME --server 127.0.0.1:50052 --jobs 4
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
    parser.add_argument(
        "--server",
        metavar="HOST:PORT",
        default=os.environ.get(SERVER_VARIABLE),
        help=f"where remote bots dial in (default: {SERVER_VARIABLE})",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help=f"a file that holds the token (default: the token is in {TOKEN_VARIABLE})",
    )
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
        help="the most tables to have open at once (default: as many as there are)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=positive,
        default=1,
        help="how many tables think at the same time, each on a thread of its own (default: 1, one decision"
        " after the other)",
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

    from stichkampf.connection.remote_bot import RefusedError, RemoteBot
    from stichkampf.connection.server import Server, ServerError

    if args.open_token is not None:
        raise ConfigurationError(
            "everybody on this machine can read a token on the command line; put it into a file of your own,"
            f" for --token-file, or into {TOKEN_VARIABLE}. Have a new one made if others use this machine"
        )
    check_options(args)
    if not args.server:
        raise ServerError(f"say which server: --server HOST:PORT, or {SERVER_VARIABLE}")
    server = Server.at(args.server, args.plaintext)
    token = read_token(args.token_file, os.environ)
    # A shell without job control starts what it puts into the background with SIGINT ignored, and then
    # neither Python nor asyncio would take notice of it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A service manager ends programs in this way; it means the same.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with ExitStack() as stack:
        if args.llm is None:
            loaded = load_bot_of(args.bot, args.class_name)
            make: Callable[[], Bot] = loaded
            games = games_of(loaded.games, args.bot)
        else:
            make = stack.enter_context(model_of(args, os.environ, say))
            games = list(GAMES)
        remote = RemoteBot(
            server,
            token,
            lambda _: make(),
            games=games,
            tables_at_once=args.tables,
            jobs=args.jobs,
            say=say,
        )
        try:
            asyncio.run(remote.play_until_interrupted())
        except RefusedError as error:
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


def games_of(names: Any, file: str) -> list[str]:
    """List the games that a bot plays: all games where it names none.

    :raises BotError: a game that does not exist.
    """
    games = list(names)
    unknown = [game for game in games if game not in GAMES]
    if unknown:
        raise BotError(f"{file} plays {unknown[0]!r}, which is no game; there are {', '.join(GAMES)}")
    return games or list(GAMES)


def say(line: str) -> None:
    print(f"{datetime.now().astimezone():%H:%M:%S} {line}", flush=True)
