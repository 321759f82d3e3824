"""`stichkampf rules`: print the rules of a game."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.rulebook.pages import LANGUAGES
from stichkampf.rulebook.text import rules_text


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "rules",
        "print the rules of a game",
        description="Print the rules of a game, its options and the words of its actions as plain text.",
        epilog="examples:\n  stichkampf rules mue --lang de\n  stichkampf rules mue > prompt.txt",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="the language; en by default")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    print(rules_text(args.game, args.lang))
    return 0
