"""The bot's end of the wire: run the tables of one bot process on one stream.

    python -m stichkampf.client --archive karl.zip --socket arbiter.sock

runs a submitted bot inside its sandbox. `serve` does the same for any way of making bots.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import platform
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NoReturn

import grpc
import grpc.aio

import stichkampf
from stichkampf.bots.bot import Bot, load_program
from stichkampf.bots.program_bot import program_bot
from stichkampf.connection.open_tables import MakeBot, OpenTables
from stichkampf.errors import StichkampfError
from stichkampf.packaging.archive import unpack
from stichkampf.packaging.manifest import LINES, MANIFEST_NAME, Manifest
from stichkampf.packaging.parts import PARTS
from stichkampf.wire.agreed import WIRE_VERSION
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import bot_pb2_grpc

SOCKET_VARIABLE: Final = "STICHKAMPF_SOCKET"
"""The environment variable in which a program in another language finds the path of its socket."""
OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),
)


def hello(games: Iterable[str], *, resume_token: bytes = b"", tables_at_once: int = 0) -> pb.FromBot:
    """Return the first message of a stream."""
    return pb.FromBot(
        hello=pb.Hello(
            wire_version_min=WIRE_VERSION,
            wire_version_max=WIRE_VERSION,
            games=games,
            tables_at_once=tables_at_once,
            resume_token=resume_token,
            agent=f"stichkampf/{stichkampf.__version__} python/{platform.python_version()}",
        )
    )


async def serve(
    address: str, make_bot: MakeBot, games: Iterable[str], connect_seconds: float | None = None
) -> None:
    """Play the tables that the arbiter brings, until it ends the stream.

    Bots decide one after the other, on this thread.

    :param address: as gRPC writes it, such as "unix:/run/arbiter.sock".
    :param connect_seconds: longest wait for the arbiter; without it there is no limit.
    :raises StichkampfError: the arbiter was not there in that time.
    :raises grpc.aio.AioRpcError: the arbiter refuses, or the connection was lost.
    """
    tables = OpenTables(make_bot)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        try:
            async with asyncio.timeout(connect_seconds):
                await channel.channel_ready()
        except TimeoutError:
            raise StichkampfError(f"no arbiter answered at {address} within {connect_seconds} s") from None
        call = bot_pb2_grpc.BotGatewayStub(channel).Play()  # type: ignore[no-untyped-call]
        await call.write(hello(games))
        while (frame := await call.read()) is not grpc.aio.EOF:
            if frame.HasField("updates"):
                for message in tables.process_updates(frame.updates.tables):
                    await call.write(message)
            elif frame.HasField("ping"):
                await call.write(pb.FromBot(pong=pb.Pong(number=frame.ping.number)))
        if await call.code() != grpc.StatusCode.OK:
            raise grpc.aio.AioRpcError(
                await call.code(),
                await call.initial_metadata(),
                await call.trailing_metadata(),
                await call.details(),
            )


def run(
    address: str, make_bot: MakeBot, games: Iterable[str] = (), connect_seconds: float | None = None
) -> int:
    """Run `serve` to its end; returns the exit status of the program.

    :raises StichkampfError: the arbiter was not there in time.
    """
    try:
        asyncio.run(serve(address, make_bot, games, connect_seconds))
    except grpc.aio.AioRpcError as error:
        print(f"the arbiter ended the stream: {error.code().name}: {error.details()}", file=sys.stderr)
        return 1
    return 0


def play_archive(archive: Path, socket: Path) -> int:
    """Unpack a bot into a folder of its own and run it there; returns the exit status.

    :raises StichkampfError: not an archive, or no bot in it.
    """
    folder = Path(tempfile.mkdtemp(prefix="bot-"))
    manifest = unpack(archive.read_bytes(), folder).manifest
    os.chdir(folder)
    bot: type[Bot]
    if manifest.protocol == LINES:
        bot = program_bot(manifest.command)
        bot.prepare()
    elif manifest.command:
        _become(manifest, socket)
    else:
        bot = load_program(Path(manifest.entry), manifest.class_name)
    return run(f"unix:{socket}", lambda _: bot(), manifest.games or tuple(bot.games))


def _become(manifest: Manifest, socket: Path) -> NoReturn:
    """Go on as the program of a manifest, which dials in itself.

    :raises StichkampfError: it is not there.
    """
    program, *arguments = manifest.command
    try:
        os.execvpe(program, [program, *arguments], {**os.environ, SOCKET_VARIABLE: str(socket)})
    except FileNotFoundError:
        raise StichkampfError(
            f"{program!r}, or the program that its first line names, is not there: ask for the part that"
            f" holds it in {MANIFEST_NAME}, such as parts = ['perl'] (there are {', '.join(PARTS)})"
        ) from None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m stichkampf.client", description="Run a bot's archive.")
    parser.add_argument("--archive", type=Path, required=True, help="a zip or tar.gz file with the bot")
    parser.add_argument("--socket", type=Path, required=True, help="the Unix socket of the arbiter")
    given = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a bot is killed at its end: nothing may wait for it
    try:
        return play_archive(given.archive, given.socket)
    except (StichkampfError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
