"""The `stichkampf` command.

Each subcommand is a module of a folder here, listed in `_GROUPS`, with `register(subparsers)` and
`run(args) -> int`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from stichkampf import __version__
from stichkampf.cli.configuration import (
    API_TOKEN_VARIABLE,
    FILE_VARIABLE,
    SITE_VARIABLE,
    ConfigurationError,
    path,
)
from stichkampf.cli.parser import UNUSABLE, CommandParser
from stichkampf.cli.streams import discard, guarded_streams
from stichkampf.errors import StichkampfError

# In the order of the help text. A module imports heavy packages (grpc, numpy) in `run`, not at its top.
_GROUPS: Final = {
    "at home": (
        "project.new",
        "local.play",
        "local.duel",
        "local.run",
        "project.check",
        "project.debug",
        "project.pack",
    ),
    "on a server": (
        "server.login",
        "server.whoami",
        "server.submit",
        "server.status",
        "server.act",
        "experiment.challenge",
        "experiment.compare",
        "experiment.counterfactual",
        "experiment.experiments",
        "entry.enter",
        "entry.withdraw",
        "server.logs",
        "server.faults",
        "server.matches",
        "server.records",
        "remote.connect",
    ),
    "for organisers": ("organise.organise",),
    "results": (
        "local.rate",
        "local.verify",
        "local.view",
        "local.watch",
        "local.marks",
    ),
    "for research": (
        "research.benchmark",
        "research.dataset",
        "research.tune",
    ),
    "what there is": (
        "local.games",
        "about.rules",
        "about.facts",
        "local.bots",
        "about.completion",
    ),
}
INTERRUPTED: Final = 130


def _settings() -> str:
    try:
        return str(path())
    except ConfigurationError:
        return "the user's folder for settings"


_EPILOG = f"""\
examples:
  stichkampf play sticheln bot.py thumb thumb random --matches 20
  stichkampf play --help

exit status:
  0    done
  1    done, and the answer is no: a bot with a fault, a record that breaks the rules, a refusal of the server
  {UNUSABLE}    nothing done: input or settings that cannot be used
  {INTERRUPTED}  interrupted

settings: {_settings()} or the file that {FILE_VARIABLE} names;
{SITE_VARIABLE} and {API_TOKEN_VARIABLE} go before it. NO_COLOR switches colours off.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    with guarded_streams() as has_output:
        if not has_output:
            print("stichkampf: the standard output is closed; > /dev/null throws it away", file=sys.stderr)
            return UNUSABLE
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    parser = command_parser()
    try:
        try:
            args = parser.parse_args(arguments)
            if args.run is None:
                parser.print_help()
                return UNUSABLE
            status: int = args.run(args)
            return status
        finally:
            sys.stdout.flush()
    except StichkampfError as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("stichkampf: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output, such as `head`, has ended
        discard(sys.stdout)
        return 0
    except OSError as error:
        # a full disk, mostly; files that the user names are reported where they are written
        where = error.filename or "the output or a temporary file"
        print(f"stichkampf: cannot write {where}: {error.strerror or error}", file=sys.stderr)
        discard(sys.stdout)
        return UNUSABLE


def command_parser() -> CommandParser:
    """Make the parser of the whole command line."""
    parser = CommandParser(prog="stichkampf", usage="stichkampf COMMAND …", epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"stichkampf {__version__}")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(metavar="COMMAND", prog="stichkampf", help=argparse.SUPPRESS)
    for modules in _GROUPS.values():
        for name in modules:
            import_module(f"{__name__}.{name}").register(subparsers)
    parser.description = _overview(subparsers.choices)
    return parser


def _overview(commands: dict[str, Any]) -> str:
    """List the commands in groups, each with its summary."""
    width = max(map(len, commands))
    lines = ["Competition among bots in seven trick-taking card games."]
    for title, modules in _GROUPS.items():
        lines += ["", f"{title}:"]
        names = [module.rpartition(".")[2] for module in modules]
        lines += [f"    {name.ljust(width)}  {commands[name].get_default('summary')}" for name in names]
    return "\n".join([*lines, "", "`stichkampf COMMAND --help` explains a command, with examples."])
