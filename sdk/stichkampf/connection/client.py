"""The client in a sandbox: it loads the bot of an archive and plays its tables.

    python -m stichkampf.client --archive karl.zip --socket arbiter.sock

Most of what a cheap bot costs is the start of its process, so nothing is imported here that a plain bot does
without: no asyncio, gRPC, protobuf library, archive modules or parser of arguments.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import Final, NoReturn

from stichkampf.bots.bot import Bot, load_program
from stichkampf.connection.frames import Frames
from stichkampf.connection.open_tables import MakeBot, OpenTables, hello
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, game_class
from stichkampf.packaging.manifest import MANIFEST_NAME, Manifest
from stichkampf.packaging.parts import PARTS
from stichkampf.packaging.plain_archive import unpack_plain
from stichkampf.wire.messages import Message, WireError

SOCKET_VARIABLE: Final = "STICHKAMPF_SOCKET"
"""The environment variable in which a program in another language finds the path of its socket."""
CO_COROUTINE: Final = 0x80
"""As in `inspect`, which takes ten milliseconds to import."""
USAGE: Final = "usage: python -m stichkampf.client --archive ARCHIVE --socket SOCKET"


def play(socket: str, make_bot: MakeBot, games: Iterable[str]) -> int:
    """Play the tables that the arbiter brings, until it ends the stream; returns the exit status.

    :raises OSError: the connection was lost.
    """
    tables = OpenTables(make_bot)
    frames = Frames(socket)
    frames.send(hello(games))
    while (frame := frames.receive()) is not None:
        if frame.HasField("updates"):
            for message in tables.process_updates(frame.updates.tables):
                frames.send(message)
        elif frame.HasField("ping"):
            frames.send(Message("FromBot", pong=Message("Pong", number=frame.ping.number)))
        elif frame.HasField("refusal"):
            status, reason = frame.refusal.status, frame.refusal.reason
            print(f"the arbiter ended the stream: {status}: {reason}", file=sys.stderr)
            return 1
    return 0


def play_archive(archive: str, socket: str, told: str = "") -> int:
    """Unpack a bot into a folder of its own and run it there; returns the exit status.

    :param told: the manifest, from an arbiter that has checked the archive; else both are checked here.
    :raises StichkampfError: not an archive, or no bot in it.
    """
    folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"bot-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    with open(archive, "rb") as file:
        content = file.read()
    manifest = Manifest.from_told(told) if told else None
    if manifest is None or not unpack_plain(content, folder, manifest.program):
        # where a usual archive is told about, neither these nor a parser of manifests are loaded
        from pathlib import Path

        from stichkampf.packaging.archive import unpack

        manifest = unpack(content, Path(folder)).manifest
    os.chdir(folder)
    if manifest.command:
        bot = _of_command(manifest, socket)
    else:
        bot = load_program(manifest.entry, manifest.class_name, manifest.values)
    games = manifest.games or tuple(bot.games)
    load_what_it_needs(bot, games)
    return play(socket, lambda _: bot(), games)


def load_what_it_needs(bot: type[Bot], games: Iterable[str]) -> None:
    """Load the rules of its games, and an event loop for one that decides with `async`.

    Before the first table, as time from then on is the bot's own.
    """
    for name in tuple(games) or GAMES:
        if name in GAMES:
            game_class(name)
    code = getattr(bot.choose, "__code__", None)
    if code is None or code.co_flags & CO_COROUTINE or "asyncio" in sys.modules:
        import stichkampf.bots.event_loop  # noqa: F401 - asyncio, which most bots do without


def _of_command(manifest: Manifest, socket: str) -> type[Bot]:
    """Return the bot of a program that speaks JSON lines; one that speaks gRPC takes this one's place.

    :raises StichkampfError: it is not there.
    """
    if manifest.speaks_grpc:
        _become(manifest.command, socket)
    # starts programs, which a bot in Python does not
    from stichkampf.bots.program_bot import program_bot

    bot = program_bot(manifest.command)
    bot.prepare()
    return bot


def _become(command: tuple[str, ...], socket: str) -> NoReturn:
    """Go on as the program of a manifest, which dials in itself.

    :raises StichkampfError: it is not there.
    """
    program = command[0]
    try:
        os.execvpe(program, command, {**os.environ, SOCKET_VARIABLE: socket})
    except FileNotFoundError:
        raise StichkampfError(
            f"{program!r}, or the program that its first line names, is not there: ask for the part that"
            f" holds it in {MANIFEST_NAME}, such as parts = ['perl'] (there are {', '.join(PARTS)})"
        ) from None


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    named = dict(zip(given[::2], given[1::2], strict=False))
    unknown = named.keys() - {"--archive", "--socket", "--manifest"}
    if len(given) % 2 or unknown or not {"--archive", "--socket"} <= named.keys():
        print(USAGE, file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a bot is killed at its end: nothing may wait for it
    try:
        return play_archive(named["--archive"], named["--socket"], named.get("--manifest", ""))
    except (StichkampfError, WireError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
