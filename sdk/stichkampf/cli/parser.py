"""The parser of the command line: help with examples, and a suggestion for what was mistyped."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Any, Final, NoReturn

from stichkampf.plain_text import did_you_mean
from stichkampf.whole_numbers import whole_number

UNUSABLE: Final = 2  # exit status for input that cannot be used at all
USUAL_STATUS: Final = f"exit status: 0 done, {UNUSABLE} input or settings that cannot be used\n"
_SHOWN: Final = 12
MOST_ELO: Final = 10_000


class CommandParser(argparse.ArgumentParser):
    """A parser that reports an error in one line and refuses what it does not know itself."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            options = [option for action in self._actions for option in action.option_strings]
            kind = "option" if word.startswith("-") else "argument"
            self.error(f"unknown {kind} {word!r}{did_you_mean(word, options)}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            possible = [str(choice) for choice in action.choices]
            what = "command" if isinstance(action, argparse._SubParsersAction) else "value"
            listed = f"; possible: {', '.join(possible)}" if len(possible) <= _SHOWN else ""
            self.error(f"unknown {what} {value!r}{did_you_mean(str(value), possible) or listed}")

    def without_action(self) -> int:
        """Show the help of a command that has actions of its own, where none is named."""
        self.print_help()
        return UNUSABLE

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and end with the status of unusable input."""
        print(f"{self.prog}: {message} (`{self.prog} --help` tells more)", file=sys.stderr)
        sys.exit(UNUSABLE)


def add_command(
    subparsers: Any, name: str, summary: str, *, description: str, epilog: str = ""
) -> CommandParser:
    """Add a subcommand and its summary in the list of commands.

    :param epilog: what follows on the options: examples, and its exit status if that can be 1.
    """
    if "exit status" not in epilog:
        epilog = f"{epilog.rstrip()}\n\n{USUAL_STATUS}".lstrip()
    parser: CommandParser = subparsers.add_parser(name, help=summary, description=description, epilog=epilog)
    parser.set_defaults(summary=summary)
    return parser


def elo(text: str) -> float:
    """Read a difference of ratings of a command line."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not abs(number) <= MOST_ELO:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from -{MOST_ELO} to {MOST_ELO}")
    return number


def positive(text: str) -> int:
    """Read a number of matches or tables of a command line."""
    number = whole_number(text)
    if not number:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 999999999")
    return number
