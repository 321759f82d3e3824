"""Fixtures with real sockets: a gateway with a hand-written bot, and a whole arbiter process."""

import asyncio
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from remote_gateway_harness import open_remote_gateway
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import new_adjudicator
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.table import table_seed
from stichkampf.match.verify import verify
from stichkampf.time_control import TimeControl
from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc, bot_pb2, bot_pb2_grpc
from stichkampf_arbiter.bots.remote import gateway as remote_gateway
from stichkampf_arbiter.bots.remote.people import PERSON_CONTROL
from stichkampf_arbiter.connection.gateway import Gateway
from stichkampf_arbiter.matches.live_match import LiveMatch
from stichkampf_arbiter.matches.seating import SeatAssignment

SEED = bytes(range(32))
ORDINARY_UID = 54_321


@pytest.fixture(scope="session")
def short_folder():
    """A folder whose path leaves room for the name of a socket."""
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    yield folder
    shutil.rmtree(folder)


class RawBot:
    """A hand-written bot at the other end of the wire."""

    def __init__(self, call):
        self.call = call
        self.tables = {}

    async def hello(self, **fields):
        hello = {"wire_version_min": 1, "wire_version_max": 1} | fields
        await self.call.write(bot_pb2.FromBot(hello=bot_pb2.Hello(**hello)))
        with suppress(grpc.aio.AioRpcError):
            return await self.call.read()

    async def question(self):
        """Return the next update with a question; earlier updates are kept in `tables`."""
        while True:
            frame = await asyncio.wait_for(self.call.read(), 60)
            assert frame is not grpc.aio.EOF, f"the stream ended: {await self.call.details()}"
            for update in frame.updates.tables:
                self.tables.setdefault(update.table, []).append(update)
            asking = [update for update in frame.updates.tables if update.HasField("question")]
            if asking:
                (update,) = asking
                return update

    async def end(self):
        """Return the reason for which the last table ended."""
        while True:
            frame = await asyncio.wait_for(self.call.read(), 60)
            for update in frame.updates.tables:
                if update.HasField("end"):
                    return update.end.reason

    async def answer(self, update, action=None, **reply):
        if action is not None or not reply:
            reply["action"] = update.question.legal[0] if action is None else action
        answer = bot_pb2.Answer(table=update.table, decision=update.question.decision, **reply)
        await self.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[answer])))


class GatewayHarness:
    """A gateway, a hand-written bot, and a match in which the bot has all seats."""

    def __init__(self, gateway, address):
        self.gateway = gateway
        self.address = address
        self.loss = FaultKind.DISCONNECTED
        self.broken = []
        self.over = asyncio.Event()
        self.live = None

    @asynccontextmanager
    async def bot(self):
        async with grpc.aio.insecure_channel(
            self.address, options=[("grpc.enable_http_proxy", 0)]
        ) as channel:
            yield RawBot(bot_pb2_grpc.BotGatewayStub(channel).Play(wait_for_ready=True))

    async def why_lost(self):
        return self.loss

    async def start_match(
        self, *, control=None, fault_allowance=2, game="stiche-raten", options=None, seats=3, person=-1
    ):
        """Start a match in which the bot holds every seat, that of a person included."""
        stream = await self.gateway.stream
        control = control or TimeControl()
        rules = new_game(game, seats, {"length": "deals:1"} if options is None else options)
        adjudicator = new_adjudicator(
            Match(rules, seed=SEED),
            [table_seed(SEED, seat) for seat in range(seats)],
            fault_allowance=fault_allowance,
        )
        self.live = LiveMatch(adjudicator, control, changed=self._changed, broken=self._break)
        of_bot = SeatAssignment(program=self, stream=stream)
        of_person = SeatAssignment(program=self, stream=stream, control=PERSON_CONTROL, match="its match")
        self.live.start(
            [of_person if seat == person else of_bot for seat in range(seats)],
            [table_seed(SEED, seat) for seat in range(seats)],
        )
        return adjudicator.match

    def _changed(self):
        if self.live.adjudicator.match.over:
            self.over.set()

    def _break(self, reason):
        self.broken.append(reason)
        self.over.set()


@pytest.fixture
async def timeless_harness(short_folder):
    """A harness in which nothing times out unless the test sweeps."""
    socket = short_folder / f"{os.getpid()}-{time.monotonic_ns()}.sock"
    gateway = Gateway("a test", time.monotonic)
    await gateway.listen(socket)
    yield GatewayHarness(gateway, f"unix:{socket}")
    await gateway.close()


@pytest.fixture
async def harness(timeless_harness):
    ticking = asyncio.ensure_future(_tick(timeless_harness.gateway))
    yield timeless_harness
    ticking.cancel()
    with suppress(asyncio.CancelledError):
        await ticking


async def _tick(gateway):
    stream = await asyncio.shield(gateway.stream)
    while True:
        await asyncio.sleep(0.01)
        stream.sweep(time.monotonic())


class ArbiterProcess:
    """A process of `python -m stichkampf_arbiter`, and a channel to it."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.socket = folder / "arbiter.sock"
        self.log = folder / "log"
        self.environment = environment
        self.process = None
        self.start()

    def start(self):
        environment = {"PATH": os.environ["PATH"], "STICHKAMPF_ARBITER_ADDRESS": f"unix:{self.socket}"}
        environment |= {"STICHKAMPF_STATE_DIR": str(self.folder), **self.environment}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "stichkampf_arbiter"], env=environment, stdout=log, stderr=log
            )
        self.channel = grpc.insecure_channel(f"unix:{self.socket}", options=[("grpc.enable_http_proxy", 0)])
        self.stub = arbiter_pb2_grpc.ArbiterStub(self.channel)

    def status(self):
        return self.stub.GetStatus(pb.GetStatusRequest(), timeout=600, wait_for_ready=True)

    def kill(self):
        self.channel.close()
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.channel.close()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)

    def wait_over(self, *keys, seconds=600):
        """Wait until these matches are over; return their statuses."""
        over = {}
        for news in self.stub.WatchMatches(pb.WatchMatchesRequest(matches=keys), timeout=seconds):
            if news.match.state in MATCH_OVER:
                over[news.match.match] = news.match
        return [over[key] for key in keys]

    def upload(self, content):
        digest = hashlib.sha256(content).hexdigest()
        half = len(content) // 2
        parts = [
            pb.UploadBotRequest(archive_sha256=digest, chunk=content[:half]),
            pb.UploadBotRequest(chunk=content[half:]),
        ]
        assert self.stub.UploadBot(iter(parts)).archive_bytes == len(content)
        return digest

    def start_hosted(
        self,
        key,
        digest,
        *,
        first=0,
        copies=1,
        others=None,
        lane="0",
        length="deals:1",
        move_seconds=2.0,
        **fields,
    ):
        """Start a match of three; an archive holds one seat per copy, from the first on.

        :param fields: further fields of the request.
        """
        program = {"archive_sha256": others} if others else {"house": "thumb"}
        request = pb.StartMatchRequest(
            idempotency_key=key,
            game="stiche-raten",
            seats=[
                pb.Seat(bot="eva/karl", version=4, archive_sha256=digest)
                if first <= seat < first + copies
                else pb.Seat(bot="the/others", version=house_bot("thumb").version, **program)
                for seat in range(3)
            ],
            seed=SEED,
            options_json=json.dumps({"length": length}),
            lane=lane,
            time_control=bot_pb2.TimeControl(
                move_seconds=move_seconds, bank_seconds=0, cap_seconds=move_seconds
            ),
            fault_allowance=2,
            **fields,
        )
        self.stub.StartMatch(request)

    def finished(self, key):
        """Wait until a match is finished; return its record and the reports by seat."""
        (status,) = self.wait_over(key)
        assert status.state == pb.MATCH_STATE_FINISHED, status.reason
        answer = self.stub.FetchRecord(pb.FetchRecordRequest(match=key))
        record = json.loads(answer.record_json)
        verify(record)
        return record, {report.seat: report for report in answer.reports}


def arbiter_folder():
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    if os.getuid() == 0:
        os.chown(folder, ORDINARY_UID, ORDINARY_UID)
    return folder


@contextmanager
def _new_arbiter(**environment):
    folder = arbiter_folder()
    (folder / "tmp").mkdir(mode=0o777)
    (folder / "tmp").chmod(0o1777)
    arbiter = ArbiterProcess(folder, TMPDIR=str(folder / "tmp"), **environment)
    try:
        arbiter.status()
        yield arbiter
    finally:
        arbiter.kill()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def new_arbiter():
    """A function that starts arbiters which a test may kill."""
    return _new_arbiter


@pytest.fixture(scope="session")
def arbiter():
    """One arbiter for all tests that leave it alive."""
    with _new_arbiter() as arbiter:
        yield arbiter
        assert arbiter.stop() == 0, arbiter.log.read_text()


@pytest.fixture
def mortal_arbiter():
    """An arbiter that a test may kill."""
    with _new_arbiter() as arbiter:
        yield arbiter


@pytest.fixture
def no_pause_between_two_streams(monkeypatch):
    monkeypatch.setattr(remote_gateway, "ARRIVAL_SECONDS", 0.0)


@pytest.fixture
async def remote_harness(short_folder):
    async with open_remote_gateway(short_folder) as remote_harness:
        yield remote_harness
