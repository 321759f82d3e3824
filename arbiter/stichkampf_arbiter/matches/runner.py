"""From a request to a running match, and from its end to the record."""

from __future__ import annotations

import asyncio
import logging
import secrets
from functools import partial

import stichkampf
from stichkampf.bots import house_bots
from stichkampf.bots.substitute import new_adjudicator
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.faults import FaultKind
from stichkampf.match.table import table_seed
from stichkampf.plain_text import plain
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted import KeptFromCoreError
from stichkampf_arbiter.bots.hosted_pool import Copy, Lanes
from stichkampf_arbiter.bots.house import House
from stichkampf_arbiter.bots.remote.bots import RemoteBots
from stichkampf_arbiter.bots.remote.seat import RemoteSeat
from stichkampf_arbiter.bots.turns import Blocks
from stichkampf_arbiter.matches.concurrency import Floor
from stichkampf_arbiter.matches.live_match import RunningMatch
from stichkampf_arbiter.matches.registry import Entry, Matches
from stichkampf_arbiter.matches.request import Order, new_match
from stichkampf_arbiter.matches.seating import Place
from stichkampf_arbiter.sandbox import Level, SandboxError

log = logging.getLogger(__name__)

STDERR_CHARACTERS = 64 * 1024
GAMES_TOLD = 50
GAME_CHARACTERS = 40


class Referee:
    """Plays orders.

    :ivar level: how bots of strangers are contained; recorded with every match.
    """

    def __init__(
        self,
        matches: Matches,
        house: House,
        lanes: Lanes,
        level: Level,
        remote_bots: RemoteBots,
    ) -> None:
        self.level = level
        self._matches = matches
        self._house = house
        self._lanes = lanes
        self._remote_bots = remote_bots
        self._floor = Floor()
        self._blocks = Blocks()

    def start(self, entry: Entry, order: Order) -> None:
        """Play a match; its entry tells how it goes. Its remote bots must be admitted."""
        remote = {name: self._remote_bots.seat(name) for name in order.remote_names}
        entry.starting = asyncio.ensure_future(self._start(entry, order, remote))
        entry.starting.add_done_callback(partial(self._stepped, entry))

    def cancel(self, entry: Entry) -> None:
        """End a match that is not over without a result."""
        if entry.starting is not None:
            entry.starting.cancel()
        if entry.closing is not None:
            entry.closing.cancel()
        if entry.running is not None:
            entry.running.cancel()
        self._matches.end(entry, pb.MATCH_STATE_CANCELLED)
        self._release(entry)

    async def _start(self, entry: Entry, order: Order, remote: dict[str, RemoteSeat]) -> None:
        if order.digests:
            await self._floor.enter(alone=order.alone)
            entry.on_floor = True
        turns = entry.turns = self._blocks.join(
            order.block or f"match {entry.key}", order.block_tables, order.tournament
        )
        try:
            entry.hosted = await self._lanes.take([copy for copy in order.copies if copy], order.lane, turns)
        except SandboxError as error:
            log.error("match %s: %s", entry.key, error)
            if isinstance(error, KeptFromCoreError):
                seats = (
                    seat for seat, copy in enumerate(order.copies) if copy and copy.digest == error.digest
                )
                entry.status.kept_seats.extend(seats)
            self._matches.end(entry, pb.MATCH_STATE_FAILED, str(error))
            self._release(entry)
            return
        entry.printed = {copy: bot.begin_match() for copy, bot in entry.hosted.items()}
        places = await self._places(entry, order, remote)
        match = new_match(order)
        # Bots of a match on given cards get chance of their own: seeds made from the cards would tell about
        # them.
        seed = order.seed or secrets.token_bytes(SEED_BYTES)
        seeds = [table_seed(seed, seat) for seat in range(order.game.seats)]
        adjudicator = new_adjudicator(match, seeds, fault_allowance=order.fault_allowance)
        entry.running = RunningMatch(
            adjudicator,
            order.control,
            changed=partial(self._changed, entry, order),
            broken=partial(self._broken, entry),
        )
        entry.status.state = pb.MATCH_STATE_RUNNING
        self._matches.changed(entry)
        entry.running.start(places, seeds)

    async def _places(self, entry: Entry, order: Order, remote: dict[str, RemoteSeat]) -> list[Place]:
        """By seat, who takes it, at a moment at which every bot that is there wants another table."""
        while True:
            places = await asyncio.gather(
                *(
                    self._place(seat, copy, order.game, entry, remote.get(seat.remote))
                    for seat, copy in zip(order.seats, order.copies, strict=True)
                )
            )
            streams = [place.stream for place in places if place.stream is not None]
            busy = next((stream for stream in streams if stream.full), None)
            if busy is not None:
                await busy.room()
            elif not any(stream.closed for stream in streams):
                return places

    async def _place(
        self, seat: pb.Seat, copy: Copy | None, game: Game, entry: Entry, remote: RemoteSeat | None
    ) -> Place:
        if remote is not None:
            stream = await remote.stream()
            if stream is None:
                return Place(program=remote, stream=None, fault=FaultKind.DISCONNECTED)
            if not stream.plays(game.name):
                return Place(program=remote, stream=None, reason=_unplayed(game))
            return Place(program=remote, stream=stream, returning=remote)
        if copy is None:
            return Place(program=self._house, stream=await self._house.stream(), bot=seat.house)
        bot = entry.hosted[copy]
        if bot.stream is None or bot.stream.closed:
            fault = await bot.why_lost()
            return Place(program=bot, stream=None, fault=fault or FaultKind.CRASHED)
        if not bot.stream.plays(game.name):
            return Place(program=bot, stream=None, reason=_unplayed(game))
        return Place(program=bot, stream=bot.stream)

    def _changed(self, entry: Entry, order: Order) -> None:
        running = entry.running
        if running is None or not running.adjudicator.match.over:
            self._matches.changed(entry)
        elif entry.hosted:
            entry.closing = asyncio.ensure_future(self._hear_out(running, entry, order))
            entry.closing.add_done_callback(partial(self._stepped, entry))
        else:
            self._finish(running, entry, order)

    async def _hear_out(self, running: RunningMatch, entry: Entry, order: Order) -> None:
        """What a bot prints before its last answer takes another way than the answer, and may come later."""
        await asyncio.gather(*(bot.hear_out() for bot in entry.hosted.values()))
        self._finish(running, entry, order)

    def _finish(self, running: RunningMatch, entry: Entry, order: Order) -> None:
        seed = {"seed": order.seed.hex()} if order.seed else {}
        record = running.adjudicator.match.record(
            [{"bot": seat.bot, "version": seat.version} for seat in order.seats],
            **seed,
            time_control={
                **order.control.to_json(),
                "charged": [chair.charged for chair in running.chairs],
            },
            sandbox=self.level.value,
            stichkampf=stichkampf.__version__,
        )
        entry.reports = self._reports(running, order, entry)
        self._matches.finish(entry, record)
        self._release(entry)

    def _broken(self, entry: Entry, reason: str) -> None:
        log.error("match %s: %s", entry.key, reason)
        if entry.running is not None:
            entry.status.kept_seats.extend(entry.running.kept_seats)
        self._matches.end(entry, pb.MATCH_STATE_FAILED, reason)
        self._release(entry)

    def _stepped(self, entry: Entry, task: asyncio.Task[None]) -> None:
        """A step that ends by an error of ours ends its match, which nobody would go on with."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("match %s: an error of the arbiter", entry.key, exc_info=error)
            if entry.running is not None:
                entry.running.cancel()
            self._matches.end(entry, pb.MATCH_STATE_FAILED, f"an error of the arbiter: {error!r:.200}")
            self._release(entry)

    def _release(self, entry: Entry) -> None:
        if entry.on_floor:
            entry.on_floor = False
            self._floor.leave()
        hosted, entry.hosted = entry.hosted, {}
        turns, entry.turns = entry.turns, None
        if turns is not None:
            if hosted:
                self._lanes.give_back(hosted.values(), turns)
            self._blocks.leave(turns)

    def _reports(self, running: RunningMatch, order: Order, entry: Entry) -> list[pb.SeatReport]:
        reports = []
        for chair, copy in zip(running.chairs, order.copies, strict=True):
            report = pb.SeatReport(
                seat=chair.seat, complaints=chair.complaints, stale_answers=chair.stale_answers
            )
            if copy is not None:
                bot = entry.hosted[copy]
                report.stderr = bot.stderr[entry.printed[copy] :][-STDERR_CHARACTERS:]
                report.complaints.extend([bot.trouble] if bot.trouble else [])
                report.absent = bot.stream is None
                if bot.stream is not None and not bot.stream.plays(order.game.name):
                    report.games.extend(
                        plain(name, GAME_CHARACTERS) for name in bot.stream.hello.games[:GAMES_TOLD]
                    )
                ended = bot.exit_report
                if ended is not None:
                    report.exit_kind = ended.kind.value
                    report.exit_code = ended.code if ended.code is not None else -(ended.signal or 0)
            if report.ByteSize() > pb.SeatReport(seat=chair.seat).ByteSize():
                reports.append(report)
        return reports


def _unplayed(game: Game) -> str:
    return f"the bot's program says that it does not play {game.name}; add it to `games`"


def house_bots_on_offer() -> list[pb.HouseBot]:
    return [pb.HouseBot(name=name, games=bot.games) for name, bot in house_bots().items()]
