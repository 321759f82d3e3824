"""The validation of a bot: one match in each of its games against house bots, told line by line.

The same on the server and at home; subclasses say how a match is played and where the lines go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal, NamedTuple, Protocol

from stichkampf.engine.deal import Json
from stichkampf.games import GAMES, new_game
from stichkampf.match.records import moves, steps
from stichkampf.time_control import TimeControl

TIME_CONTROL: Final = TimeControl(move_seconds=2.0, bank_seconds=10.0, cap_seconds=5.0)
PRINTED_LINES: Final = 5
"""Lines of a bot's output that are told; all of it is kept."""
PRINTED_CHARACTERS: Final = 64 * 1024
GAMES_FAILED: Final = 2
"""Games with a fault after which a run ends: a bot that hangs would hang in all of them."""
NAME_THEM: Final = "Name the games that it plays in `games`, and only those are tried."
OPPONENTS: Final = ("thumb", "random", "timid", "bold", "glimpse")
SEAT: Final = 0
"""The seat of the bot that is validated."""
Level = Literal["info", "good", "bad"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a validation match.

    :ivar fault: what went wrong, empty for nothing.
    :ivar absent: it did not even start, and would not for another game.
    :ivar games: where its program does not play this game: those that it does.
    """

    fault: str = ""
    absent: bool = False
    games: tuple[str, ...] = ()


class ProcessReport(Protocol):
    """A report about the bot's process; the wire's `SeatReport` is one.

    :ivar absent: the process never said hello.
    :ivar games: those of its hello, if the match's is not among them.
    :ivar complaints: the bot's own errors, and its refused answers.
    :ivar exit_kind: how the process ended; empty while it lives.
    """

    absent: bool
    exit_kind: str
    exit_code: int

    @property
    def games(self) -> Sequence[str]: ...

    @property
    def complaints(self) -> Sequence[str]: ...


class TrialResult(NamedTuple):
    """A match that was played for a validation.

    :ivar printed: the lines that the bot wrote to standard output and standard error.
    """

    record: Mapping[str, Json]
    report: ProcessReport
    printed: list[str]


class Validation(ABC):
    """The matches of one validation.

    :param named: the games that the bot's manifest names; empty where its program decides.
    """

    def __init__(self, named: Sequence[str]) -> None:
        self.named = list(named)

    @abstractmethod
    def say(self, text: str, level: Level = "info") -> None:
        """Tell the author a line."""

    @abstractmethod
    def play(self, game: str, seats: int) -> TrialResult:
        """Play a match, and tell how the bot starts."""

    def try_games(self) -> tuple[list[str], str]:
        """Return the games in which it played without a fault, and the fault; empty for none."""
        left = self.named or list(GAMES)
        passed: list[str] = []
        faults: list[str] = []
        while left and len(faults) < (1 if self.named else GAMES_FAILED):
            game, *left = left
            outcome = self._try(game)
            if outcome.absent:
                return [], outcome.fault
            if outcome.games and not self.named:
                left = [name for name in left if name in outcome.games]
                self.say(f"{game}: the bot does not play this game; it names {', '.join(outcome.games)}.")
            elif outcome.fault:
                faults.append(f"{game}: {outcome.fault}")
            else:
                passed.append(game)
        if left and not self.named:
            self.say(f"Not tried, after {GAMES_FAILED} games with faults: {', '.join(left)}. {NAME_THEM}")
        if passed and not (self.named and faults):
            return passed, ""
        return passed, faults[0] if faults else f"it names none of {', '.join(GAMES)}"

    def announce(self, number: int) -> None:
        """Tell which games are tried, and the clock.

        :param number: of the validation, from 1.
        """
        games = ", ".join(self.named) or "every game, because it names none"
        clock = f"{TIME_CONTROL.move_seconds:g} s a decision, a reserve of {TIME_CONTROL.bank_seconds:g} s"
        self.say(f"Validation {number}: {games}; {clock}, and no fault is allowed.")

    def _try(self, name: str) -> Outcome:
        players = GAMES[name].players
        result = self.play(name, 4 if 4 in players else players[0])
        return self._judge(name, *result)

    def _judge(
        self, name: str, record: Mapping[str, Json], entry: ProcessReport, printed: list[str]
    ) -> Outcome:
        fault = next((fault for fault in record["faults"] if fault["seat"] == SEAT), None)
        if fault is None:
            self.say(f"{name}: played to the end without a fault, {_told(record)}.", "good")
            if printed:
                self.say(f"{name}: it printed {_lines(len(printed))}.")
            return Outcome()
        if entry.absent:
            return self._tell_absence(entry, printed)
        if entry.games:
            return Outcome(f"it plays {', '.join(entry.games)}", games=tuple(entry.games))
        what = f"{fault['kind']} at deal {fault['deal'] + 1}, move {fault['move'] + 1}"
        for complaint in entry.complaints:
            self.say(f"{name}: {complaint}", "bad")
        self.say(f"{name}: {what}.", "bad")
        failed = next(step for step in steps(record) if step.move.fault and step.move.seat == SEAT)
        question = ", ".join(failed.legal)
        self.say(f"{name}: the last question was to choose from: {question}.", "bad")
        self._tell_end(entry, printed)
        return Outcome(what)

    def _tell_absence(self, entry: ProcessReport, printed: list[str]) -> Outcome:
        """Log that the bot did not start: first the last line that it printed, which says why."""
        said = [line for line in printed if line.strip()]
        why = said[-1] if said else next(iter(entry.complaints), "it said nothing")
        self.say(f"It did not start: {why}", "bad")
        for complaint in entry.complaints[1:]:  # the first says only that it was not at the table
            self.say(complaint, "bad")
        self._tell_end(entry, printed if len(said) > 1 else [])
        return Outcome(f"It did not start: {why}", absent=True)

    def _tell_end(self, entry: ProcessReport, printed: list[str]) -> None:
        if entry.exit_kind:
            self.say(f"The process has ended: {entry.exit_kind} ({entry.exit_code}).", "bad")
        shown = printed[-PRINTED_LINES:]
        if len(shown) < len(printed):
            self.say(f"It printed {_lines(len(printed))}; the last lines:", "bad")
        for line in shown:
            self.say(f"printed: {line}", "bad")


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


def short_options(game: str, seats: int) -> dict[str, Json]:
    """The options for the shortest match that the game has."""
    has_length = any(option.name == "length" for option in GAMES[game].specification)
    return new_game(game, seats, {"length": "deals:1"} if has_length else {}).options


def _told(record: Mapping[str, Json]) -> str:
    place = f"rank {record['ranks'][SEAT]} of {len(record['ranks'])} with {record['scores'][SEAT]} points"
    own = [move for move in moves(record) if move.seat == SEAT]
    costs = [move.cost for move in own if move.cost is not None]
    walls = [move.wall for move in own if move.wall is not None]
    if not costs:
        return place
    charged = record.get("time_control", {}).get("charged", ["wall"] * (SEAT + 1))[SEAT]
    told = f"{place}; {len(costs)} decisions, {_spread(costs)}"
    return f"{told} of {charged} time; on the clock {_spread(walls)}" if walls else told


def _spread(seconds: list[float]) -> str:
    return f"median {1000 * median(seconds):.1f} ms, longest {max(seconds):.2f} s"
