"""The validation of a bot: one match in each of its games against house bots, told line by line.

The same on the server and at home; subclasses say how a match is played and where the lines go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import median
from typing import Final, Literal, NamedTuple, Protocol

from stichkampf.engine.deal import Json
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.log_text import LogText
from stichkampf.match.records import moves, steps
from stichkampf.time_control import LADDER_CLOCK

PRINTED_LINES: Final = 5
"""Lines of a bot's output that are told; all of it is kept."""
PRINTED_CHARACTERS: Final = 64 * 1024
GAMES_FAILED: Final = 2
"""Games with a fault after which a run ends: a bot that hangs would hang in all of them."""
NAME_THEM: Final = LogText("Name the games that it plays in `games`, and only those are tried.")
OPPONENTS: Final = ("thumb", "random", "timid", "bold", "glimpse")
SEAT: Final = 0
"""The seat of the bot that is validated."""
Level = Literal["info", "good", "bad"]


@dataclass(frozen=True)
class ValidationOutcome:
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


class Verdict(NamedTuple):
    """The end of a validation.

    :ivar games: those in which the bot played without a fault.
    :ivar reason: why it is rejected; empty where it is accepted.
    :ivar left_out: where it is accepted, why it may not play all games that were to be tried; empty for none.
    """

    games: list[str]
    reason: str
    left_out: str


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

    def try_games(self) -> Verdict:
        """Play the matches, and return what came out."""
        left = self.named or list(GAMES)
        passed: list[str] = []
        faults: list[str] = []
        while left and len(faults) < (1 if self.named else GAMES_FAILED):
            game, *left = left
            outcome = self._try(game)
            if outcome.absent:
                return Verdict([], outcome.fault, "")
            if outcome.games and not self.named:
                left = [name for name in left if name in outcome.games]
                names = ", ".join(outcome.games)
                self.say(
                    LogText(
                        "{game}: the bot does not play this game; it names {names}.", game=game, names=names
                    )
                )
            elif outcome.fault:
                faults.append(LogText("{game}: {fault}", game=game, fault=outcome.fault))
            else:
                passed.append(game)
        if left and not self.named:
            self.say(
                LogText(
                    "Not tried, after {count} games with faults: {games}. {advice}",
                    count=GAMES_FAILED,
                    games=", ".join(left),
                    advice=NAME_THEM,
                )
            )
        if passed and not (self.named and faults):
            return Verdict(passed, "", _left_out(faults, left))
        reason = faults[0] if faults else LogText("it names none of {games}", games=", ".join(GAMES))
        return Verdict(passed, reason, "")

    def announce(self, number: int) -> None:
        """Tell which games are tried, and the clock.

        :param number: of the validation, from 1.
        """
        line = LogText(
            "Validation {number}: {games}; {move_seconds:g} s a decision, a reserve of {bank_seconds:g} s,"
            " and no fault is allowed.",
            number=number,
            games=", ".join(self.named) or LogText("every game, because it names none"),
            move_seconds=LADDER_CLOCK.move_seconds,
            bank_seconds=LADDER_CLOCK.bank_seconds,
        )
        self.say(line)

    def _try(self, name: str) -> ValidationOutcome:
        players = GAMES[name].players
        result = self.play(name, 4 if 4 in players else players[0])
        return self._judge(name, *result)

    def _judge(
        self, name: str, record: Mapping[str, Json], entry: ProcessReport, printed: list[str]
    ) -> ValidationOutcome:
        fault = next((fault for fault in record["faults"] if fault["seat"] == SEAT), None)
        if fault is None:
            line = LogText(
                "{game}: played to the end without a fault, {result}.", game=name, result=_told(record)
            )
            self.say(line, "good")
            if printed:
                self.say(LogText("{game}: it printed {lines}.", game=name, lines=_lines(len(printed))))
            return ValidationOutcome()
        if entry.absent:
            return self._tell_absence(entry, printed)
        if entry.games:
            games = ", ".join(entry.games)
            return ValidationOutcome(LogText("it plays {games}", games=games), games=tuple(entry.games))
        what = LogText(
            "{kind} at deal {deal}, move {move}",
            kind=fault["kind"],
            deal=fault["deal"] + 1,
            move=fault["move"] + 1,
        )
        for complaint in entry.complaints:
            self.say(f"{name}: {complaint}", "bad")
        self.say(LogText("{game}: {fault}.", game=name, fault=what), "bad")
        failed = next(step for step in steps(record) if step.move.fault and step.move.seat == SEAT)
        question = ", ".join(failed.legal)
        asked = LogText(
            "{game}: the last question was to choose from: {question}.", game=name, question=question
        )
        self.say(asked, "bad")
        self._tell_end(entry, printed)
        return ValidationOutcome(what)

    def _tell_absence(self, entry: ProcessReport, printed: list[str]) -> ValidationOutcome:
        """Log that the bot did not start: first the last line that it printed, which says why."""
        said = [line for line in printed if line.strip()]
        why = said[-1] if said else next(iter(entry.complaints), LogText("it said nothing"))
        absence = LogText("It did not start: {why}", why=why)
        self.say(absence, "bad")
        for complaint in entry.complaints[1:]:  # the first says only that it was not at the table
            self.say(complaint, "bad")
        self._tell_end(entry, printed if len(said) > 1 else [])
        return ValidationOutcome(absence, absent=True)

    def _tell_end(self, entry: ProcessReport, printed: list[str]) -> None:
        if entry.exit_kind:
            ended = LogText(
                "The process has ended: {kind} ({code}).", kind=entry.exit_kind, code=entry.exit_code
            )
            self.say(ended, "bad")
        shown = printed[-PRINTED_LINES:]
        if len(shown) < len(printed):
            self.say(LogText("It printed {lines}; the last lines:", lines=_lines(len(printed))), "bad")
        for text in shown:
            self.say(LogText("printed: {text}", text=text), "bad")


def _left_out(faults: Sequence[str], not_tried: Sequence[str]) -> str:
    """Return why an accepted bot may not play some games; empty where it may play all."""
    if not faults:
        return ""
    listed = reduce(lambda told, fault: LogText("{told}; {fault}", told=told, fault=fault), faults)
    left_out = LogText("It may not play where it had a fault: {faults}.", faults=listed)
    if not not_tried:
        return left_out
    return LogText("{left_out} Not tried: {games}.", left_out=left_out, games=", ".join(not_tried))


def _lines(count: int) -> LogText:
    return LogText("1 line") if count == 1 else LogText("{count:,} lines", count=count)


def short_options(game: str, seats: int) -> dict[str, Json]:
    """The options for the shortest match that the game has."""
    has_length = any(option.name == "length" for option in GAMES[game].specification)
    return new_game(game, seats, {"length": "deals:1"} if has_length else {}).options


def _told(record: Mapping[str, Json]) -> LogText:
    place = LogText(
        "rank {rank} of {players} with {points} points",
        rank=record["ranks"][SEAT],
        players=len(record["ranks"]),
        points=record["scores"][SEAT],
    )
    own = [move for move in moves(record) if move.seat == SEAT]
    costs = [move.cost for move in own if move.cost is not None]
    walls = [move.wall for move in own if move.wall is not None]
    if not costs:
        return place
    charged = record.get("time_control", {}).get("charged", ["wall"] * (SEAT + 1))[SEAT]
    told = LogText(
        "{place}; {count} decisions, {spread}", place=place, count=len(costs), spread=_spread(costs)
    )
    if not walls:
        return told
    clock = LogText("on the clock {spread}", spread=_spread(walls))
    return LogText("{cost} of {kind} time; {clock}", cost=told, kind=charged, clock=clock)


def _spread(seconds: list[float]) -> LogText:
    return LogText(
        "median {milliseconds:.1f} ms, longest {seconds:.2f} s",
        milliseconds=1000 * median(seconds),
        seconds=max(seconds),
    )
