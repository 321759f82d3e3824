"""The hub, which plays for all persons: between the arbiter and Redis, without Django and without rules.

    python -m stichkampf_platform.play.hub

The arbiter tells it everything again on each new stream, so it keeps nothing: when the arbiter or Redis is
away, it begins anew. Moves for a restart are in Redis before a question is there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio
import redis.asyncio
import stichkampf
from redis.exceptions import RedisError
from stichkampf.wire import WIRE_VERSION
from stichkampf.wire.v1 import arbiter_pb2, arbiter_pb2_grpc, bot_pb2_grpc, events_pb2
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_platform.core.environment import redis_address
from stichkampf_platform.play import keys

OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.enable_http_proxy", 0))
PAUSE_SECONDS = 0.3
WAIT_SECONDS = 5
KINDS = {number: name.removeprefix("EVENT_KIND_").lower() for name, number in events_pb2.EventKind.items()}

log = logging.getLogger("stichkampf.hub")


class Hub:
    """One stream of the arbiter, with the seats of all persons.

    :param bus: the client of Redis.
    :param channel: to the arbiter's control socket.
    """

    def __init__(self, bus: redis.asyncio.Redis, channel: grpc.aio.Channel) -> None:
        self._bus: Any = bus
        self._arbiter = arbiter_pb2_grpc.ArbiterStub(channel)
        self._gateway = bot_pb2_grpc.BotGatewayStub(channel)
        self._seats: dict[int, HeldSeat] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._outbox: asyncio.Queue[pb.FromBot] = asyncio.Queue()

    async def run(self) -> None:
        """Play until the stream or Redis is lost.

        :raises grpc.aio.AioRpcError: the arbiter is away, or ended the stream.
        :raises RedisError: Redis is away.
        """
        await self._bus.ping()
        call = self._gateway.Play()
        await call.write(pb.FromBot(hello=hello()))
        await call.read()
        await self._bus.xadd(keys.CONNECTIONS, {"hub": "connected"}, maxlen=1, approximate=False)
        log.info("people's seats are connected")
        tasks = [
            asyncio.ensure_future(self._read(call)),
            asyncio.ensure_future(self._write(call)),
            asyncio.ensure_future(self._take_answers()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            call.cancel()

    async def _read(self, call: Any) -> None:
        while (frame := await call.read()) is not grpc.aio.EOF:
            if frame.HasField("ping"):
                self._outbox.put_nowait(pb.FromBot(pong=pb.Pong(number=frame.ping.number)))
            elif frame.HasField("updates"):
                await self._take_updates(frame.updates.tables)

    async def _write(self, call: Any) -> None:
        while True:
            await call.write(await self._outbox.get())

    async def _take_updates(self, updates: Sequence[pb.TableUpdate]) -> None:
        for update in updates:
            if update.HasField("start"):
                self._sit_down(update)
        await self._keep_moves(
            {
                self._seats[update.table].match
                for update in updates
                if update.events or update.HasField("question")
            }
        )
        together = self._bus.pipeline(transaction=True)
        for update in updates:
            self._write_entry(together, update)
        await together.execute()

    def _sit_down(self, update: pb.TableUpdate) -> None:
        start = update.start
        seat = HeldSeat(start.match, keys.table_of(start.match), start.seat)
        self._seats[update.table] = seat
        self._numbers[seat.place] = update.table

    async def _keep_moves(self, matches: set[str]) -> None:
        """Keep the moves of these matches for a restart, before what follows from them is shown."""
        for match in matches:
            try:
                moves = await self._arbiter.FetchMoves(arbiter_pb2.FetchMovesRequest(match=match))
            except grpc.aio.AioRpcError as error:
                if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION):
                    raise
                continue  # it has just ended
            await self._bus.set(keys.moves_of(match), moves.SerializeToString(), ex=keys.KEEP_SECONDS)

    def _write_entry(self, together: Any, update: pb.TableUpdate) -> None:
        """Add the news of a seat; of a seat that has begun anew elsewhere there are none."""
        seat = self._seats[update.table]
        if self._numbers.get(seat.place) != update.table:
            if update.HasField("end"):
                del self._seats[update.table]
            return
        entries, answered = keys.entries_of(*seat.place), keys.answered_of(*seat.place)
        if update.HasField("start"):
            together.delete(entries, answered)
        entry: dict[str, Any] = {}
        if update.events:
            entry["events"] = [plain_event(event) for event in update.events]
        if update.HasField("question"):
            seat.decision = update.question.decision
            entry["question"] = [seat.decision, list(update.question.legal)]
        if update.HasField("end"):
            entry["end"] = update.end.reason
            del self._seats[update.table], self._numbers[seat.place]
        together.xadd(entries, {"entry": json.dumps(entry, separators=(",", ":"))})
        together.expire(entries, keys.KEEP_SECONDS)

    async def _take_answers(self) -> None:
        while True:
            found = await self._bus.blpop([keys.ANSWERS], timeout=WAIT_SECONDS)
            if found is None:
                continue
            table, number, decision, word = json.loads(found[1])
            held = self._numbers.get((table, number))
            if held is None:
                continue
            seat = self._seats[held]
            if seat.decision and seat.decision == decision:
                self._answer(held, seat, word)

    def _answer(self, table: int, seat: HeldSeat, word: str) -> None:
        """Answer the open question of a seat, once."""
        answer = pb.Answer(table=table, decision=seat.decision)
        if word == keys.RESIGNATION:
            answer.resignation.SetInParent()
        else:
            answer.action = word
        seat.decision = 0
        self._outbox.put_nowait(pb.FromBot(answers=pb.Answers(answers=[answer])))


class HeldSeat:
    """A seat on the stream.

    :ivar place: its table and number.
    :ivar decision: the open one; 0 while there is none, or once it is answered.
    """

    def __init__(self, match: str, table: str, number: int) -> None:
        self.match = match
        self.place = (table, number)
        self.decision = 0


def hello() -> pb.Hello:
    return pb.Hello(
        wire_version_min=WIRE_VERSION,
        wire_version_max=WIRE_VERSION,
        agent=f"stichkampf-hub/{stichkampf.__version__}",
    )


def plain_event(event: events_pb2.Event) -> list[Any]:
    """Return an event as a list for JSON: kind, seat, text, cards, numbers, facts."""
    facts = json.loads(event.facts_json) if event.facts_json else None
    return [KINDS[event.kind], event.seat, event.text, list(event.cards), list(event.numbers), facts]


async def keep_running(redis_url: str, address: str) -> None:
    """Play, and begin again when the arbiter or Redis was away, until a signal to stop comes."""
    bus = redis.asyncio.Redis.from_url(
        redis_address(redis_url), socket_timeout=2 * WAIT_SECONDS, socket_connect_timeout=WAIT_SECONDS
    )
    while True:
        async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
            try:
                await Hub(bus, channel).run()
            except (grpc.aio.AioRpcError, RedisError, asyncio.InvalidStateError) as error:
                log.warning("people's seats are not connected: %.200s", error)
        await asyncio.sleep(PAUSE_SECONDS)


async def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    state = os.environ.get("STICHKAMPF_STATE_DIR") or "."
    arbiter = os.environ.get("STICHKAMPF_GATE_ADDRESS") or os.environ.get("STICHKAMPF_ARBITER_ADDRESS")
    running = asyncio.ensure_future(
        keep_running(
            os.environ.get("REDIS_URL") or f"redis+socket://{state}/redis.sock",
            arbiter or f"unix:{state}/arbiter.sock",
        )
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, running.cancel)
    try:
        await running
    except asyncio.CancelledError:
        log.info("stopped")


if __name__ == "__main__":
    asyncio.run(main())
