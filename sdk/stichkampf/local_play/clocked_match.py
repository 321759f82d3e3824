"""A match on this machine with the server's clock: authors' bots in processes, house bots in this one."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stichkampf.bots.bot import Bot, decide
from stichkampf.bots.practice import Failure, PlayedMatch
from stichkampf.bots.program_bot import FLUSH
from stichkampf.bots.registry import named_bot
from stichkampf.bots.substitute import named_substitute, new_adjudicator
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import BotError
from stichkampf.faults import FAULT_ALLOWANCE, FaultKind
from stichkampf.local_play.bot_process import Ask, BotProcess, EndedError, Reply, Sit
from stichkampf.local_play.programs import LocalProgram
from stichkampf.match.adjudicator import Question
from stichkampf.match.answers import TimeTaken
from stichkampf.match.events import Event
from stichkampf.match.match import Match
from stichkampf.match.table import Table, TableClock, table_seed
from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock, too_long

LOOK_SECONDS: Final = 0.05
"""Time after which an open question is looked at again."""


def told_clock(clock: Clock) -> TableClock:
    """Return what a seat is told of its clock.

    >>> told_clock(Clock(TimeControl()))
    TableClock(move=2.0, bank=10.0, cap=5.0, spent=0.0)
    """
    control = clock.control
    whole = TableClock(move=control.move_seconds, bank=control.bank_seconds, cap=control.cap_seconds)
    return whole.after(clock.bank_seconds)


class BotProcesses:
    """The running processes of bots, by program and seat; one that hangs is ended, and another started.

    :param log: takes what they print; None for standard error.
    :param one_each: a program has one seat of a match at most, and keeps its process on whichever it is.
    """

    def __init__(self, log: Path | None = None, *, one_each: bool = False) -> None:
        self._log = log
        self._one_each = one_each
        self._processes: dict[tuple[LocalProgram, int], BotProcess] = {}

    def take(self, program: LocalProgram, seat: int) -> BotProcess:
        """Return the process of a program for a seat, started if there is none.

        :raises BotError: the bot does not start.
        """
        key = self._key(program, seat)
        if key not in self._processes:
            self._processes[key] = BotProcess(program, self._log)
        return self._processes[key]

    def end_one(self, program: LocalProgram, seat: int) -> None:
        """End a process that is of no more use."""
        self._processes.pop(self._key(program, seat)).end()

    def end(self) -> None:
        """End all processes, whatever they do."""
        while self._processes:
            self._processes.popitem()[1].end()

    def _key(self, program: LocalProgram, seat: int) -> tuple[LocalProgram, int]:
        return program, 0 if self._one_each else seat

    def __enter__(self) -> BotProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


@dataclass
class ClockedSeat:
    """A seat with a bot in a process.

    :ivar ended: the process has ended.
    """

    program: LocalProgram
    process: BotProcess
    clock: Clock
    ended: bool = False


class ClockedMatch:
    """A match with a clock for every bot that is not of the house.

    :param programs: by seat.
    :param fault_allowance: faults after which a bot still plays on.
    :ivar failures: every fault of a bot so far.
    :ivar lost: the process of a bot has ended.
    """

    def __init__(
        self,
        game: Game,
        programs: Sequence[LocalProgram],
        seed: bytes,
        processes: BotProcesses,
        control: TimeControl,
        fault_allowance: int = FAULT_ALLOWANCE,
    ) -> None:
        self.failures: list[Failure] = []
        self.lost = False
        self._match = Match(game, seed=seed)
        self._programs = programs
        self._seed = seed
        self._control = control
        self._processes = processes
        seeds = [table_seed(seed, seat) for seat in range(game.seats)]
        self._adjudicator = new_adjudicator(self._match, seeds, fault_allowance=fault_allowance)
        self._house: dict[int, tuple[Bot, Table]] = {}
        self._told = [0] * game.seats
        self._seats: dict[int, ClockedSeat] = {}
        for seat, program in enumerate(programs):
            if program.house:
                self._house[seat] = (named_bot(program.house)(), Table(game, seat, seeds[seat]))
            else:
                process = processes.take(program, seat)
                if process.games and game.name not in process.games:
                    raise BotError(
                        f"{program.name} does not play {game.name}; it names {', '.join(process.games)}"
                    )
                process.sit(Sit(game.name, game.seats, dict(game.options), seat, seeds[seat]))
                self._seats[seat] = ClockedSeat(program, process, Clock(control))

    def play_to_end(self) -> PlayedMatch:
        """Play to the end; returns the record and the faults."""
        played = self.play_for(math.inf)
        assert played is not None  # nothing cut it short
        return played

    def play_for(self, seconds: float) -> PlayedMatch | None:
        """Play to the end, or give up after this time; returns the record and the faults, or None."""
        until = time.monotonic() + seconds
        while questions := self._adjudicator.ask():
            if time.monotonic() > until:
                return None
            for question in questions:
                if question.seat in self._house:
                    self._ask_house(question)
                else:
                    self._ask(self._seats[question.seat], question)
        for number, seat in self._seats.items():
            if seat.ended or seat.process.busy:
                self._processes.end_one(seat.program, number)
        return PlayedMatch(self._record(), self.failures)

    def _record(self) -> dict[str, Json]:
        more: dict[str, Json] = {"seed": self._seed.hex()}
        if self._seats:
            kinds = ["wall"] * len(self._programs)
            for number, seat in self._seats.items():
                kinds[number] = seat.process.account.kind
            more["time_control"] = {**self._control.to_json(), "charged": kinds}
        more |= named_substitute(self._match)
        return self._match.record([program.to_json() for program in self._programs], **more)

    def _ask_house(self, question: Question) -> None:
        bot, table = self._house[question.seat]
        table.follow(self._events(question.seat))
        table.legal = question.legal
        word, note = decide(bot, table)
        self._adjudicator.answer(question, word, note=note.to_json() if note else None)

    def _ask(self, seat: ClockedSeat, question: Question) -> None:
        """Ask a bot in its process, and judge the answer as the arbiter does."""
        limit = seat.clock.limit_seconds()
        account = seat.process.account
        sent = time.monotonic()
        try:
            events = self._events(question.seat)
            seat.process.ask(Ask(question.number, events, question.legal, limit, told_clock(seat.clock)))
            reply = None
            while reply is None:
                reply = seat.process.reply(LOOK_SECONDS)
                if reply is None and account.is_over(sent, limit, time.monotonic()):
                    break
        except EndedError as error:
            self._lost(seat, question, str(error))
            return
        now = time.monotonic()
        wall = account.wall_seconds(sent, now)
        seconds = account.charge(sent, now, limit) if reply else account.give_up(sent, now, limit)
        in_time = seat.clock.charge(seconds)
        took = TimeTaken(round(seconds, 6), round(wall, 6))
        if reply is None or not in_time:
            message = too_long(account.kind, seconds, limit, question.legal)
            if seat.program.command:
                message += f"; {FLUSH}"
            reply = Reply(question.number, fault=FaultKind.TIMEOUT, message=message)
        self._take(question, reply, took)

    def _take(self, question: Question, reply: Reply, took: TimeTaken) -> None:
        deal = len(self._match.played) - 1
        if reply.fault is not None:
            failure = Failure(deal, question.number, question.seat, reply.fault, reply.message, reply.trace)
            self.failures.append(failure)
            self._adjudicator.fail(question, reply.fault, took=took)
            return
        rejection = self._adjudicator.answer(question, reply.word, note=reply.note, took=took)
        if rejection is not None:
            message = f"{rejection.kind}: {reply.word!r:.80}; legal were {', '.join(question.legal)}"
            failure = Failure(deal, question.number, question.seat, rejection.kind, message)
            self.failures.append(failure)

    def _lost(self, seat: ClockedSeat, question: Question, message: str) -> None:
        """Replace a bot whose process has ended, for the rest of the match."""
        deal = len(self._match.played) - 1
        self.failures.append(Failure(deal, question.number, question.seat, FaultKind.CRASHED, message))
        seat.ended = self.lost = True
        self._adjudicator.replace(question.seat, FaultKind.CRASHED)

    def _events(self, seat: int) -> list[Event]:
        events = self._match.events(seat, self._told[seat])
        self._told[seat] = len(self._match.log)
        return events
