"""From a request to a running match, and from its end to the record."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import stichkampf
from stichkampf.bots import house_bot, house_bots
from stichkampf.deals import RecordedDeals
from stichkampf.errors import BotError, RecordError, SeedError, StichkampfError
from stichkampf.games import new_game
from stichkampf.match import Match
from stichkampf.rules import Game
from stichkampf.seeds import SEED_BYTES
from stichkampf.table import table_seed
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.clock import TimeControl
from stichkampf_arbiter.house import House
from stichkampf_arbiter.lanes import Copy, Lanes
from stichkampf_arbiter.match import FaultKind, Table
from stichkampf_arbiter.matches import Entry, Matches
from stichkampf_arbiter.play import Place, RunningMatch
from stichkampf_arbiter.sandbox import Level, SandboxError
from stichkampf_arbiter.substitute import HouseSubstitute

log = logging.getLogger(__name__)

SUBSTITUTE = "thumb"
STDERR_CHARACTERS = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Order:
    """A match that can be played: a request, checked."""

    game: Game
    seats: Sequence[pb.Seat]
    seed: bytes
    deals_json: str
    lane: str
    control: TimeControl
    fault_allowance: int

    @property
    def digests(self) -> set[str]:
        return {seat.archive_sha256 for seat in self.seats if seat.archive_sha256}

    @property
    def copies(self) -> list[Copy | None]:
        """By seat, which copy of its archive sits there; None for a house bot."""
        met: Counter[str] = Counter()
        copies: list[Copy | None] = []
        for seat in self.seats:
            digest = seat.archive_sha256
            copies.append(Copy(digest, met[digest]) if digest else None)
            met[digest] += 1
        return copies


def read_order(request: pb.StartMatchRequest) -> Order:
    """
    :raises StichkampfError: the request makes no match; the message says what would be right.
    """
    try:
        options = json.loads(request.options_json or "{}")
    except ValueError as error:
        raise StichkampfError(f"options_json is not JSON: {error}") from None
    if not isinstance(options, dict):
        raise StichkampfError(f"options_json must be a JSON object, not {options!r:.80}")
    game = new_game(request.game, len(request.seats), options)
    for number, seat in enumerate(request.seats):
        _check_seat(number, seat)
    cards = request.WhichOneof("cards")
    if cards is None:
        raise SeedError(f"say where the cards come from: a seed of {SEED_BYTES} bytes, or deals")
    if cards == "seed" and len(request.seed) != SEED_BYTES:
        raise SeedError(f"a match seed has {SEED_BYTES} bytes, this one has {len(request.seed)}")
    given = request.time_control
    control = (
        TimeControl(
            move_seconds=given.move_seconds, bank_seconds=given.bank_seconds, cap_seconds=given.cap_seconds
        )
        if request.HasField("time_control") and given.ByteSize()
        else TimeControl()
    )
    order = Order(
        game=game,
        seats=list(request.seats),
        seed=request.seed,
        deals_json=request.deals_json,
        lane=request.lane,
        control=control,
        fault_allowance=request.fault_allowance,
    )
    new_match(order)
    return order


def _check_seat(number: int, seat: pb.Seat) -> None:
    program = seat.WhichOneof("program")
    if not seat.bot or len(seat.bot) > 200:
        raise BotError(f"seat {number} needs a bot name of 1 to 200 characters, which the record will show")
    if program is None:
        raise BotError(f"seat {number} names no program: a house bot, or the SHA-256 of an archive")
    if program == "house":
        house_bot(seat.house)


def new_match(order: Order) -> Match:
    """
    :raises StichkampfError: the deals are not deals of this game.
    """
    if not order.deals_json:
        return Match(order.game, seed=order.seed)
    try:
        deals = json.loads(order.deals_json)
    except ValueError as error:
        raise RecordError(f"deals_json is not JSON: {error}") from None
    if not isinstance(deals, list) or not all(isinstance(deal, dict) for deal in deals):
        raise RecordError("deals_json must be a list of deals as in a match record")
    return Match(order.game, deals=RecordedDeals(order.game, deals))


class Referee:
    """Plays orders.

    :ivar level: how bots of strangers are contained; recorded with every match.
    """

    def __init__(self, matches: Matches, house: House, lanes: Lanes, level: Level) -> None:
        self.level = level
        self._matches = matches
        self._house = house
        self._lanes = lanes

    def start(self, entry: Entry, order: Order) -> None:
        """Play a match; its entry tells how it goes."""
        entry.starting = asyncio.ensure_future(self._start(entry, order))

    def cancel(self, entry: Entry) -> None:
        """End a match that is not over without a result."""
        if entry.starting is not None:
            entry.starting.cancel()
        if entry.running is not None:
            entry.running.cancel()
        self._matches.end(entry, pb.MATCH_STATE_CANCELLED)
        self._release(entry)

    async def _start(self, entry: Entry, order: Order) -> None:
        try:
            entry.hosted = await self._lanes.take([copy for copy in order.copies if copy], order.lane)
        except SandboxError as error:
            log.error("match %s: %s", entry.key, error)
            self._matches.end(entry, pb.MATCH_STATE_FAILED, str(error))
            return
        places = [
            await self._place(seat, copy, order.game, entry)
            for seat, copy in zip(order.seats, order.copies, strict=True)
        ]
        match = new_match(order)
        # Bots of a match on given cards get chance of their own: seeds made from the cards would tell about
        # them.
        seed = order.seed or secrets.token_bytes(SEED_BYTES)
        seeds = [table_seed(seed, seat) for seat in range(order.game.seats)]
        table = Table(
            match,
            lambda seat: HouseSubstitute(house_bot(SUBSTITUTE)(), order.game, seat, seeds[seat]),
            fault_allowance=order.fault_allowance,
        )
        entry.running = RunningMatch(
            table,
            order.control,
            changed=partial(self._changed, entry, order),
            broken=partial(self._broken, entry),
        )
        entry.status.state = pb.MATCH_STATE_RUNNING
        self._matches.changed(entry)
        entry.running.start(places, seeds)

    async def _place(self, seat: pb.Seat, copy: Copy | None, game: Game, entry: Entry) -> Place:
        if copy is None:
            return Place(program=self._house, stream=await self._house.stream(), bot=seat.house)
        bot = entry.hosted[copy]
        if bot.stream is None:
            fault = await bot.why_lost()
            return Place(program=bot, stream=None, fault=fault or FaultKind.CRASHED)
        return Place(program=bot, stream=bot.stream if bot.stream.plays(game.name) else None)

    def _changed(self, entry: Entry, order: Order) -> None:
        running = entry.running
        if running is None or not running.table.match.over:
            self._matches.changed(entry)
            return
        seed = {"seed": order.seed.hex()} if order.seed else {}
        record = running.table.match.record(
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
        self._matches.end(entry, pb.MATCH_STATE_FAILED, reason)
        self._release(entry)

    def _release(self, entry: Entry) -> None:
        hosted, entry.hosted = entry.hosted, {}
        self._lanes.give_back(hosted.values())

    def _reports(self, running: RunningMatch, order: Order, entry: Entry) -> list[pb.SeatReport]:
        reports = []
        for chair, copy in zip(running.chairs, order.copies, strict=True):
            bot = entry.hosted[copy] if copy else None
            report = pb.SeatReport(
                seat=chair.seat, complaints=chair.complaints, stale_answers=chair.stale_answers
            )
            if bot is not None:
                report.stderr = bot.stderr[-STDERR_CHARACTERS:]
                ended = bot.exit_report
                if ended is not None:
                    report.exit_kind = ended.kind.value
                    report.exit_code = ended.code if ended.code is not None else -(ended.signal or 0)
            if report.ByteSize() > pb.SeatReport(seat=chair.seat).ByteSize():
                reports.append(report)
        return reports


def house_bots_on_offer() -> list[pb.HouseBot]:
    return [pb.HouseBot(name=name, games=bot.games) for name, bot in house_bots().items()]
