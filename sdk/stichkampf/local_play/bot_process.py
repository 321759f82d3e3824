"""A bot in a process of its own, which can be timed, and ended when it hangs.

The bot's process gets the events and questions of one table at a time over a pipe and answers over it. Its
prints go to standard error, so that standard output stays the command's own.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

from stichkampf.bots.bot import Bot, BotFailure, Note, decide, failure_text, start, traceback_of
from stichkampf.bots.program_bot import ProgramBot, end_programs
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError, StichkampfError
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.limits import START_SECONDS
from stichkampf.local_play.programs import LocalProgram, games_named
from stichkampf.match.events import Event
from stichkampf.match.table import Table, TableClock
from stichkampf.timing.core_waits import CoreWaitMeter, CpuSample, read_threads
from stichkampf.timing.time_accounts import CpuAccount, TimeAccount, WallAccount, hard_end_seconds

END_SECONDS: Final = 5.0
HELLO_LOOK_SECONDS: Final = 0.1
MEASURES_CPU: Final = sys.platform == "linux"
"""On Linux a running process can be measured from outside, as the server does; elsewhere the wall clock
counts."""


class Hello(NamedTuple):
    """The first message of a bot's process.

    :ivar games: the games that the bot's class names.
    :ivar problem: why it cannot play; empty if it can.
    """

    games: tuple[str, ...]
    problem: str = ""


class Sit(NamedTuple):
    """The beginning of a table: a new bot takes its seat."""

    game: str
    seats: int
    options: dict[str, Json]
    seat: int
    seed: bytes


class Ask(NamedTuple):
    """A question, with the events since the one before."""

    number: int
    events: list[Event]
    legal: list[str]
    seconds: float | None
    clock: TableClock | None = None


class Reply(NamedTuple):
    """The answer to a question: a word and a note, or the failure with its traceback."""

    number: int
    word: str = ""
    note: Json = None
    fault: FaultKind | None = None
    message: str = ""
    trace: str = ""


class Seated(NamedTuple):
    """The answer of a program in another language to a seat: the number of its own process."""

    pid: int


class EndedError(StichkampfError):
    """The process of a bot has ended by itself."""


@dataclass
class TableInProcess:
    """A table in the bot's own process, and the bot at it, or the failure because of which there is none.

    :ivar loud: failures are printed, as on the server.
    :ivar failed: the bot has failed here before.
    """

    table: Table
    bot: Bot | BotFailure
    loud: bool
    failed: bool = False

    def answer(self, ask: Ask) -> Reply:
        self.table.follow(ask.events)
        self.table.legal, self.table.seconds, self.table.clock = ask.legal, ask.seconds, ask.clock
        try:
            if isinstance(self.bot, BotFailure):
                raise self.bot
            word, note = decide(self.bot, self.table)
        except BotFailure as failure:
            if self.loud:
                print(failure_text(failure, self.table, first=not self.failed), file=sys.stderr)
            self.failed = True
            trace = traceback_of(failure.__cause__)
            return Reply(ask.number, fault=failure.kind, message=str(failure), trace=trace)
        return Reply(ask.number, word, note.to_json() if isinstance(note, Note) else None)


def serve(connection: Connection, program: LocalProgram, log: Path | None) -> None:
    """Run a bot, in its own process, until the other end of the pipe is closed.

    :param log: takes what it prints; None for standard error.
    """
    if log is not None:
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    os.dup2(2, 1)
    # A bot is killed at its end; and what a terminal cannot show is no fault of it. Opened anew, since the
    # standard output before may have been a file, in which a stream seeks.
    sys.stdout = os.fdopen(1, "w", 1, sys.stderr.encoding, "backslashreplace", closefd=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends its bots itself
    signal.signal(signal.SIGTERM, _end_at_once)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _serve(connection, program, log)
    except KeyboardInterrupt:  # the bot raised it: it ends this process as it does on the server
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)


def _serve(connection: Connection, program: LocalProgram, log: Path | None) -> None:
    try:
        bot = program.load_alone()
    except StichkampfError as error:
        if log is not None:
            print(error, file=sys.stderr, flush=True)
        connection.send(Hello((), str(error)))
        return
    try:
        games = program.games or games_named(bot.games, program.name)
    except StichkampfError as error:
        connection.send(Hello((), str(error)))
        return
    # A look of the collector at all that is loaded takes milliseconds of a decision.
    gc.collect()
    gc.freeze()
    connection.send(Hello(games))
    table: TableInProcess | None = None
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Sit):
                game = new_game(message.game, message.seats, message.options)
                loud = log is not None
                table = TableInProcess(Table(game, message.seat, message.seed), _started(bot), loud)
                if program.command:
                    connection.send(Seated(table.bot.program.pid if isinstance(table.bot, ProgramBot) else 0))
            elif table is not None:
                connection.send(table.answer(message))
    except (EOFError, BrokenPipeError):
        return


def _started(bot: type[Bot]) -> Bot | BotFailure:
    try:
        return start(bot)
    except BotFailure as failure:
        return failure


def _end_at_once(*_: object) -> None:
    end_programs(0)
    os._exit(1)


def _end_with_parent() -> None:
    """End this process with the one that started it, also in the middle of a decision."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        end_programs(0)
        os._exit(1)


class BotProcess:
    """The process of a bot, seen from the match.

    :ivar games: the games that the bot's class names; empty for all.
    :ivar account: measures its decisions.
    :param log: takes what it prints; None for standard error.
    :raises BotError: the bot does not start.
    """

    def __init__(self, program: LocalProgram, log: Path | None = None) -> None:
        self.program = program
        self._expected: int | None = None
        self._child = 0
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, program, log), daemon=True)
        self._process.start()
        other.close()
        try:
            hello = self._first_message()
        except BaseException:
            self.end()
            raise
        self.games = hello.games
        self.account = self._new_account()

    def _first_message(self) -> Hello:
        self._await_hello()
        try:
            hello: Hello = self._connection.recv()
        except EOFError:
            self._process.join(END_SECONDS)
            raise BotError(f"{self.program.name} does not start: {self.ending()}") from None
        if hello.problem:
            raise BotError(hello.problem)
        return hello

    def _await_hello(self) -> None:
        """Wait for its first message, up to `START_SECONDS` of time with a core, as the arbiter does.

        :raises BotError: it took longer.
        """
        begun = time.monotonic()
        waits = self._waits() if MEASURES_CPU else None
        while not self._connection.poll(HELLO_LOOK_SECONDS):
            now = time.monotonic()
            kept = waits.measure(begun, now) if waits is not None else 0.0
            if now - begun - kept > START_SECONDS or now - begun > hard_end_seconds(START_SECONDS):
                raise BotError(
                    f"{self.program.name} does not start: it was not ready within {START_SECONDS} s"
                )

    def _waits(self) -> CoreWaitMeter:
        return CoreWaitMeter(partial(_sample, self._process.pid or 0, self._cpu_seconds))

    def _cpu_seconds(self) -> float:
        return _cpu_seconds([self._process.pid or 0, *([self._child] if self._child else [])])

    def _new_account(self) -> TimeAccount:
        account: TimeAccount = WallAccount()
        if MEASURES_CPU:
            account = CpuAccount(self._cpu_seconds, self._waits())
        account.start(time.monotonic())
        return account

    def sit(self, seat: Sit) -> None:
        """Begin a table.

        :raises EndedError: the process has ended.
        """
        self._send(seat)
        if not self.program.command:
            return
        try:
            seated: Seated = self._connection.recv()
        except (EOFError, ConnectionResetError):
            raise EndedError(self.ending()) from None
        if seated.pid != self._child:
            self._child = seated.pid
            self.account = self._new_account()

    def ask(self, question: Ask) -> None:
        """Send a question.

        :raises EndedError: the process has ended.
        """
        self._expected = question.number
        self._send(question)

    def reply(self, seconds: float) -> Reply | None:
        """Return the reply to the last question, if it comes within this time.

        Replies to earlier questions, which were given up, are left out.

        :raises EndedError: the process has ended.
        """
        if not self._connection.poll(seconds):
            return None
        try:
            reply: Reply = self._connection.recv()
        except (EOFError, ConnectionResetError):
            raise EndedError(self.ending()) from None
        if reply.number != self._expected:
            return None
        self._expected = None
        return reply

    @property
    def busy(self) -> bool:
        """True while a question is open, or was given up and not answered since."""
        return self._expected is not None

    @property
    def exit_code(self) -> int | None:
        """The exit status, or minus the signal; None while it lives."""
        return self._process.exitcode

    def ending(self) -> str:
        """Say how the process ended."""
        self._process.join(END_SECONDS)
        code = self.exit_code
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit status {code}"
        return f"its process has ended {how}"

    def end(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        if self._process.is_alive():
            if self.program.command:  # it ends its program, which may hang
                self._process.terminate()
                self._process.join(END_SECONDS)
            self._process.kill()
        self._process.join(END_SECONDS)

    def _send(self, message: Sit | Ask) -> None:
        try:
            self._connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise EndedError(self.ending()) from None


def _cpu_seconds(pids: Sequence[int]) -> float:
    """Read the CPU time of processes, all of their threads together, from Linux's clocks of them.

    The clock of an ended process is gone. Its last CPU time is either charged already or need not be.
    """
    seconds = 0.0
    for pid in pids:
        with suppress(OSError):
            seconds += time.clock_gettime((~pid << 3) | 2)
    return seconds


def _sample(pid: int, read: Callable[[], float], before: CpuSample) -> CpuSample:
    return CpuSample(used=read(), threads=read_threads(pid, before.threads))
