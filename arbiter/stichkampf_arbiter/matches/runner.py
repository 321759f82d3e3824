"""Runs matches: from the request to a live match, and from its end to the record."""

from __future__ import annotations

import asyncio
import logging
import secrets
from functools import partial

import stichkampf
from stichkampf.bots.registry import house_bots
from stichkampf.bots.substitute import named_substitute, new_adjudicator
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.faults import FaultKind
from stichkampf.match.table import table_seed
from stichkampf.plain_text import plain
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted import KeptFromCoreError
from stichkampf_arbiter.bots.hosted_pool import ArchiveCopy, HostedBotPool
from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.people import PERSON_CONTROL, PeopleTables
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.bots.remote.seat import RemoteSeat
from stichkampf_arbiter.bots.turns import BlockRegistry
from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.concurrency import ConcurrencyGate
from stichkampf_arbiter.matches.live_match import LiveMatch
from stichkampf_arbiter.matches.output_counts import add_output
from stichkampf_arbiter.matches.registry import MatchEntry, MatchRegistry
from stichkampf_arbiter.matches.request import MatchRequest, new_match
from stichkampf_arbiter.matches.seating import SeatAssignment
from stichkampf_arbiter.sandbox.contract import SandboxError, SandboxLevel

log = logging.getLogger(__name__)

REPORTED_GAMES = 50
GAME_CHARACTERS = 40


class MatchRunner:
    """Plays requested matches.

    :ivar level: containment of hosted bots, recorded with every match.
    """

    def __init__(
        self,
        matches: MatchRegistry,
        house: HouseProcess,
        hosted_pool: HostedBotPool,
        level: SandboxLevel,
        remote_bots: RemoteBotRegistry,
        people: PeopleTables,
    ) -> None:
        self.level = level
        self._matches = matches
        self._house = house
        self._hosted_pool = hosted_pool
        self._remote_bots = remote_bots
        self._people = people
        self._concurrency = ConcurrencyGate()
        self._blocks = BlockRegistry()

    def start(self, entry: MatchEntry, request: MatchRequest) -> None:
        """Start to play a match. Its remote bots must be admitted."""
        remote = {name: self._remote_bots.seat(name) for name in request.remote_names}
        entry.starting = asyncio.ensure_future(self._start(entry, request, remote))
        entry.starting.add_done_callback(partial(self._on_task_done, entry))

    def cancel(self, entry: MatchEntry) -> None:
        """End a match without a result. It must not be over."""
        if entry.starting is not None:
            entry.starting.cancel()
        if entry.closing is not None:
            entry.closing.cancel()
        if entry.live is not None:
            entry.live.cancel()
        self._matches.end(entry, pb.MATCH_STATE_CANCELLED)
        self._release(entry)

    async def _start(self, entry: MatchEntry, request: MatchRequest, remote: dict[str, RemoteSeat]) -> None:
        if request.digests:
            await self._concurrency.enter(alone=request.alone)
            entry.is_admitted = True
        turns = entry.turns = self._blocks.join(
            request.block or f"match {entry.key}", request.block_tables, request.tournament
        )
        try:
            entry.hosted = await self._hosted_pool.take(
                [copy for copy in request.copies if copy], request.lane, turns
            )
        except SandboxError as error:
            log.error("match %s: %s", entry.key, error, extra={"match": entry.key})
            if isinstance(error, KeptFromCoreError):
                seats = (
                    seat for seat, copy in enumerate(request.copies) if copy and copy.digest == error.digest
                )
                entry.status.kept_seats.extend(seats)
            self._matches.end(entry, pb.MATCH_STATE_FAILED, str(error))
            self._release(entry)
            return
        entry.stderr_begin = {copy: bot.begin_match() for copy, bot in entry.hosted.items()}
        assignments = await self._seat_all(entry, request, remote)
        match = new_match(request)
        # In a match on given cards the bots get random seeds: seeds made from the cards would tell about
        # them.
        seed = request.seed or secrets.token_bytes(SEED_BYTES)
        seeds = [table_seed(seed, seat) for seat in range(request.game.seats)]
        adjudicator = new_adjudicator(
            match,
            seeds,
            fault_allowance=request.fault_allowance,
            substitute_version=request.substitute_version,
        )
        entry.live = LiveMatch(
            adjudicator,
            request.control,
            changed=partial(self._changed, entry, request),
            broken=partial(self._broken, entry),
        )
        entry.status.state = pb.MATCH_STATE_RUNNING
        self._matches.changed(entry)
        entry.live.start(assignments, seeds)

    async def _seat_all(
        self, entry: MatchEntry, request: MatchRequest, remote: dict[str, RemoteSeat]
    ) -> list[SeatAssignment]:
        """Assign a bot process to every seat, at a moment when every connected bot wants another table."""
        while True:
            assignments = await asyncio.gather(
                *(
                    self._seat(seat, copy, request.game, entry, remote.get(seat.remote))
                    for seat, copy in zip(request.seats, request.copies, strict=True)
                )
            )
            streams = [assignment.stream for assignment in assignments if assignment.stream is not None]
            busy = next((stream for stream in streams if stream.full), None)
            if busy is not None:
                await busy.wait_until_not_full()
            elif not any(stream.closed for stream in streams):
                return assignments

    async def _seat(
        self,
        seat: pb.Seat,
        copy: ArchiveCopy | None,
        game: Game,
        entry: MatchEntry,
        remote: RemoteSeat | None,
    ) -> SeatAssignment:
        if remote is not None:
            stream = await remote.stream()
            if stream is None:
                return SeatAssignment(program=remote, stream=None, fault=FaultKind.DISCONNECTED)
            if not stream.plays(game.name):
                return SeatAssignment(program=remote, stream=None, reason=_unplayed(game))
            return SeatAssignment(program=remote, stream=stream, reconnectable=remote)
        if seat.person:
            return await self._seat_person(entry)
        if copy is None:
            house = self._people.house if entry.has_people else self._house
            return SeatAssignment(program=house, stream=await house.stream(), bot=_house_name(seat))
        bot = entry.hosted[copy]
        if bot.stream is None or bot.stream.closed:
            fault = await bot.why_lost()
            return SeatAssignment(program=bot, stream=None, fault=fault or FaultKind.CRASHED)
        if not bot.stream.plays(game.name):
            return SeatAssignment(program=bot, stream=None, reason=_unplayed(game))
        return SeatAssignment(program=bot, stream=bot.stream, printed_bytes=bot.printed_bytes)

    async def _seat_person(self, entry: MatchEntry) -> SeatAssignment:
        person = self._people.seat()
        stream = await person.stream()
        return SeatAssignment(
            program=person,
            stream=stream,
            reconnectable=person,
            control=PERSON_CONTROL,
            match=entry.key,
            fault=FaultKind.DISCONNECTED,
        )

    def _changed(self, entry: MatchEntry, request: MatchRequest) -> None:
        live = entry.live
        if live is None or not live.adjudicator.match.over:
            self._matches.changed(entry)
        elif entry.hosted:
            entry.closing = asyncio.ensure_future(self._finish_with_stderr(live, entry, request))
            entry.closing.add_done_callback(partial(self._on_task_done, entry))
        else:
            self._finish(live, entry, request)

    async def _finish_with_stderr(self, live: LiveMatch, entry: MatchEntry, request: MatchRequest) -> None:
        """Finish a match with all that its bots have printed."""
        await asyncio.gather(*(bot.flush_stderr() for bot in entry.hosted.values()))
        self._finish(live, entry, request)

    def _finish(self, live: LiveMatch, entry: MatchEntry, request: MatchRequest) -> None:
        seed = {"seed": request.seed.hex()} if request.seed else {}
        match = live.adjudicator.match
        record = match.record(
            [{"bot": seat.bot, "version": seat.version} for seat in request.seats],
            **seed,
            **named_substitute(match, request.substitute_version),
            time_control={
                **request.control.to_json(),
                "charged": [seat.charged for seat in live.seats],
            },
            sandbox=self.level.value,
            stichkampf=stichkampf.__version__,
        )
        entry.reports = self._reports(live, request, entry)
        self._matches.finish(entry, record)
        self._release(entry)

    def _broken(self, entry: MatchEntry, reason: str) -> None:
        log.error("match %s: %s", entry.key, reason, extra={"match": entry.key})
        if entry.live is not None:
            entry.status.kept_seats.extend(entry.live.kept_seats)
        self._matches.end(entry, pb.MATCH_STATE_FAILED, reason)
        self._release(entry)

    def _on_task_done(self, entry: MatchEntry, task: asyncio.Task[None]) -> None:
        """Fail the match if its task ended with an error of the arbiter."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error(
                "match %s: an error of the arbiter", entry.key, exc_info=error, extra={"match": entry.key}
            )
            if entry.live is not None:
                entry.live.cancel()
            self._matches.end(entry, pb.MATCH_STATE_FAILED, f"an error of the arbiter: {error!r:.200}")
            self._release(entry)

    def _release(self, entry: MatchEntry) -> None:
        if entry.is_admitted:
            entry.is_admitted = False
            self._concurrency.leave()
        hosted, entry.hosted = entry.hosted, {}
        turns, entry.turns = entry.turns, None
        if turns is not None:
            if hosted:
                self._hosted_pool.give_back(hosted.values(), turns)
            self._blocks.leave(turns)

    def _reports(self, live: LiveMatch, request: MatchRequest, entry: MatchEntry) -> list[pb.SeatReport]:
        reports = []
        for seat, copy in zip(live.seats, request.copies, strict=True):
            report = pb.SeatReport(
                seat=seat.seat,
                complaints=seat.complaints,
                complaint_decisions=seat.complaint_decisions,
                stale_answers=seat.stale_answers,
            )
            if copy is not None:
                bot = entry.hosted[copy]
                add_output(report, bot.printed, entry.stderr_begin[copy], seat.output.lengths)
                report.complaints.extend([bot.trouble] if bot.trouble else [])
                report.absent = bot.stream is None
                if bot.stream is not None and not bot.stream.plays(request.game.name):
                    report.games.extend(games_named(bot.stream))
                ended = bot.exit_report
                if ended is not None:
                    report.exit_kind = ended.kind.value
                    report.exit_code = ended.code if ended.code is not None else -(ended.signal or 0)
            if report.ByteSize() > pb.SeatReport(seat=seat.seat).ByteSize():
                reports.append(report)
        return reports


def games_named(stream: BotStream) -> list[str]:
    """List the games of a bot's hello, as they are shown to others."""
    return [plain(name, GAME_CHARACTERS) for name in stream.hello.games[:REPORTED_GAMES]]


def _unplayed(game: Game) -> str:
    return f"the bot's program says that it does not play {game.name}; add it to `games`"


def _house_name(seat: pb.Seat) -> str:
    return f"{seat.house} v{seat.version}" if seat.version else seat.house


def house_bots_on_offer() -> list[pb.HouseBot]:
    return [pb.HouseBot(name=name, games=bot.games) for name, bot in house_bots().items()]
