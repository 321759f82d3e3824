"""`stichkampf completion`: a script with which a shell completes commands, options, games and files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from stichkampf.cli import command_parser
from stichkampf.cli.parser import add_command
from stichkampf.games import GAMES

SHELLS: Final = ("bash", "zsh", "fish")

DESCRIPTION = """\
Print a script with which a shell completes the commands, options, games and files of stichkampf.
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
    names = shtab.cmd("printf '%s\\n' " + " ".join(GAMES))
    for command in _commands(parser).values():
        for action in command._actions:
            if action.dest == "game":
                action.complete = names  # type: ignore[attr-defined]  # this is how shtab is told
            elif action.type is Path or action.dest in ("bot", "bots", "record"):
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, shell=args.shell))
    return 0


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands, and let shtab see them: help lists them in its own way."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    commands.help = "commands"
    return dict(commands.choices)
