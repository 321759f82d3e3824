"""`stichkampf facts`: list the phases, facts and secrets of a game."""

from __future__ import annotations

import argparse
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.games import GAMES, game_class
from stichkampf.games.facts import facts_json, facts_markdown, facts_text
from stichkampf.plain_text import json_text


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "facts",
        "list the phases, facts and secrets of a game",
        description="List what a bot finds in table.phase, table.facts and table.secrets: "
        "keys, types, meaning, and when there is a value.",
        epilog="example:\n  stichkampf facts mue",
    )
    parser.add_argument("game", metavar="GAME", nargs="?", help="only this game")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    games = [game_class(args.game)] if args.game else list(GAMES.values())
    if args.format == "json":
        sheets = [facts_json(game) for game in games]
        print(json_text(sheets[0] if args.game else sheets))
    else:
        tell = facts_markdown if args.format == "markdown" else facts_text
        print("\n\n".join(tell(game) for game in games))
    return 0
