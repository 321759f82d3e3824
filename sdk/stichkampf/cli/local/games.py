"""`stichkampf games`: list the games with their seats and options."""

from __future__ import annotations

import argparse
import json
from typing import Any

from stichkampf.cli.local.matches import rules_told
from stichkampf.cli.parser import add_command
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.games import GAMES, game_class, new_game
from stichkampf.plain_text import json_text
from stichkampf.time_control import LADDER_CLOCK


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "games",
        "list games, their seats and options",
        description="List games with their seats and options, in brackets the default with the fewest seats;"
        " and the table of each game's main ladder: `play` and `duel` play with its options and clock.",
    )
    parser.add_argument("game", metavar="GAME", nargs="?", help="only this game")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    games = [game_class(args.game)] if args.game else list(GAMES.values())
    if args.json:
        print(json_text([to_json(game) for game in games]))
        return 0
    print("\n\n".join(describe(game) for game in games))
    return 0


def describe(game: type[Game]) -> str:
    """Describe a game: name, seats, and a line for each option."""
    seats = game.players
    lines = [f"{game.name}  ({', '.join(map(str, seats))} seats)"]
    defaults = new_game(game.name, seats[0]).options
    width = max(len(option.name) for option in game.specification)
    for option in game.specification:
        default = defaults.get(option.name, option.default(seats[0], defaults))
        lines.append(f"  {option.name.ljust(width)}  {option.allowed}  [{json.dumps(default)}]")
    ladder = game.main_ladder
    rules = rules_told(new_game(game.name, ladder.seats, ladder.options), LADDER_CLOCK)
    lines.append(f"  main ladder: {ladder.seats} seats; {rules.partition(' (')[0]}")
    return "\n".join(lines)


def to_json(game: type[Game]) -> dict[str, Json]:
    """Return a game with its options; their defaults are those for the fewest seats."""
    seats = game.players
    defaults = new_game(game.name, seats[0]).options
    options = {
        option.name: {
            "allowed": str(option.allowed),
            "default": defaults.get(option.name, option.default(seats[0], defaults)),
        }
        for option in game.specification
    }
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(seats),
        "options": options,
        "main_ladder": _ladder(game),
    }


def _ladder(game: type[Game]) -> dict[str, Json]:
    ladder = game.main_ladder
    options = dict(new_game(game.name, ladder.seats, ladder.options).options)
    return {"seats": ladder.seats, "options": options, "time_control": LADDER_CLOCK.to_json()}
