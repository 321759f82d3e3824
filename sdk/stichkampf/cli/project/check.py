"""`stichkampf check`: what the server's validation would say of a bot."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command
from stichkampf.cli.terminal import coloured
from stichkampf.errors import ArchiveError
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import in_folder
from stichkampf.local_play.validation import Level
from stichkampf.packaging.archive import pack, unpack

REJECTED: Final = 1
NOT_TRIED: Final = (
    "Not tried here: the server's sandbox (no network, no files but its own, its limit of memory, its"
    " programs and libraries only)."
)
COLOURS: Final = {"info": "", "good": "green", "bad": "red"}

DESCRIPTION = """\
Say what the server's validation would say: check the archive, then play a match in each of the bot's games
against house bots under the server's clock, without a fault. Folders and Python files are packed first.
"""
EPILOG = f"""\
examples:
  stichkampf check karl
  stichkampf check karl.zip --json

exit status: 0 it would be accepted, {REJECTED} it would be rejected, 2 there is nothing to check
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "check",
        "say what the server's validation would say",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("path", metavar="PATH", type=Path, help="a folder, a Python file or an archive")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    lines: list[dict[str, str]] = []

    def tell(text: str, level: Level) -> None:
        lines.append({"level": level, "text": text})
        if not args.json:
            colour = COLOURS[level]
            print(coloured(text, colour, sys.stdout) if colour else text, flush=True)

    if not args.path.exists():
        raise ArchiveError(f"there is no file or folder {args.path}")
    passed, wrong = _verdict(args.path, tell)
    accepted = bool(passed) and not wrong
    if args.json:
        verdict = {"accepted": accepted, "games": passed, "reason": wrong, "log": lines}
        print(json.dumps({**verdict, "not_tried": NOT_TRIED}, indent=2, ensure_ascii=False))
    else:
        verdict_text = f"Accepted for {', '.join(passed)}." if accepted else f"Rejected: {wrong}"
        print(coloured(verdict_text, "green" if accepted else "red", sys.stdout))
        print(NOT_TRIED)
    return 0 if accepted else REJECTED


def _verdict(path: Path, tell: Any) -> tuple[list[str], str]:
    try:
        packable = path.is_dir() or path.suffix == ".py"
        content = pack(path) if packable else path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror}") from None
    except ArchiveError as error:
        return [], str(error)
    with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
        try:
            archive = unpack(content, Path(folder))
        except ArchiveError as error:
            return [], str(error)
        tell(archive.receipt(), "info")
        program = in_folder(path.as_posix(), Path(folder), archive.manifest)
        validation = HomeValidation(program, tell)
        validation.announce(1)
        return validation.try_games()
