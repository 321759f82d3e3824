"""The bot's end of the wire: runs the tables of one bot process on one stream.

    python -m stichkampf.client --archive karl.zip --socket arbiter.sock

is what runs a submitted bot inside its sandbox. `serve` does the same for any way of making bots.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Final

import grpc
import grpc.aio

import stichkampf
from stichkampf.archives import unpack
from stichkampf.bot import NOTE_CHARACTERS, Bot, BotFailure, Note, decide, load_bot
from stichkampf.errors import StichkampfError
from stichkampf.games import new_game
from stichkampf.rules import Game
from stichkampf.table import Table
from stichkampf.wire.events import from_wire
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import bot_pb2_grpc

WIRE_VERSION: Final = 1
FLUSH_SECONDS: Final = 0.001
"""Answers wait no longer than this for others to share a message with."""
FLUSH_BYTES: Final = 16 * 1024
MAX_WEIGHTS: Final = 100
SOCKET_VARIABLE: Final = "STICHKAMPF_SOCKET"
"""Where a program in another language finds the path of its socket."""
OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),
)
MakeBot = Callable[[str], Bot]


class Tables:
    """The open tables of a bot process.

    :param make_bot: makes the bot for a table, from the name that the table asks for ("" where there is only
        one).
    """

    def __init__(self, make_bot: MakeBot) -> None:
        self._make_bot = make_bot
        self._seats: dict[int, tuple[Bot | BotFailure, Table]] = {}

    def hear(self, update: pb.TableUpdate) -> pb.Answer | None:
        """Take in the news of a table; the answer, if a question is among them."""
        number = update.table
        if update.HasField("start"):
            self._seats[number] = self._start(update.start)
        bot, table = self._seats[number]
        table.follow([from_wire(event) for event in update.events])
        if update.HasField("end"):
            del self._seats[number]
        elif update.HasField("question"):
            question = update.question
            table.legal = list(question.legal)
            table.seconds = question.seconds
            return _answer(bot, table, pb.Answer(table=number, decision=question.decision))
        return None

    def _start(self, start: pb.TableStart) -> tuple[Bot | BotFailure, Table]:
        table = Table(_game(start.game, start.seats, start.options_json), start.seat, start.seed)
        try:
            return decide_to_play(self._make_bot, start.bot), table
        except BotFailure as failure:
            return failure, table


def decide_to_play(make_bot: MakeBot, name: str) -> Bot:
    """Make a bot for a table.

    :raises BotFailure: its `__init__` raised something.
    """
    try:
        return make_bot(name)
    except (Exception, SystemExit) as error:
        raise BotFailure("crashed", f"cannot be made: {error!r:.200}") from error


@lru_cache(maxsize=64)
def _game(name: str, seats: int, options_json: str) -> Game:
    return new_game(name, seats, json.loads(options_json))


def _answer(bot: Bot | BotFailure, table: Table, answer: pb.Answer) -> pb.Answer:
    try:
        if isinstance(bot, BotFailure):
            raise bot
        answer.action, note = decide(bot, table)
        if note is not None:
            _write_note(answer.note, note)
    except BotFailure as failure:
        answer.failure.message = str(failure)[:500]
        answer.failure.malformed = failure.kind == "malformed"
        print(f"{table.game.name}, seat {table.seat}: {failure}", file=sys.stderr, flush=True)
    return answer


def _write_note(message: pb.Note, note: Note) -> None:
    message.text = note.text[:NOTE_CHARACTERS]
    for action, weight in list(note.weights.items())[:MAX_WEIGHTS]:
        message.weights.add(action=action[:60], weight=weight)


async def serve(address: str, make_bot: MakeBot, games: Iterable[str]) -> None:
    """Play whatever tables the arbiter brings, until it ends the stream.

    Bots decide one after the other, on this thread.

    :param address: as gRPC writes it, such as "unix:/run/arbiter.sock".
    :raises grpc.aio.AioRpcError: the arbiter is not there, or refuses.
    """
    tables = Tables(make_bot)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        call = bot_pb2_grpc.BotGatewayStub(channel).Play(wait_for_ready=True)  # type: ignore[no-untyped-call]
        agent = f"stichkampf/{stichkampf.__version__} python/{platform.python_version()}"
        hello = pb.Hello(
            wire_version_min=WIRE_VERSION, wire_version_max=WIRE_VERSION, games=games, agent=agent
        )
        await call.write(pb.FromBot(hello=hello))
        while (frame := await call.read()) is not grpc.aio.EOF:
            if frame.HasField("updates"):
                await _work_off(frame.updates.tables, tables, call)
            elif frame.HasField("ping"):
                await call.write(pb.FromBot(pong=pb.Pong(number=frame.ping.number)))
        if await call.code() != grpc.StatusCode.OK:
            raise grpc.aio.AioRpcError(
                await call.code(),
                await call.initial_metadata(),
                await call.trailing_metadata(),
                await call.details(),
            )


async def _work_off(
    updates: Iterable[pb.TableUpdate], tables: Tables, call: grpc.aio.StreamStreamCall[pb.FromBot, pb.ToBot]
) -> None:
    """Answer a frame. A quick answer waits for its neighbours, a slow one does not keep them waiting."""
    frame, size, since = pb.FromBot(), 0, monotonic()
    for update in updates:
        answer = tables.hear(update)
        if answer is None:
            continue
        frame.answers.answers.append(answer)
        size += answer.ByteSize()
        if size > FLUSH_BYTES or monotonic() - since > FLUSH_SECONDS:
            await call.write(frame)
            frame, size, since = pb.FromBot(), 0, monotonic()
    if size:
        await call.write(frame)


def run(address: str, make_bot: MakeBot, games: Iterable[str] = ()) -> int:
    """`serve` from the command line; the exit status."""
    try:
        asyncio.run(serve(address, make_bot, games))
    except grpc.aio.AioRpcError as error:
        print(f"the arbiter ended the stream: {error.code().name}: {error.details()}", file=sys.stderr)
        return 1
    return 0


def play_archive(archive: Path, socket: Path) -> int:
    """Unpack a bot into a folder of its own and run it there; the exit status.

    :raises StichkampfError: not an archive, or no bot in it.
    """
    folder = Path(tempfile.mkdtemp(prefix="bot-"))
    manifest = unpack(archive.read_bytes(), folder).manifest
    os.chdir(folder)
    if manifest.command:
        program, *arguments = manifest.command
        os.execvpe(program, [program, *arguments], {**os.environ, SOCKET_VARIABLE: str(socket)})
    # As for any Python program, its own folder comes first.
    sys.path.insert(0, str((folder / manifest.entry).parent))
    bot = load_bot(folder / manifest.entry, manifest.class_name)
    return run(f"unix:{socket}", lambda _: bot(), manifest.games or tuple(bot.games))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m stichkampf.client", description="Run a bot's archive.")
    parser.add_argument("--archive", type=Path, required=True, help="a zip or tar.gz file with the bot")
    parser.add_argument("--socket", type=Path, required=True, help="the Unix socket of the arbiter")
    given = parser.parse_args(arguments)
    try:
        return play_archive(given.archive, given.socket)
    except (StichkampfError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
