"""Remote bots end to end: a real arbiter, the real `stichkampf connect`, and a bad network between them."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from bad_network import BadNetwork
from chat_endpoint import chat_endpoint
from documents import lines_programs
from stichkampf import limits
from stichkampf.bots.practice import entrant, play_match
from stichkampf.connection.server import KEEPALIVE_SECONDS, KEEPALIVE_TIMEOUT_SECONDS
from stichkampf.games import new_game
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2
from support import children_of, free_port, is_running, poll, wait_until

# Thinking is measured here: no second test of this file shall run beside one.
pytestmark = pytest.mark.xdist_group("remote")

SEED = bytes(range(32))
SECONDS = 120.0
ARBITER_NOTICES_SECONDS = 10.0
"""Keepalive and timeout of the arbiter's listener."""
BOT = """
import time
from stichkampf import Bot

class Karl(Bot):
    def __init__(self):
        self.moves = 0

    def choose(self, table):
        self.moves += 1
        print("asked", flush=True)
        {code}
        return table.legal[(7 * len(table.history) + self.moves) % len(table.legal)]
"""
MEETS = """
import asyncio
from stichkampf import Bot

meeting = asyncio.Barrier(2)

class Karl(Bot):
    met = False

    async def choose(self, table):
        if not self.met:
            await meeting.wait()  # until it is asked at another table too
            self.met = True
        return table.legal[0]
"""
QUICK = "pass"
LAG_SECONDS = 0.02
"""The lag of a network at most, on a machine that has time for it."""
TRIES = 5


def thinks(share):
    """Write a bot that takes this share of its limit for every decision."""
    return f"time.sleep({share} * table.seconds)"


class Connected:
    """A process of `stichkampf connect`.

    :ivar folder: folder of its bot.py.
    """

    def __init__(self, folder, *arguments, **environment):
        self.folder = folder
        self.log = folder / f"log-{time.monotonic_ns()}"
        environment = {"PATH": os.environ["PATH"], **environment}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [Path(sys.executable).with_name("stichkampf"), "connect", *arguments],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # as in a terminal of its own
            )

    def said(self):
        return self.log.read_text()

    def says(self, words, seconds=SECONDS):
        poll(lambda: words in self.said() or self.process.poll() is not None, seconds)
        assert words in self.said(), self.said()

    def asked(self):
        """Return the number of questions to its bots so far."""
        return self.said().count("asked\n")

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


class Arena:
    """An arbiter that takes remote bots, and the bots that a test connects.

    :ivar port: port to which they connect.
    """

    def __init__(self, arbiter, port, folder):
        self.arbiter = arbiter
        self.port = port
        self.folder = folder
        self.names = []
        self.processes = []

    def admit(self, reasons=None):
        """Admit all bots whose names were given out so far, and say by name why some play no more."""
        told = reasons or {}
        digests = {name: hashlib.sha256(self.token(name).encode()).digest() for name in self.names}
        bots = [
            pb.RemoteBot(name=name, token_sha256=digest, plays_no_more=told.get(name, ""))
            for name, digest in digests.items()
        ]
        self.arbiter.stub.AdmitRemoteBots(
            pb.AdmitRemoteBotsRequest(bots=bots), timeout=60, wait_for_ready=True
        )

    def token(self, name):
        return "skr_" + hashlib.sha256(name.encode()).hexdigest()

    def new_name(self):
        """Return the name of a bot that is admitted."""
        self.names.append(f"ann/karl@{len(self.names) + 1}")
        self.admit()
        return self.names[-1]

    def connect(self, name, code=QUICK, port=None, *arguments, **environment):
        """Connect this bot, and wait until it is connected."""
        bot = self.start(name, code, port, *arguments, **environment)
        bot.says("connected")
        return bot

    def start(self, name, code=QUICK, port=None, *arguments, **environment):
        folder = self.folder / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        (folder / "bot.py").write_text(BOT.format(code=code))
        server = f"127.0.0.1:{port or self.port}"
        environment = {"STICHKAMPF_TOKEN": self.token(name), **environment}
        return self.run(folder, "bot.py", "--server", server, *arguments, **environment)

    def run(self, folder, *arguments, **environment):
        bot = Connected(folder, *arguments, **environment)
        self.processes.append(bot.process)
        return bot

    def play(self, key, *names, move_seconds=2.0, deals=2, fault_allowance=2):
        """Start a match of three; house bots take the other seats."""
        seats = [pb.Seat(bot=name.partition("@")[0], version=1, remote=name) for name in names]
        seats += [pb.Seat(bot="house/thumb", version=2, house="thumb")] * (3 - len(seats))
        self.arbiter.stub.StartMatch(
            pb.StartMatchRequest(
                idempotency_key=key,
                game="stiche-raten",
                seats=seats,
                seed=SEED,
                options_json=json.dumps({"length": f"deals:{deals}"}),
                time_control=bot_pb2.TimeControl(
                    move_seconds=move_seconds, bank_seconds=0, cap_seconds=move_seconds
                ),
                fault_allowance=fault_allowance,
            )
        )

    def record(self, key):
        return self.arbiter.finished(key)[0]

    def there(self, name):
        """Return the bot's entry in the arbiter's list; None if it is not connected."""
        bots = self.arbiter.stub.ListBots(pb.ListBotsRequest()).bots
        return next((bot for bot in bots if bot.program == f"remote:{name}"), None)

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()


def arena_of(arbiter, port, folder):
    arena = Arena(arbiter, port, folder)
    arena.admit()
    return arena


@pytest.fixture(scope="module")
def shared(new_arbiter, tmp_path_factory):
    port = free_port()
    with new_arbiter(STICHKAMPF_ARBITER_REMOTE_LISTEN=f"127.0.0.1:{port}") as arbiter:
        yield arena_of(arbiter, port, tmp_path_factory.mktemp("bots"))


@pytest.fixture
def arena(shared):
    """An arena for all tests that leave its arbiter alive."""
    yield shared
    shared.close()


@pytest.fixture
def network(arena):
    with BadNetwork(arena.port) as network:
        yield network
        arena.close()


def own_moves(record, seats):
    """Return the moves of these seats as (deal, position in the deal, seat)."""
    deals = enumerate(record["deals"])
    return [(d, m, seat) for d, deal in deals for m, (seat, _) in enumerate(deal["moves"]) if seat in seats]


def played(record):
    return {field: record[field] for field in ("options", "deals", "faults", "scores", "ranks")}


def test_a_program_that_speaks_json_lines_plays_several_tables_at_once(arena):
    name = arena.new_name()
    folder = arena.folder / "program"
    folder.mkdir()
    (folder / "karl.sh").write_text(lines_programs()["karl.sh"])
    (folder / "karl.sh").chmod(0o755)
    words = ["./karl.sh", "--server", f"127.0.0.1:{arena.port}", "--jobs", "2"]
    bot = arena.run(folder, *words, STICHKAMPF_TOKEN=arena.token(name))
    bot.says("connected")
    keys = [f"program-{number}" for number in range(4)]
    for key in keys:
        arena.play(key, name)
    for key in keys:
        record = arena.record(key)
        assert record["faults"] == []
        assert own_moves(record, {0})
    (program, *_) = children_of(bot.process.pid)
    bot.process.send_signal(signal.SIGTERM)
    assert bot.process.wait(60) == 0
    wait_until(lambda: not is_running(program))


def test_an_async_bot_decides_at_several_tables_at_once(arena):
    name = arena.new_name()
    folder = arena.folder / "async"
    folder.mkdir()
    (folder / "bot.py").write_text(MEETS)
    server = f"127.0.0.1:{arena.port}"
    bot = arena.run(folder, "bot.py", "--server", server, STICHKAMPF_TOKEN=arena.token(name))
    bot.says("connected")
    keys = ["async-0", "async-1"]
    for key in keys:
        arena.play(key, name, move_seconds=60)
    for key in keys:
        record = arena.record(key)
        assert record["faults"] == []
        assert own_moves(record, {0})


def test_a_language_model_plays_several_tables_and_leaves_when_its_tokens_are_spent(arena):
    name = arena.new_name()
    folder = arena.folder / "model"
    folder.mkdir()
    with chat_endpoint() as (model, address):
        words = ["--llm", address, "--model", "karl-7b", "--server", f"127.0.0.1:{arena.port}", "--jobs", "2"]
        # Two threads ask at most four times, of the six decisions that are choices.
        limit = ["--token-limit", "300", "--prices", "1,5", "--log", "log.jsonl"]
        tokens = {"STICHKAMPF_TOKEN": arena.token(name), "STICHKAMPF_LLM_KEY": "sk-secret"}
        bot = arena.run(folder, *words, *limit, **tokens)
        bot.says("connected")
        model.pause()
        keys = [f"model-{number}" for number in range(3)]
        for key in keys:
            arena.play(key, name, move_seconds=60)
        wait_until(lambda: arena.there(name).tables == len(keys))
        model.resume()
        records = [arena.record(key) for key in keys]
        assert bot.process.wait(SECONDS) == 0
    assert [record["faults"] for record in records] == [[]] * 3
    noted = [note["note"]["text"] for record in records for note in record["notes"]]
    assert any("Choice: " in text for text in noted)
    assert any("rule of thumb" in text for text in noted)
    assert "the limit of tokens is reached" in bot.said()
    assert "sk-secret" not in bot.said()
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert len(log) == len(model.asked) - 1, "all requests but the one that tried the endpoint"


def test_a_bot_plays_many_tables_on_one_connection(arena):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.1)", None, "--tables", "10")
    keys = [f"many-{number}" for number in range(10)]
    for key in keys:
        arena.play(key, name)
    assert wait_until(lambda: arena.there(name).tables >= 8)
    records = [arena.record(key) for key in keys]
    local = play_match(
        new_game("stiche-raten", 3, {"length": "deals:2"}),
        [entrant(str(bot.folder / "bot.py")), entrant("thumb"), entrant("thumb")],
        SEED,
    ).record
    assert [played(record) for record in records] == [played(local)] * 10
    assert bot.end() == 0
    assert bot.said().count("connected") == 1
    assert "stopped; tables: 10 finished, 0 open" in bot.said()


def test_further_matches_wait_for_a_bot_that_wants_one_table(arena):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.05)", None, "--tables", "1")
    keys = [f"one-by-one-{number}" for number in range(4)]
    for key in keys:
        arena.play(key, name, deals=1)
    most = 0
    while bot.asked() < 8:
        most = max(most, wait_until(lambda: arena.there(name)).tables)
    assert most == 1
    assert [arena.record(key)["faults"] for key in keys] == [[]] * 4


def test_jitter_of_200_ms_costs_a_bot_at_90_percent_of_its_limit_no_move(arena, network):
    network.jitter_seconds = limits.REMOTE_JITTER_SECONDS
    names = [arena.new_name() for _ in range(6)]
    for name in names:
        arena.start(name, thinks(0.9), network.port)
    wait_until(lambda: all(arena.there(name) for name in names))
    for number in range(TRIES):
        network.lag_seconds = 0.0
        keys = [f"jitter-{number}-{match}" for match in range(2)]
        for key, seats in zip(keys, (names[:3], names[3:]), strict=True):
            arena.play(key, *seats, move_seconds=limits.REMOTE_MOVE_SECONDS_MIN)
        records = [arena.record(key) for key in keys]
        assert [record["time_control"]["charged"] for record in records] == [["wall"] * 3] * 2
        faults = [fault for record in records for fault in record["faults"]]
        # A network that lags is worse than promised.
        if not faults or network.lag_seconds < LAG_SECONDS:
            break
    assert faults == []


def test_an_overrun_of_twice_the_limit_is_always_a_timeout(arena, network):
    network.jitter_seconds = limits.REMOTE_JITTER_SECONDS
    matches = {}
    for key, port in (("overrun", arena.port), ("overrun-and-jitter", network.port)):
        matches[key] = [arena.new_name() for _ in range(3)]
        for name in matches[key]:
            arena.start(name, thinks(2), port)
    for key, names in matches.items():
        wait_until(lambda names=names: all(arena.there(name) for name in names))
        arena.play(key, *names, move_seconds=limits.REMOTE_MOVE_SECONDS_MIN, deals=1, fault_allowance=9)
    for key in matches:
        record = arena.record(key)
        late = [(fault["deal"], fault["move"], fault["seat"]) for fault in record["faults"]]
        assert late == own_moves(record, {0, 1, 2})
        assert {fault["kind"] for fault in record["faults"]} == {"timeout"}


def test_a_match_with_a_cut_connection_ends_as_without_the_cut(arena, network):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.1)", network.port)
    arena.play("whole", name, deals=4)
    whole = arena.record("whole")
    assert bot.asked() == len(own_moves(whole, {0})) == 14
    arena.play("cut", name, deals=4)
    wait_until(lambda: bot.asked() >= 18)
    network.cut()
    wait_until(lambda: not arena.there(name))
    network.mend()
    wait_until(lambda: "connected again" in bot.said())
    record = arena.record("cut")
    assert record["faults"] == []
    assert played(record) == played(whole)


def test_a_bot_that_thinks_on_during_a_cut_is_asked_once(arena, network):
    name = arena.new_name()
    bot = arena.connect(name, thinks(0.8), network.port)
    arena.play("thinks-on", name, move_seconds=2.0, deals=1)
    wait_until(lambda: bot.asked() == 1)
    network.cut()
    wait_until(lambda: "lost" in bot.said())
    network.mend()
    assert arena.record("thinks-on")["faults"] == []
    assert bot.asked() == 2


def test_a_silent_connection_is_noticed_by_the_bot_and_costs_it_nothing(arena, network):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.2)", network.port)
    arena.play("silent", name, deals=3, move_seconds=1.0)
    wait_until(lambda: bot.asked() >= 3)
    network.swallow()
    bot.says("lost", 2.5 * (KEEPALIVE_SECONDS + KEEPALIVE_TIMEOUT_SECONDS))
    bot.says("connected again")
    assert arena.record("silent")["faults"] == []


def test_a_new_process_resumes_the_tables_of_a_silent_connection(arena, network):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.1)", network.port)
    keys = [f"taken-up-{number}" for number in range(3)]
    for key in keys:
        arena.play(key, name, deals=3, move_seconds=1.0)
    wait_until(lambda: bot.asked() >= 9)
    network.swallow()
    bot.end(signal.SIGKILL)
    wait_until(lambda: not arena.there(name), 2 * ARBITER_NOTICES_SECONDS)
    arena.connect(name, "time.sleep(0.1)", network.port)
    assert [arena.record(key)["faults"] for key in keys] == [[]] * 3


def test_a_restarted_process_plays_on_as_the_killed_one_would_have(arena):
    name = arena.new_name()
    code = "self.moves = 1; time.sleep(0.1)"
    bot = arena.connect(name, code)
    arena.play("not-killed", name, deals=3)
    whole = arena.record("not-killed")
    before = bot.asked()
    arena.play("killed", name, deals=3)
    wait_until(lambda: bot.asked() >= before + 4)
    bot.end(signal.SIGKILL)
    arena.connect(name, code)
    record = arena.record("killed")
    assert record["faults"] == []
    assert played(record) == played(whole)


def test_a_bot_reconnects_to_the_next_arbiter_process(new_arbiter, tmp_path):
    port = free_port()
    with new_arbiter(STICHKAMPF_ARBITER_REMOTE_LISTEN=f"127.0.0.1:{port}") as arbiter, ExitStack() as stack:
        arena = arena_of(arbiter, port, tmp_path)
        stack.callback(arena.close)
        name = arena.new_name()
        bot = arena.connect(name, "time.sleep(0.05)")
        arena.play("before", name, deals=1)
        arena.play("longer", name, deals=50)
        wait_until(lambda: arena.there(name).tables)
        watching = arbiter.stub.WatchMatches(pb.WatchMatchesRequest(matches=["before"]), timeout=SECONDS)
        next(watching)
        arbiter.process.send_signal(signal.SIGTERM)
        *_, last = (news.match for news in watching)
        assert (last.state, list(last.faults)) == (pb.MATCH_STATE_FINISHED, [])
        bot.says("is about to stop; open tables have 5 s")
        assert arbiter.process.wait(SECONDS) == 0
        bot.says("trying again")
        arbiter.channel.close()
        arbiter.start()
        # Until the platform has sent its list no bot may connect, and none is told that it may not.
        arbiter.status()
        arena.admit()
        bot.says("connected again")
        arena.play("after", name, deals=1)
        assert arena.record("after")["faults"] == []
        assert bot.end() == 0


def test_a_second_process_of_the_same_bot_waits_for_the_first_to_end(arena):
    name = arena.new_name()
    first = arena.connect(name)
    second = arena.start(name)
    second.says("ALREADY_EXISTS")
    assert first.end() == 0
    second.says("connected to")
    assert second.process.poll() is None


def test_an_unknown_token_ends_the_command_and_names_the_right_one(arena):
    stranger = arena.start("eve/eve@1")
    assert stranger.process.wait(SECONDS) == 1
    assert "it does not know this token; it takes the latest one that the site showed" in stranger.said()
    assert arena.token("eve/eve@1") not in stranger.said()


def test_a_revoked_token_ends_the_command(arena):
    name = arena.new_name()
    bot = arena.connect(name)
    arena.names.remove(name)
    arena.admit()
    assert bot.process.wait(SECONDS) == 1
    assert "UNAUTHENTICATED" in bot.said()


def test_a_suspension_ends_the_command_after_its_open_tables_whatever_token_it_has(arena):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.05)")
    arena.play("suspended", name, deals=1)
    wait_until(lambda: arena.there(name).tables)
    arena.admit({name: "suspended: Of its last 8 matches, 8 had a fault."})
    assert bot.process.wait(SECONDS) == 1
    assert arena.record("suspended")["faults"] == []
    assert "plays no more here: suspended: Of its last 8 matches, 8 had a fault." in bot.said()
    again = arena.start(name)
    assert again.process.wait(SECONDS) == 1
    assert "suspended: Of its last 8 matches" in again.said()
    arena.admit()
    assert arena.connect(name).end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_ctrl_c_or_a_service_manager_lets_open_tables_end(arena, number):
    name = arena.new_name()
    bot = arena.connect(name, "time.sleep(0.2)")
    keys = [f"last-{number.name}-{table}" for table in (1, 2)]
    for key in keys:
        arena.play(key, name, deals=1)
    wait_until(lambda: arena.there(name).tables == 2)
    assert bot.end(number) == 0
    assert [arena.record(key)["faults"] for key in keys] == [[], []]
    assert "stopped; tables: 2 finished, 0 open" in bot.said()


def test_the_second_ctrl_c_ends_a_bot_that_never_stops_thinking(arena):
    name = arena.new_name()
    bot = arena.connect(name, "while True: pass")
    arena.play("for-ever", name, deals=1)
    wait_until(bot.asked)
    bot.process.send_signal(signal.SIGINT)
    bot.says("Ctrl-C again stops at once")
    assert bot.end() == 130
    assert "stopped; tables: 0 finished, 1 open" in bot.said()


def test_the_example_of_the_guide_connects_and_plays_from_an_empty_folder(arena, tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "remote-bots.md").read_text()
    name = arena.new_name()
    (tmp_path / "bot.py").write_text(re.search(r"```python\n(.*?)```", guide, re.DOTALL)[1])
    (tmp_path / "token").write_text(arena.token(name) + "\n")
    *arguments, address = re.search(r"/stichkampf connect (.* --token-file .*)$", guide, re.MULTILINE)[
        1
    ].split()
    assert address.startswith("127.0.0.1:")
    bot = arena.run(tmp_path, *arguments, f"127.0.0.1:{arena.port}")
    bot.says("connected to")
    arena.play("example", name)
    assert arena.record("example")["faults"] == []
    assert bot.end() == 0


def test_a_bot_with_tls_is_told_that_the_server_has_none(arena):
    bot = arena.start(arena.new_name(), QUICK, None, "--no-plaintext")
    bot.says("cannot connect to")
    assert "UNAVAILABLE" in bot.said()
    assert bot.end() == 0


@pytest.fixture
def certificate():
    """A folder that the arbiter can read, with key.pem and certificate.pem of this machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        command += [
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ]
        command += ["-keyout", "key.pem", "-out", "certificate.pem"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (folder / "key.pem").chmod(0o644)
        yield folder


def test_a_match_is_played_over_tls_with_a_trusted_certificate(new_arbiter, certificate, tmp_path):
    port = free_port()
    environment = {
        "STICHKAMPF_ARBITER_REMOTE_LISTEN": f"127.0.0.1:{port}",
        "STICHKAMPF_ARBITER_REMOTE_TLS_CERTIFICATE": str(certificate / "certificate.pem"),
        "STICHKAMPF_ARBITER_REMOTE_TLS_KEY": str(certificate / "key.pem"),
    }
    with new_arbiter(**environment) as arbiter, ExitStack() as stack:
        arena = arena_of(arbiter, port, tmp_path)
        stack.callback(arena.close)
        name = arena.new_name()
        doubter = arena.start(name, QUICK, None, "--no-plaintext")
        doubter.says("CERTIFICATE_VERIFY_FAILED")
        assert doubter.end() == 0
        roots = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(certificate / "certificate.pem")}
        arena.connect(name, QUICK, None, "--no-plaintext", **roots)
        arena.play("tls", name)
        assert arena.record("tls")["faults"] == []
