"""The matches of a validation: one in each of its games against house bots, logged line by line."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from stichkampf.bots import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.games import GAMES, new_game
from stichkampf.limits import START_SECONDS
from stichkampf.match.records import moves, steps
from stichkampf.plain_text import plain_lines
from stichkampf.time_control import TimeControl
from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.bots.services import write
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.core.arbiter_client import Arbiter, verified_record
from stichkampf_platform.core.errors import ArbiterBusy, MatchFailed

TIME_CONTROL = TimeControl(move_seconds=2.0, bank_seconds=10.0, cap_seconds=5.0)
PRINTED_LINES = 5
"""Lines of a bot's output that stand in the log; the submission's page has all of it."""
PRINTED_CHARACTERS = 64 * 1024
GAMES_FAILED = 2
"""Games with a fault after which a run ends: a bot that hangs would hang in all of them."""
NAME_THEM = "Name the games that it plays in `games`, and only those are tried."
ROOM_SECONDS = 600
"""Time that a run waits for a table at the arbiter."""
ROOM_PAUSE_SECONDS = 1.0
OPPONENTS = ("thumb", "random", "timid", "bold", "glimpse")
SEAT = 0
"""The seat of the version that is validated."""


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


class ValidationRun:
    """The matches of one validation.

    :param still_leased: called before every step and every few seconds; false ends the run, because the
        submission was taken back or another worker has it.
    """

    def __init__(self, submission: Submission, arbiter: Arbiter, still_leased: Callable[[], bool]) -> None:
        self.submission = submission
        self.version = submission.version
        self.arbiter = arbiter
        self.still_leased = still_leased

    def run(self) -> tuple[list[str], str]:
        """Return the games in which it played without a fault, and the fault; empty for none.

        :raises ArbiterGone: try again later.
        :raises MatchFailed: the platform could not play the match, through no fault of the bot.
        """
        self._announce()
        match_records.forget(self.submission)
        self._go_on()
        self.arbiter.upload_missing([self.version])
        named = list(self.version.games)
        left = named or list(GAMES)
        passed: list[str] = []
        faults: list[str] = []
        while left and len(faults) < (1 if named else GAMES_FAILED):
            game, *left = left
            outcome = self._play(game)
            if outcome.absent:
                return [], outcome.fault
            if outcome.games and not named:
                left = [name for name in left if name in outcome.games]
                self._say(f"{game}: the bot does not play this game; it names {', '.join(outcome.games)}.")
            elif outcome.fault:
                faults.append(f"{game}: {outcome.fault}")
            else:
                passed.append(game)
        if left and not named:
            self._say(f"Not tried, after {GAMES_FAILED} games with faults: {', '.join(left)}. {NAME_THEM}")
        if passed and not (named and faults):
            return passed, ""
        return passed, faults[0] if faults else f"it names none of {', '.join(GAMES)}"

    def _announce(self) -> None:
        games = ", ".join(self.version.games) or "every game, because it names none"
        clock = f"{TIME_CONTROL.move_seconds:g} s a decision, a reserve of {TIME_CONTROL.bank_seconds:g} s"
        self._say(f"Validation {self.submission.trials}: {games}; {clock}, and no fault is allowed.")

    def _play(self, name: str) -> Outcome:
        """Play one match."""
        players = GAMES[name].players
        seats = 4 if 4 in players else players[0]
        key = f"validation-{self.submission.pk}-{self.submission.attempts}-{name}"
        start = (
            "" if self.version.remote else f" The bot is started and must connect within {START_SECONDS} s."
        )
        self._say(f"{name}: a match of one deal with {seats} seats against house bots.{start}")
        begun = monotonic()
        self._start(name, seats, key)
        match = self._watched(name, key, begun)
        if match.state != pb.MATCH_STATE_FINISHED:
            raise MatchFailed(match.reason or "the match was cancelled at the arbiter")
        self._go_on()
        report = self.arbiter.fetch_record(key)
        self.arbiter.acknowledge(key)
        entry = next((one for one in report.reports if one.seat == SEAT), pb.SeatReport())
        printed = plain_lines(entry.stderr[-PRINTED_CHARACTERS:])
        record = verified_record(report)
        self._go_on()
        match_records.store(
            submission=self.submission,
            game=name,
            record_json=report.record_json,
            printed="\n".join(printed),
        )
        return self._judge(name, record, entry, printed)

    def _start(self, name: str, seats: int, key: str) -> None:
        """Start a match as soon as there is room for it."""
        until = monotonic() + ROOM_SECONDS
        while True:
            self._go_on()
            try:
                self.arbiter.start(
                    key=key,
                    game=name,
                    options=short_options(name, seats),
                    versions=[self.version, *_house(seats - 1)],
                    seed=secrets.token_bytes(32),
                    lane=key,
                    time_control=TIME_CONTROL,
                    fault_allowance=0,
                    substitute_version=house_bot(SUBSTITUTE).version,
                )
                return
            except ArbiterBusy:
                if monotonic() > until:
                    raise
                sleep(ROOM_PAUSE_SECONDS)

    def _watched(self, name: str, key: str, begun: float) -> pb.MatchStatus:
        started = False
        while True:
            for match in self.arbiter.watch([key], seconds=settings.LEASE_SECONDS / 3):
                if not started and match.state != pb.MATCH_STATE_WAITING:
                    started = True
                    self._tell_start(name, key, monotonic() - begun)
                if match.state in MATCH_OVER:
                    return match
            self._go_on(key)

    def _go_on(self, key: str = "") -> None:
        """
        :param key: of a match that is being played, to be cancelled if this goes on no more.
        :raises MatchFailed: another worker has it now, or it was taken back.
        """
        if self.still_leased():
            return
        if key:
            self.arbiter.cancel(key)
        raise MatchFailed("the submission was withdrawn or rejected in the meantime")

    def _tell_start(self, name: str, lane: str, seconds: float) -> None:
        agent = self.arbiter.agent_of(self.version, lane)
        how = "connected" if self.version.remote else f"started in {seconds:.1f} s"
        if agent:
            self._say(f"{name}: {how}. Hello from {agent}.")

    def _judge(self, name: str, record: dict[str, Any], entry: pb.SeatReport, printed: list[str]) -> Outcome:
        fault = next((fault for fault in record["faults"] if fault["seat"] == SEAT), None)
        if fault is None:
            self._say(f"{name}: played to the end without a fault, {_told(record)}.", LogLine.Level.GOOD)
            if printed:
                self._say(f"{name}: it printed {_lines(len(printed))}.")
            return Outcome()
        if entry.absent:
            return self._tell_absence(entry, printed)
        if entry.games:
            return Outcome(f"it plays {', '.join(entry.games)}", games=tuple(entry.games))
        what = f"{fault['kind']} at deal {fault['deal'] + 1}, move {fault['move'] + 1}"
        for complaint in entry.complaints:
            self._say(f"{name}: {complaint}", LogLine.Level.BAD)
        self._say(f"{name}: {what}.", LogLine.Level.BAD)
        failed = next(step for step in steps(record) if step.move.fault and step.move.seat == SEAT)
        question = ", ".join(failed.legal)
        self._say(f"{name}: the last question was to choose from: {question}.", LogLine.Level.BAD)
        self._tell_end(entry, printed)
        return Outcome(what)

    def _tell_absence(self, entry: pb.SeatReport, printed: list[str]) -> Outcome:
        """Log that the bot did not start: first the last line that it printed, which says why."""
        said = [line for line in printed if line.strip()]
        why = said[-1] if said else next(iter(entry.complaints), "it said nothing")
        self._say(f"It did not start: {why}", LogLine.Level.BAD)
        for complaint in entry.complaints[1:]:  # the first says only that it was not at the table
            self._say(complaint, LogLine.Level.BAD)
        self._tell_end(entry, printed if len(said) > 1 else [])
        return Outcome(f"It did not start: {why}", absent=True)

    def _tell_end(self, entry: pb.SeatReport, printed: list[str]) -> None:
        if entry.exit_kind:
            self._say(f"The process has ended: {entry.exit_kind} ({entry.exit_code}).", LogLine.Level.BAD)
        shown = printed[-PRINTED_LINES:]
        if len(shown) < len(printed):
            self._say(f"It printed {_lines(len(printed))}; the last lines:", LogLine.Level.BAD)
        for line in shown:
            self._say(f"printed: {line}", LogLine.Level.BAD)

    def _say(self, text: str, level: str = LogLine.Level.INFO) -> None:
        write(self.submission, text, level)


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"


def short_options(game: str, seats: int) -> dict:
    """The options for the shortest match that the game has."""
    has_length = any(option.name == "length" for option in GAMES[game].specification)
    return new_game(game, seats, {"length": "deals:1"} if has_length else {}).options


def _told(record: dict[str, Any]) -> str:
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


def _house(count: int) -> list[Version]:
    names = OPPONENTS[:count]
    by_name = {
        version.house: version
        for version in Version.objects.filter(house__in=names, state=Version.State.APPROVED).select_related(
            "bot__owner"
        )
    }
    missing = [name for name in names if name not in by_name]
    if missing:
        raise MatchFailed(f"the house bots {', '.join(missing)} are missing; seed_house makes them")
    return [by_name[name] for name in names]
