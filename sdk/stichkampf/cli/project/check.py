"""`stichkampf check`: what the server's validation would say of a bot."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command
from stichkampf.cli.terminal import coloured
from stichkampf.errors import ArchiveError
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import games_named, in_folder
from stichkampf.local_play.validation import Level, Verdict
from stichkampf.packaging.archive import pack, unpack
from stichkampf.plain_text import json_text

REJECTED: Final = 1
NOT_TRIED: Final = (
    "Not tried here: the server's sandbox (no network, no files but its own, its limit of memory, its"
    " programs and libraries only)."
)
COLOURS: Final = {"info": "", "good": "green", "bad": "red"}

DESCRIPTION = """\
Say what the server's validation would say: check the archive, then play matches of each of the bot's games
against house bots, with every number of seats and under the ladders' rules and clock, without a fault; two
minutes at most. Folders and Python files are packed first.

Where this machine has the server's sandbox (Linux, bubblewrap, stichkampf[sandbox]) the bot plays in it;
elsewhere in a process of its own, and the last line says what was not tried.
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
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--sandbox", action="store_true", help="in the sandbox or not at all")
    which.add_argument("--no-sandbox", action="store_true", help="without the sandbox, where there is one")
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
    verdict, not_tried = _verdict(args, tell)
    accepted = bool(verdict.games) and not verdict.reason
    if args.json:
        told = {"accepted": accepted, **verdict._asdict(), "log": lines, "not_tried": not_tried}
        print(json_text(told))
    else:
        text = f"Accepted for {', '.join(verdict.games)}." if accepted else f"Rejected: {verdict.reason}"
        print(coloured(text, "green" if accepted else "red", sys.stdout))
        for line in filter(None, (verdict.left_out, not_tried)):
            print(line)
    return 0 if accepted else REJECTED


def _verdict(args: argparse.Namespace, tell: Any) -> tuple[Verdict, str]:
    """Return the verdict, and what was not tried."""
    path: Path = args.path
    try:
        packable = path.is_dir() or path.suffix == ".py"
        content = pack(path) if packable else path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror}") from None
    except ArchiveError as error:
        return Verdict([], str(error), ""), ""
    with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
        try:
            archive = unpack(content, Path(folder))
        except ArchiveError as error:
            return Verdict([], str(error), ""), ""
        tell(archive.receipt(), "info")
        games = games_named(archive.manifest.games, path.as_posix())
        if not args.no_sandbox:
            # gRPC is loaded for the sandbox alone
            from stichkampf.sandboxed.private_arbiter import PrivateArbiter, SandboxMissing
            from stichkampf.sandboxed.validation import SandboxedValidation

            try:
                with PrivateArbiter() as arbiter:
                    sandboxed = SandboxedValidation(arbiter, content, games, tell)
                    sandboxed.announce(1)
                    return sandboxed.try_games(), arbiter.shortcoming
            except SandboxMissing as error:
                if args.sandbox:
                    raise
                tell(f"Without the sandbox: {error}.", "info")
        program = in_folder(path.as_posix(), Path(folder), archive.manifest)
        validation = HomeValidation(program, tell)
        validation.announce(1)
        return validation.try_games(), NOT_TRIED
