"""Bots that can take a seat on this machine: house bots, Python files, programs, folders and archives."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Final

from stichkampf.bots.bot import Bot, load_program
from stichkampf.bots.practice import HOUSE
from stichkampf.bots.program_bot import program_bot
from stichkampf.bots.registry import house_bots, is_named, named_bot
from stichkampf.engine.deal import Json
from stichkampf.errors import ArchiveError, BotError
from stichkampf.games import GAMES
from stichkampf.packaging.archive import unpack
from stichkampf.packaging.manifest import LINES, MANIFEST_NAME, Manifest, read_manifest
from stichkampf.plain_text import did_you_mean

ARCHIVES: Final = (".zip", ".tar.gz", ".tgz")


@dataclass(frozen=True)
class LocalProgram:
    """A bot that can take a seat, in any process of this machine.

    :ivar name: the name in the record: "house/thumb", or the path as it was given.
    :ivar house: the name of a house bot, alone or with its version; empty for others.
    :ivar entry: the Python file, below `folder` where that is set; empty for a house bot.
    :ivar class_name: which bot of that file; empty for the only one.
    :ivar command: a program that speaks JSON lines, and its arguments; empty for a bot in Python.
    :ivar folder: of a bot with files of its own: in a process of its own it runs there, as on the server.
    :ivar games: the games that its manifest names; empty where its class decides.
    :ivar values: what attributes of its class are set to, by name.
    :ivar source: the file or folder that holds it, from which an archive of it can be made; else empty.
    """

    name: str
    house: str = ""
    entry: str = ""
    class_name: str = ""
    command: tuple[str, ...] = ()
    folder: str = ""
    games: tuple[str, ...] = ()
    source: str = ""
    values: tuple[tuple[str, float], ...] = ()

    def load(self) -> type[Bot]:
        """Load the class of the bot in this process.

        :raises BotError: the file holds no usable bot.
        """
        if self.house:
            return named_bot(self.house)
        if self.command:
            bot = program_bot(self.command, Path(self.folder), self.games)
            bot.prepare()
            return bot
        return load_program(Path(self.folder, self.entry), self.class_name, self.values)

    def load_alone(self) -> type[Bot]:
        """Change to its folder and load it from there, in a process that it has for itself.

        :raises BotError: the file holds no usable bot.
        """
        if self.folder:
            os.chdir(self.folder)
        return replace(self, folder="").load()

    def to_json(self) -> dict[str, Json]:
        """Return its entry in a record."""
        return {"bot": self.name, **({"version": named_bot(self.house).version} if self.house else {})}


def local_program(text: str, *, hosted: bool = False) -> LocalProgram:
    """Find a bot: a house bot by its name, also with "house/" or a version, a Python file, a folder, an
    archive, or a program that speaks JSON lines: an executable file, or a command as one text.

    :param hosted: it is to play in a sandbox, where a program may also speak gRPC.
    :raises StichkampfError: it is none of these, or no bot that can play here.

    >>> local_program("thumb").to_json()
    {'bot': 'house/thumb', 'version': 2}
    """
    name = text.removeprefix(HOUSE)
    if is_named(name):
        return LocalProgram(HOUSE + named_bot(name).name, house=name)
    path = Path(text)
    if path.is_dir():
        program = in_folder(path.as_posix(), path, _manifest_of(path), hosted=hosted)
        return replace(program, source=str(path.resolve()))
    if path.suffix == ".py":
        if not path.is_file():
            raise BotError(f"there is no file {path}")
        return LocalProgram(path.as_posix(), entry=str(path.resolve()), source=str(path.resolve()))
    if path.is_file():
        if os.access(path, os.X_OK) and not path.name.endswith(ARCHIVES) and not zipfile.is_zipfile(path):
            return LocalProgram(
                path.as_posix(),
                command=(f"./{path.name}",),
                folder=str(path.parent.resolve()),
                source=str(path.resolve()),
            )
        return replace(_from_archive(path, hosted=hosted), source=str(path.resolve()))
    command = _command_of(text)
    if command:
        return LocalProgram(text, command=command)
    raise BotError(
        f"no bot {text!r}: it is neither a house bot ({', '.join(house_bots())}) nor a Python file, folder,"
        f" archive or program{did_you_mean(name, house_bots())}"
    )


def _command_of(text: str) -> tuple[str, ...]:
    """Return the words of a command with arguments, whose program is there; empty where it is none."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark that does not end
        return ()
    return tuple(words) if len(words) > 1 and shutil.which(words[0]) else ()


def _manifest_of(folder: Path) -> Manifest:
    try:
        return read_manifest((folder / MANIFEST_NAME).read_bytes())
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise BotError(f"cannot read {folder / MANIFEST_NAME}: {error.strerror}") from None


def _from_archive(path: Path, *, hosted: bool) -> LocalProgram:
    folder = Path(tempfile.mkdtemp(prefix="stichkampf-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    try:
        manifest = unpack(path.read_bytes(), folder).manifest
        return in_folder(path.as_posix(), folder, manifest, hosted=hosted)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror}") from None


def games_named(games: str | Iterable[str], where: str) -> tuple[str, ...]:
    """Return the names of games that a bot gives; a lone text is one name.

    :raises BotError: a game that does not exist.

    >>> games_named("mue", "bot.py")
    ('mue',)
    """
    names = (games,) if isinstance(games, str) else tuple(games)
    for name in names:
        if name not in GAMES:
            raise BotError(
                f"{where} plays {name!r}, which is no game{did_you_mean(str(name), GAMES)}; there are"
                f" {', '.join(GAMES)}"
            )
    return names


def in_folder(name: str, folder: Path, manifest: Manifest, *, hosted: bool = False) -> LocalProgram:
    """Return the bot whose files are in a folder.

    :param hosted: it is to play in a sandbox, where a program may also speak gRPC.
    :raises BotError: it is none that can play here.
    """
    games = games_named(manifest.games, name)
    if manifest.protocol == LINES or (manifest.command and hosted):
        return LocalProgram(name, command=manifest.command, folder=str(folder.resolve()), games=games)
    if manifest.command:
        raise BotError(
            f"{name} runs the program {manifest.command[0]!r}, which speaks gRPC; with --sandbox it plays"
            f" here, without it bots in Python and programs with protocol = {LINES!r}"
        )
    entry = folder / manifest.entry
    if not entry.is_file():
        raise BotError(f"there is no bot in {name}: it has no file {manifest.entry}")
    return LocalProgram(
        name,
        entry=manifest.entry,
        class_name=manifest.class_name,
        folder=str(folder.resolve()),
        games=games,
        values=manifest.values,
    )
