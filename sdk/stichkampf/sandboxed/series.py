"""Many matches of one game in the sandbox of this machine, several at once if asked for, in their order."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from stichkampf.bots.practice import Failure, PlayedMatch
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.engine.game import Game
from stichkampf.errors import BotError
from stichkampf.faults import FAULT_ALLOWANCE, FaultKind
from stichkampf.local_play.programs import LocalProgram
from stichkampf.local_play.series import MatchOrder
from stichkampf.match.records import moves
from stichkampf.match.verify import verified
from stichkampf.sandboxed.archives import archive_of
from stichkampf.sandboxed.private_arbiter import PrivateArbiter
from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb

_ENDING: Final = frozenset({FaultKind.DISCONNECTED, FaultKind.RESOURCE_LIMIT, FaultKind.RESIGNED})
"""Faults after which a bot plays no further move of a match."""


@dataclass(frozen=True)
class SandboxedSeries:
    """Matches with the same game and clock, each in the sandbox of this machine.

    :ivar jobs: matches that are played at once.
    """

    game: Game
    control: TimeControl = field(default_factory=TimeControl)
    jobs: int = 1

    def play(self, orders: Iterable[MatchOrder]) -> Iterator[PlayedMatch]:
        """Play matches; each is yielded as soon as it and those before it are over.

        :raises StichkampfError: there is no sandbox here, or a bot does not start.
        """
        with PrivateArbiter() as arbiter:
            if arbiter.shortcoming:
                print(arbiter.shortcoming, file=sys.stderr)
            pool = ThreadPoolExecutor(self.jobs)
            waiting: deque[Future[PlayedMatch]] = deque()
            digests: dict[LocalProgram, str] = {}
            seatings: Counter[bytes] = Counter()
            try:
                for number, order in enumerate(orders):
                    for program in order.programs:
                        if not program.house and program not in digests:
                            digests[program] = arbiter.upload(archive_of(program))
                    lane = str(seatings[order.seed])  # a process never meets the same deals twice
                    seatings[order.seed] += 1
                    play = partial(self._play, arbiter, f"match-{number}", order, lane)
                    waiting.append(pool.submit(play, digests.copy()))
                    if len(waiting) >= self.jobs:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _play(
        self,
        arbiter: PrivateArbiter,
        key: str,
        order: MatchOrder,
        lane: str,
        digests: dict[LocalProgram, str],
    ) -> PlayedMatch:
        answer = arbiter.play(
            key,
            self.game,
            [_seat(program, digests) for program in order.programs],
            seed=order.seed,
            control=self.control,
            fault_allowance=FAULT_ALLOWANCE,
            substitute_version=house_bot(SUBSTITUTE).version,
            lane=lane,
        )
        assert answer is not None  # it has all the time
        return played(answer, order)


def _seat(program: LocalProgram, digests: dict[LocalProgram, str]) -> pb.Seat:
    if program.house:
        bot = house_bot(program.house.partition(" v")[0])
        version = int(program.house.partition(" v")[2] or bot.version)
        return pb.Seat(bot=program.name, version=version, house=bot.name)
    return pb.Seat(bot=program.name, archive_sha256=digests[program])


def played(answer: pb.FetchRecordResponse, order: MatchOrder) -> PlayedMatch:
    """Read what the arbiter says of a match, and pass on what the bots printed.

    :raises BotError: a bot does not start.
    """
    record = verified(answer.record_json, seed=order.seed)
    reports = {report.seat: report for report in answer.reports}
    for seat, report in reports.items():
        name = order.programs[seat].name
        print(report.stderr, end="", file=sys.stderr)
        if report.absent:
            why = [*filter(str.strip, report.stderr.splitlines()), *report.complaints]
            raise BotError(f"{name} does not start: {why[-1] if report.stderr.strip() else why[0]}")
    failures: list[Failure] = []
    for seat in range(len(record["seats"])):
        failures += _failures(record, seat, reports.get(seat, pb.SeatReport()))
    for entry in record["seats"]:
        if not entry["version"]:  # a bot of this machine has none
            del entry["version"]
    return PlayedMatch(record, sorted(failures, key=lambda failure: (failure.deal, failure.question)))


def _failures(record: dict[str, object], seat: int, report: pb.SeatReport) -> list[Failure]:
    """List the faults of a seat's own, without the moves that its substitute made afterwards."""
    failures: list[Failure] = []
    complaints = iter(report.complaints)
    own = (move for move in moves(record) if move.seat == seat)
    for question, move in enumerate(own, start=1):
        if not move.fault:
            continue
        kind = FaultKind(move.fault)
        ended = (
            f"its process has ended: {report.exit_kind} ({report.exit_code})" if report.exit_kind else kind
        )
        failures.append(Failure(move.deal, question, seat, kind, next(complaints, ended)))
        if kind in _ENDING or len(failures) > FAULT_ALLOWANCE:
            break
    return failures
