"""Many matches of one game on this machine, several at once if asked for, in their order."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple

from stichkampf.bots.bot import Bot, with_values
from stichkampf.bots.practice import Entrant, PlayedMatch, play_match
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.games import new_game
from stichkampf.local_play.clocked_match import BotProcesses, ClockedMatch
from stichkampf.local_play.programs import LocalProgram
from stichkampf.time_control import TimeControl

AHEAD: Final = 4
"""Matches that wait for each process."""


class MatchOrder(NamedTuple):
    """A match to be played.

    :ivar programs: by seat.
    :ivar seed: 32 bytes.
    """

    programs: tuple[LocalProgram, ...]
    seed: bytes


@dataclass(frozen=True)
class Series:
    """Matches with the same game and clock.

    :ivar control: the time control; None for no clock, and then bots play in the process of the match.
    :ivar jobs: matches that are played at once.
    """

    game: Game
    control: TimeControl | None = field(default_factory=TimeControl)
    jobs: int = 1

    def play(self, orders: Iterable[MatchOrder]) -> Iterator[PlayedMatch]:
        """Play matches; each is yielded as soon as it and those before it are over.

        :raises StichkampfError: a bot does not start.
        """
        with self.pool() as pool:
            yield from self.play_in(pool, orders)

    @contextmanager
    def pool(self) -> Iterator[ProcessPoolExecutor | None]:
        """Start the processes of several calls of `play_in`; None where matches are played here."""
        if self.jobs == 1:
            yield None
            return
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.jobs, mp_context=context, initializer=_ignore_interrupts)
        try:
            yield pool
        finally:
            # Bots end with the process that plays their match.
            for process in multiprocessing.active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)

    def play_in(
        self, pool: ProcessPoolExecutor | None, orders: Iterable[MatchOrder]
    ) -> Iterator[PlayedMatch]:
        """Play matches as `play` does, in processes that stay."""
        if pool is None:
            with BotProcesses() as processes:
                for order in orders:
                    yield _played(self.game, self.control, order, processes)
        else:
            yield from self._play_at_once(pool, orders)

    def _play_at_once(self, pool: ProcessPoolExecutor, orders: Iterable[MatchOrder]) -> Iterator[PlayedMatch]:
        waiting: deque[Future[PlayedMatch]] = deque()
        game = (self.game.name, self.game.seats, dict(self.game.options))
        try:
            for order in orders:
                waiting.append(pool.submit(_play_in_job, game, self.control, order))
                if len(waiting) >= AHEAD * self.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise StichkampfError("a process that played matches was ended from outside") from None


def _played(
    game: Game, control: TimeControl | None, order: MatchOrder, processes: BotProcesses
) -> PlayedMatch:
    if control is None:
        return play_match(game, [_entrant(program) for program in order.programs], order.seed)
    return ClockedMatch(game, order.programs, order.seed, processes, control, FAULT_ALLOWANCE).play_to_end()


def _entrant(program: LocalProgram) -> Entrant:
    version = program.to_json().get("version")
    return Entrant(program.name, with_values(_loaded(replace(program, values=())), program.values), version)


@cache
def _loaded(program: LocalProgram) -> type[Bot]:
    return program.load()


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which the terminal sends to all processes, to the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def _job_processes() -> BotProcesses:
    """Return the processes of bots of this job, which stay from match to match."""
    return BotProcesses()


def _play_in_job(
    game: tuple[str, int, dict[str, Json]], control: TimeControl | None, order: MatchOrder
) -> PlayedMatch:
    return _played(new_game(*game), control, order, _job_processes())
