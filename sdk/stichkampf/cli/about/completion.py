"""`stichkampf completion`: a script with which a shell completes commands, options, games, bots and files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from stichkampf.cli import command_parser
from stichkampf.cli.parser import add_command
from stichkampf.games import GAMES

SHELLS: Final = ("bash", "zsh", "fish")
ON_A_SITE: Final = ("bot", "opponents", "version", "against")
HOUSE: Final = "stichkampf bots --names"
MINE: Final = "stichkampf bots --mine --names 2>/dev/null"

DESCRIPTION = """\
Print a script with which a shell completes the commands, options, games, house bots and files of stichkampf,
and the names of your bots on the site, which it is asked for when you press the key.
"""
EPILOG = """\
examples:
  source <(stichkampf completion bash)                       # now; in ~/.bashrc for every shell
  stichkampf completion zsh > ~/.zfunc/_stichkampf           # a folder of fpath
  stichkampf completion fish > ~/.config/fish/completions/stichkampf.fish
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "completion",
        "print the script that completes commands in your shell",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # used by this command alone
    import shtab

    parser = command_parser()
    games = shtab.cmd("printf '%s\\n' " + " ".join(GAMES))
    for command in _commands(parser).values():
        asks_a_site = any("--site" in action.option_strings for action in command._actions)
        for action in command._actions:
            known: Any = None
            if action.dest == "game":
                known = games
            elif action.type is Path or action.dest == "record":
                known = shtab.FILE
            elif action.dest in ON_A_SITE and asks_a_site:
                known = _words(MINE if action.dest != "opponents" else f"{HOUSE}; {MINE}", "own")
            elif action.dest in ("bot", "bots", "by"):
                known = _words(HOUSE, "bots", files=True)
            if known is not None:
                action.complete = known  # type: ignore[attr-defined]  # this is how shtab is told
    print(shtab.complete(parser, shell=args.shell))
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands, and let shtab see them: help lists them in its own way."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    commands.help = "commands"
    return dict(commands.choices)


def _words(command: str, name: str, *, files: bool = False) -> dict[str, Any]:
    """Return how each shell offers the words that a command prints, and files as well."""
    function = f"_stichkampf_{name}_{len(command)}"
    more = "\n  compgen -f -- $1" * files
    return {
        "bash": function,
        "zsh": f"{{compadd $({command}){'; _files' * files}}}",
        "fish": f"({command}){' (__fish_complete_path (commandline -ct))' * files}",
        "preamble": {"bash": f'{function}() {{\n  compgen -W "$({command})" -- $1{more}\n}}'},
    }
