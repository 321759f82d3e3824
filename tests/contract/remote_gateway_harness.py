"""Hand-written remote bots, with a gateway and matches for them, but without the control socket."""

import asyncio
import hashlib
import json
import time
from contextlib import asynccontextmanager, suppress

import grpc
from stichkampf import limits
from stichkampf.match.verify import verify
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2, bot_pb2_grpc
from stichkampf_arbiter.bots.archive_store import ArchiveStore
from stichkampf_arbiter.bots.hosted_pool import HostedBotPool
from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.bots.remote.people import PeopleTables
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.bots.remote.settings import RemoteSettings
from stichkampf_arbiter.matches.registry import MatchRegistry
from stichkampf_arbiter.matches.request import read_request
from stichkampf_arbiter.matches.runner import MatchRunner
from stichkampf_arbiter.sandbox.contract import SandboxLevel
from support import wait_until_async

SEED = bytes(range(32))
NAMES = ("ann/karl@1", "eva/berta@2", "ida/otto@3")
CONTROL = bot_pb2.TimeControl(move_seconds=20, bank_seconds=0, cap_seconds=20)
QUICK = bot_pb2.TimeControl(
    move_seconds=limits.REMOTE_MOVE_SECONDS_MIN, cap_seconds=limits.REMOTE_MOVE_SECONDS_MIN
)
FINISHED = pb.MATCH_STATE_FINISHED


def token_of(name):
    return f"token-of-{name}"


def digest_of(token):
    return hashlib.sha256(token.encode()).digest()


class Remote:
    """A hand-written remote bot.

    :ivar mute: true if it answers no pings; otherwise it does while it waits for a question.
    :ivar tables: all its updates, by table.
    """

    def __init__(self, call):
        self.call = call
        self.mute = False
        self.tables = {}
        self.welcome = None
        self._unread = []

    async def hello(self, **fields):
        hello = bot_pb2.Hello(wire_version_min=1, wire_version_max=1, **fields)
        # A refused bot may have received its status before it says hello.
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self.call.write(bot_pb2.FromBot(hello=hello))
            frame = await asyncio.wait_for(self.call.read(), 60)
            self.welcome = frame.welcome if isinstance(frame, bot_pb2.ToBot) else None

    async def answer(self, update):
        answer = bot_pb2.Answer(
            table=update.table, decision=update.question.decision, action=update.question.legal[0]
        )
        await self.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[answer])))

    async def question(self):
        """Return the next question, or None for the end of a table; one message may hold both."""
        while True:
            while self._unread:
                update = self._unread.pop(0)
                if update.HasField("question"):
                    return update
                if update.HasField("end"):
                    return None
            async with asyncio.timeout(60):
                frame = await self.call.read()
            assert frame is not grpc.aio.EOF, f"the stream ended: {await self.call.details()}"
            if frame.HasField("ping") and not self.mute:
                pong = bot_pb2.Pong(number=frame.ping.number)
                await self.call.write(bot_pb2.FromBot(pong=pong))
            for update in frame.updates.tables:
                self.tables.setdefault(update.table, []).append(update)
            self._unread += frame.updates.tables

    async def play_on(self, gate=None):
        """Answer until the table ends, and only while the gate is open, if there is one."""
        while (update := await self.question()) is not None:
            if gate is not None:
                await gate.wait()
            await self.answer(update)

    async def play_for_ever(self, gate):
        while True:
            await self.play_on(gate)

    async def ending(self):
        """Read everything, and return the status and message with which the stream ends."""
        async with asyncio.timeout(60):
            with suppress(grpc.aio.AioRpcError):
                while await self.call.read() is not grpc.aio.EOF:
                    pass
            return await self.call.code(), await self.call.details()

    def events(self, table):
        return [event for update in self.tables[table] for event in update.events]


class RemoteGatewayHarness:
    """Remote bots, their gateway, and matches among them: an arbiter without the control socket."""

    def __init__(self, folder, outage_seconds, absence_seconds):
        self.bots = RemoteBotRegistry(outage_seconds=outage_seconds, absence_seconds=absence_seconds)
        self.gateway = RemoteGateway(RemoteSettings(listen="127.0.0.1:0"), self.bots, time.monotonic)
        self.matches = MatchRegistry(keep_seconds=60)
        house = HouseProcess(folder / "house.sock", time.monotonic)
        lanes = HostedBotPool(
            None, ArchiveStore(folder / "archives"), folder, time.monotonic, most=1, idle_seconds=1
        )
        people = PeopleTables(house, time.monotonic)
        self.runner = MatchRunner(self.matches, house, lanes, SandboxLevel.REFUSED, self.bots, people)

    def admit(self, *names):
        self.bots.admit({name: digest_of(token_of(name)) for name in names})

    @asynccontextmanager
    async def bot(self, token=None, *, name=NAMES[0], **fields):
        """Open a stream of a bot, which ends with the `with` block."""
        metadata = [("authorization", f"Bearer {token or token_of(name)}")]
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(self.gateway.address, options=options) as channel:
            bot = Remote(bot_pb2_grpc.BotGatewayStub(channel).Play(metadata=metadata))
            await bot.hello(**fields)
            stream = dict(self.bots.connected).get(name) if bot.welcome and token is None else None
            yield bot
        # until the end is noticed, the next bot of this name is refused
        async with asyncio.timeout(60):
            while stream is not None and dict(self.bots.connected).get(name) is stream:
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def others(self):
        """Run two more bots, which play on their own while the yielded gate is open."""
        gate = asyncio.Event()
        gate.set()
        async with self.bot(name=NAMES[1]) as one, self.bot(name=NAMES[2]) as two:
            playing = [asyncio.ensure_future(bot.play_for_ever(gate)) for bot in (one, two)]
            yield gate
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)

    def start(self, key="m", control=CONTROL, seats=()):
        request = pb.StartMatchRequest(
            idempotency_key=key,
            game="stiche-raten",
            seats=seats or [pb.Seat(bot=name.split("@")[0], version=1, remote=name) for name in NAMES],
            seed=SEED,
            options_json='{"length": "deals:1"}',
            time_control=control,
            fault_allowance=2,
        )
        entry = self.matches.add(key, request.SerializeToString(), 3)
        self.runner.start(entry, read_request(request))
        return entry

    async def record(self, entry):
        """Wait until a match is over; return its record."""
        await wait_until_async(lambda: entry.status.state == FINISHED)
        record = json.loads(entry.record_json)
        verify(record)
        return record


@asynccontextmanager
async def open_remote_gateway(folder, *, outage_seconds=20.0, absence_seconds=60.0):
    remote_harness = RemoteGatewayHarness(folder, outage_seconds, absence_seconds)
    await remote_harness.gateway.listen()
    ticking = asyncio.ensure_future(tick(remote_harness))
    try:
        yield remote_harness
    finally:
        for entry in remote_harness.matches.unfinished():
            remote_harness.runner.cancel(entry)
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
        await remote_harness.gateway.close()


async def tick(remote_harness):
    while True:
        await asyncio.sleep(0.01)
        for _, stream in remote_harness.bots.connected:
            stream.sweep(time.monotonic())


def faults(record):
    return {(fault["seat"], fault["kind"]) for fault in record["faults"]}


async def thinking(bot, seconds):
    """Answer pings and nothing else."""
    reading = asyncio.ensure_future(bot.question())
    await asyncio.wait((reading,), timeout=seconds)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


def first_cost(record):
    first = next(at for at, move in enumerate(record["deals"][0]["moves"]) if move[0] == 0)
    return record["costs"][0][first]
