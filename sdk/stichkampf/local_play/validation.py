"""The validation of a bot: matches in each of its games against house bots, told line by line.

A bot plays what the ladders play: matches of full length, with every number of seats, on every seat, until
hardly a decision of another match would be new to it. A bot that thinks long plays fewer: each game has its
share of the time, and a match that takes longer is ended without a verdict on its rest.

The same on the server and at home; subclasses say how a match is played and where the lines go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import median
from typing import Final, Literal, NamedTuple, Protocol, TypeVar

from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.log_text import LogText
from stichkampf.local_play.rare_decisions import CHANCE, RareDecisions
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
"""The seat of the bot in the first match of a game."""
MOST_MATCHES: Final = 64
"""Matches in one game."""
NEWS: Final = 0.01
"""The share of kinds of decisions that are new in a further match, below which no more is played."""
THINKING_SECONDS: Final = 40.0
"""Charged time of the bot in one game after which no further match begins."""
SECONDS: Final = 120.0
"""Time on the wall clock for all matches of a validation, the starts of the bot not counted."""
LEAST_SECONDS: Final = 2.0
"""Time of a game, also where decisions of those before took longer than their share."""
Level = Literal["info", "good", "bad"]
Seated = TypeVar("Seated")


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


class Trial(NamedTuple):
    """A match of a validation that is to be played.

    :ivar number: among the matches of the game, from 1.
    :ivar seat: that of the bot; the house bots take the others in the order of `OPPONENTS`.
    :ivar at_will: played only while decisions of new kinds come up.
    """

    number: int
    game: Game
    seat: int
    at_will: bool
    seed: bytes = b""

    @property
    def seats(self) -> int:
        return self.game.seats

    def seated(self, bot: Seated, house: Sequence[Seated]) -> list[Seated]:
        """Return the players in the order of the seats.

        :param house: as many as needed, or more.
        """
        others = list(house[: self.seats - 1])
        return [*others[: self.seat], bot, *others[self.seat :]]


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
    :ivar seconds: time on the wall clock since its start.
    """

    record: Mapping[str, Json]
    report: ProcessReport
    printed: list[str]
    seconds: float


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
        self._left_seconds = SECONDS
        self._later: list[str] = []
        self._played_seconds = 0.0

    @abstractmethod
    def say(self, text: str, level: Level = "info") -> None:
        """Tell the author a line."""

    @abstractmethod
    def play(self, trial: Trial) -> TrialResult | float:
        """Play a match, and with the first of a game tell how the bot starts, and which games it names.

        :returns: only its seconds if it took longer than the `seconds_left` of its start, and was ended.
        """

    def leave_out_others(self, games: Sequence[str]) -> None:
        """Take the games that a bot names when it starts, so that others have no share of the time.

        :param games: empty for all.
        """
        if games and not self.named:
            self._later = [name for name in self._later if name in games]

    @property
    def seconds_left(self) -> float:
        """The time that a match may take which starts now."""
        share = max(LEAST_SECONDS, self._left_seconds / (1 + len(self._later)))
        return share - self._played_seconds

    def try_games(self) -> Verdict:
        """Play the matches, and return what came out."""
        self._later = self.named or list(GAMES)
        passed: list[str] = []
        faults: list[str] = []
        while self._later and len(faults) < (1 if self.named else GAMES_FAILED):
            game, *self._later = self._later
            outcome = self._try(game)
            if outcome.absent:
                return Verdict([], outcome.fault, "")
            if outcome.games and not self.named:
                self.leave_out_others(outcome.games)
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
        if self._later and not self.named:
            self.say(
                LogText(
                    "Not tried, after {count} games with faults: {games}. {advice}",
                    count=GAMES_FAILED,
                    games=", ".join(self._later),
                    advice=NAME_THEM,
                )
            )
        if passed and not (self.named and faults):
            return Verdict(passed, "", _left_out(faults, self._later))
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
        """Play the matches of a game until one has a fault, little is new, or their time is over."""
        played: list[tuple[Trial, TrialResult]] = []
        outcome = ValidationOutcome()
        decisions = RareDecisions()
        complete = False
        for trial in trials(name):
            seed = decisions.seed(trial.game, trial.seated(CHANCE, OPPONENTS), trial.seat)
            complete = trial.at_will and decisions.news < NEWS
            if complete or self.seconds_left <= 0 or _thought(played) > THINKING_SECONDS:
                break
            result = self.play(trial._replace(seed=seed))
            if isinstance(result, float):
                self._played_seconds += result
                break
            self._played_seconds += result.seconds
            outcome = self._judge(trial, result)
            if outcome.fault:
                break
            played.append((trial, result))
            decisions.add(result.record, trial.seat)
        else:
            complete = True
        self._left_seconds -= self._played_seconds
        self._played_seconds = 0.0
        if not outcome.fault:
            self._tell_matches(name, played, complete=complete)
        return outcome

    def _tell_matches(
        self, name: str, played: Sequence[tuple[Trial, TrialResult]], *, complete: bool
    ) -> None:
        if not complete:
            ended = LogText(
                "{game}: it thinks so long that not every match was played to the end; late decisions may"
                " be left untried.",
                game=name,
            )
            self.say(ended)
        result = _times([(trial.seat, result.record) for trial, result in played])
        seats = ", ".join(map(str, sorted({trial.seats for trial, _ in played})))
        line = (
            LogText(
                "{game}: played to the end without a fault, {count} matches with {seats} seats{result}.",
                game=name,
                count=len(played),
                seats=seats,
                result=result,
            )
            if played
            else LogText("{game}: played without a fault as long as it had time.", game=name)
        )
        self.say(line, "good")
        printed = sum(len(result.printed) for _, result in played)
        if printed:
            self.say(LogText("{game}: it printed {lines}.", game=name, lines=_lines(printed)))

    def _judge(self, trial: Trial, result: TrialResult) -> ValidationOutcome:
        record, entry, printed = result.record, result.report, result.printed
        name = trial.game.name
        fault = next((fault for fault in record["faults"] if fault["seat"] == trial.seat), None)
        if fault is None:
            return ValidationOutcome()
        if entry.absent:
            return self._tell_absence(entry, printed)
        if entry.games:
            games = ", ".join(entry.games)
            return ValidationOutcome(LogText("it plays {games}", games=games), games=tuple(entry.games))
        number, failed = next(
            (number, step)
            for number, step in enumerate(steps(record), start=1)
            if step.move.fault and step.move.seat == trial.seat
        )
        question = ", ".join(failed.legal)
        what = LogText(
            "{kind} at decision {decision} (deal {deal}, seat {seat} of {seats})",
            kind=fault["kind"],
            decision=number,
            deal=fault["deal"] + 1,
            seat=trial.seat + 1,
            seats=trial.seats,
        )
        for complaint in entry.complaints:
            self.say(f"{name}: {complaint}", "bad")
        self.say(LogText("{game}: {fault}.", game=name, fault=what), "bad")
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


def trials(name: str) -> Iterator[Trial]:
    """Yield the matches of a game in the order in which they are played.

    >>> [(trial.seats, trial.seat) for trial in trials("meinz")][:4]
    [(4, 0), (3, 1), (4, 2), (4, 3)]
    """
    game, ladder = GAMES[name], GAMES[name].main_ladder
    main, full = new_game(name, ladder.seats, ladder.options), new_game(name, ladder.seats, {})
    tables = [
        main,
        *(new_game(name, seats, ladder.options) for seats in game.players if seats != ladder.seats),
    ]
    if full.options != main.options:
        tables.append(full)
    needed = len(tables) + ladder.seats
    tables += [main] * (MOST_MATCHES - len(tables))
    for number, table in enumerate(tables, start=1):
        yield Trial(number, table, (number - 1) % table.seats, number > needed)


def _thought(played: Sequence[tuple[Trial, TrialResult]]) -> float:
    """Add up the charged time of the bot in matches."""
    return sum(
        move.cost or 0.0 for trial, one in played for move in moves(one.record) if move.seat == trial.seat
    )


def _times(played: Sequence[tuple[int, Mapping[str, Json]]]) -> LogText | str:
    """Tell the times of all decisions; nothing where none was measured.

    :param played: the seat of the bot in each match, with the record.
    """
    own = [move for seat, record in played for move in moves(record) if move.seat == seat]
    costs = [move.cost for move in own if move.cost is not None]
    walls = [move.wall for move in own if move.wall is not None]
    if not costs:
        return ""
    seat, record = played[0]
    charged = record.get("time_control", {}).get("charged", ["wall"] * (seat + 1))[seat]
    told = LogText("; {count} decisions, {spread}", count=len(costs), spread=_spread(costs))
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
