"""`stichkampf new`: the project of a bot, which plays and passes at once."""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.registry import house_bots
from stichkampf.cli.parser import add_command
from stichkampf.cli.project.program_files import LANGUAGES as LANGUAGES_OF_PROGRAMS
from stichkampf.cli.project.project_files import KINDS, LANGUAGES, PYTHON, first_table, project_files
from stichkampf.errors import BotError
from stichkampf.games import GAMES, game_class
from stichkampf.packaging.manifest import NAME_CHARACTERS

NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")

DESCRIPTION = """\
Make the project of a bot: a typed bot that plays at once, its test, and a README with the next steps.
"""
EPILOG = f"""\
kinds: rules (rules of thumb, and a look one action ahead where no rule holds), search (looks ahead by
Monte-Carlo tree search for a share of its clock), net (a network for one game, which its train.py lets learn
from that search; needs stichkampf[train]); the last two in Python only, because they need the rules
languages: python (a class that uses the SDK), javascript (for Node), cpp (linked statically by you),
lines (a program that can be rewritten in any language); all but the first read and write lines of JSON, and
choose the first action until you change them
games: {", ".join(GAMES)}

examples:
  stichkampf new karl
  stichkampf new karl --game mue --kind search
  stichkampf new karl --game stiche-raten --kind net
  stichkampf new karl --language javascript
  stichkampf play mue karl {" ".join(list(house_bots())[3:6])} && stichkampf check karl
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "new",
        "make the project of a bot that plays at once",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("name", metavar="NAME", type=Path, help="the folder to make; its name is the bot's")
    parser.add_argument("--game", metavar="GAME", help="the game that it plays (default: every game)")
    parser.add_argument(
        "--kind", choices=KINDS, default=KINDS[0], help=f"how it thinks (default: {KINDS[0]})"
    )
    parser.add_argument("--language", choices=LANGUAGES, default=PYTHON, help=f"default: {PYTHON}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    folder: Path = args.name
    name = folder.name
    if not NAME.fullmatch(name) or len(name) > NAME_CHARACTERS:
        raise BotError(
            f"a bot cannot be called {name!r}; a name has letters, digits and hyphens, a letter first, and at"
            f" most {NAME_CHARACTERS} of them"
        )
    if args.language != PYTHON and args.kind != KINDS[0]:
        raise BotError(
            f"--kind {args.kind} needs the rules, which the SDK has for Python; leave out --kind, or"
            f" --language {args.language}"
        )
    game = game_class(args.game) if args.game else None
    files = project_files(name, args.kind, args.language, game)
    _write(folder, files)
    shown = folder.as_posix()
    print(f"made {shown}: {', '.join(files)}")
    build = LANGUAGES_OF_PROGRAMS[args.language].build if args.language != PYTHON else ""
    if build:
        print(f"then, in {shown}: {build}")
    print(f"next: stichkampf play {first_table(shown, game)}")
    return 0


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the whole project, or nothing.

    :raises BotError: the folder is there already, or cannot be written.
    """
    if folder.exists():
        raise BotError(f"{folder} is there already; choose another name, or remove it")
    temporary = None
    try:
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        for name, content in files.items():
            (temporary / name).write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.chmod(0o755)
        temporary.rename(folder)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                shutil.rmtree(temporary)
        raise BotError(f"cannot make {folder}: {error.strerror}") from None
