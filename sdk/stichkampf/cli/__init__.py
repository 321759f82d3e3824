"""The `stichkampf` command.

Each subcommand is a module of this folder with `register(subparsers)` and `run(args) -> int`, listed in
`_SUBCOMMANDS`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from stichkampf import __version__
from stichkampf.errors import StichkampfError

# In the order of the help text. A module imports heavy packages (grpc, numpy) in `run`, not at its top.
_SUBCOMMANDS = ("play", "verify", "rate", "connect", "pack", "games", "bots")

UNUSABLE = 2  # exit status for input that cannot be used at all
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    args = _parser().parse_args(arguments)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except StichkampfError as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("stichkampf: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="stichkampf",
        description="Competition among bots in seven trick-taking card games.",
        epilog="`stichkampf COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"stichkampf {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _SUBCOMMANDS:
        import_module(f"{__name__}.{name}").register(subparsers)
    return parser


def positive(text: str) -> int:
    """Read a number of matches or tables of a command line."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 999999999")
    return int(text)
