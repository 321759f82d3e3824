"""Arguments of the commands that play matches: options of the game, the clock, seeds."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

from stichkampf.bots.practice import PlayedMatch
from stichkampf.cli.parser import positive
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import OptionError, TimeControlError
from stichkampf.games import game_class, new_game
from stichkampf.local_play.series import MatchOrder, Series
from stichkampf.time_control import LADDER_CLOCK, TimeControl

LADDER: Final = "ladder"
FULL: Final = "full"
RULES: Final = (LADDER, FULL)


class AnySeries(Protocol):
    """Matches of one game, at home or in the sandbox."""

    def play(self, orders: Iterable[MatchOrder]) -> Iterator[PlayedMatch]:
        """Play matches; each is yielded as soon as it and those before it are over."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that plays matches."""
    rules = parser.add_mutually_exclusive_group()
    rules.add_argument(
        "--rules",
        choices=RULES,
        default=LADDER,
        help="the options that -o changes: those of the game's main ladder, or the full match that its rules"
        " describe (default: ladder; `stichkampf games GAME` prints both)",
    )
    rules.add_argument(
        "--ladder", dest="rules", action="store_const", const=LADDER, help="the same as --rules ladder"
    )
    parser.add_argument(
        "-o",
        dest="options",
        metavar="OPTION=VALUE",
        action="append",
        default=[],
        help="set an option of the game; VALUE is JSON where it parses, else text. May be repeated",
    )
    parser.add_argument(
        "--seed",
        metavar="S",
        help="deal and play exactly as the last time with this seed: any text, or the 64 hex digits that a"
        " record names as its seed (default: drawn, and printed)",
    )
    parser.add_argument(
        "--clock",
        metavar="MOVE,BANK,CAP",
        type=_time_control,
        default=LADDER_CLOCK,
        help="seconds for a decision, in the bank, and at most for a decision"
        f" (default: {LADDER_CLOCK}, as on the main ladders)",
    )
    parser.add_argument(
        "--no-clock",
        action="store_true",
        help="no time limits, and every bot in this process: breakpoint() stops in a debugger",
    )
    parser.add_argument(
        "--sandbox",
        action="store_true",
        help="play in the server's sandbox, with its limits; it needs Linux, bubblewrap and"
        " stichkampf[sandbox]",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=positive, default=1, help="matches to play at once (default: 1)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the results as JSON; seats and deals count from 0 there"
    )


def game_of(args: argparse.Namespace, seats: int) -> Game:
    """Return the game that the options describe.

    :raises StichkampfError: there is no such game, or not with these seats or options.
    """
    base = game_class(args.game).main_ladder.options if args.rules == LADDER else {}
    return new_game(args.game, seats, {**base, **options_from(args.options)})


def rules_told(game: Game, control: TimeControl | None) -> str:
    """Tell in a line under which rules and clock is played, and whether they are the main ladder's.

    :param control: the time control; None for no clock.
    """
    options = " ".join(f"{name}={_value(value)}" for name, value in game.options.items())
    clock = "no clock" if control is None else f"clock {control}"
    ladder = type(game).main_ladder
    others = []
    if dict(game.options) != new_game(game.name, game.seats, ladder.options).options:
        others.append("rules")
    if control != LADDER_CLOCK:
        others.append("clock")
    if game.seats != ladder.seats:
        others.append(f"seats (there {ladder.seats})")
    as_on = f"not the main ladder's: {', '.join(others)}" if others else "as on the main ladder"
    return f"rules: {options}; {clock} ({as_on})"


def rules_given(args: argparse.Namespace) -> list[str]:
    """Return the options of a command line that change rules, clock or place, for another command."""
    words = [word for setting in args.options for word in ("-o", setting)]
    if args.rules != LADDER:
        words += ["--rules", args.rules]
    if args.no_clock:
        words.append("--no-clock")
    elif args.clock != LADDER_CLOCK:
        words += ["--clock", str(args.clock)]
    return [*words, *(["--sandbox"] if args.sandbox else [])]


def _value(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def control_of(args: argparse.Namespace) -> TimeControl | None:
    """Return the time control that the options describe; None for no clock."""
    control: TimeControl | None = None if args.no_clock else args.clock
    return control


def series_of(args: argparse.Namespace, game: Game) -> AnySeries:
    """Return the series that the options describe.

    :raises OptionError: two options that exclude each other.
    """
    if args.sandbox:
        if args.no_clock:
            raise OptionError("--no-clock plays in this process, and --sandbox in others: give one of them")
        # gRPC is loaded for the sandbox alone
        from stichkampf.sandboxed.series import SandboxedSeries

        return SandboxedSeries(game, args.clock, args.jobs)
    return Series(game, control_of(args), args.jobs)


def seed_of(args: argparse.Namespace) -> str:
    return secrets.token_hex(8) if args.seed is None else args.seed


def options_from(settings: list[str]) -> dict[str, Any]:
    """Read the options of `-o OPTION=VALUE` arguments.

    :raises OptionError: for one without a `=`, and for an option that is set twice.
    """
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise OptionError(f"-o takes OPTION=VALUE, such as -o length=deals:4, not {setting!r}")
        if name in options:
            raise OptionError(f"-o {name} is given twice")
        try:
            options[name] = json.loads(text)
        except (ValueError, RecursionError):
            options[name] = text
    return options


def _time_control(text: str) -> TimeControl:
    try:
        move, bank, cap = map(float, text.split(","))
        return TimeControl(move_seconds=move, bank_seconds=bank, cap_seconds=cap)
    except TimeControlError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not three numbers of seconds between commas, such as {LADDER_CLOCK}"
        ) from None
