"""A remote bot before a hand-written arbiter."""

import asyncio
import json
import threading
from contextlib import suppress
from types import SimpleNamespace

import grpc
import pytest
from stichkampf import Bot
from stichkampf.connection import reconnect
from stichkampf.connection import remote_bot as bot_module
from stichkampf.connection.reconnect import ReconnectBackoff, StreamEnd
from stichkampf.connection.remote_bot import NotAdmitted, RemoteBot
from stichkampf.connection.server import Server
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import bot_pb2_grpc
from support import wait_until_async
from wire_events import to_wire

pytestmark = pytest.mark.machine


class First(Bot):
    def choose(self, table):
        return table.legal[0]


class ScriptedArbiter(bot_pb2_grpc.BotGatewayServicer):
    """Treats each stream by the next of `behaviours`, further streams by the last one.

    :ivar hellos: the first message of each stream.
    :ivar tokens: the token of each stream.
    """

    def __init__(self, *behaviours):
        self.behaviours = list(behaviours)
        self.hellos = []
        self.tokens = []

    async def Play(self, _, context):
        self.tokens.append(dict(context.invocation_metadata())["authorization"])
        self.hellos.append((await context.read()).hello)
        behave = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        await behave(context)


async def welcome(context, token=b"0123456789abcdef"):
    await context.write(pb.ToBot(welcome=pb.Welcome(wire_version=1, resume_token=token)))


async def stay(context):
    await welcome(context)
    await context.read()


def refuse(code, words="not you"):
    async def behave(context):
        await context.abort(code, words)

    return behave


def question(table=1):
    match = Match(new_game("stiche-raten", 3, {"length": "deals:1"}), seed=bytes(32))
    (seat,) = match.to_act()[:1]
    start = pb.TableStart(
        game="stiche-raten", options_json=json.dumps(match.game.options), seats=3, seat=seat, seed=bytes(32)
    )
    asked = pb.Question(decision=1, legal=match.legal(seat), seconds=5)
    events = [to_wire(event) for event in match.events(seat)]
    update = pb.TableUpdate(table=table, start=start, events=events, question=asked)
    return pb.ToBot(updates=pb.Updates(tables=[update]))


@pytest.fixture
async def dial(monkeypatch):
    """Starts an arbiter and a remote bot."""
    monkeypatch.setattr(reconnect, "FIRST_PAUSE_SECONDS", 0.02)
    monkeypatch.setattr(reconnect, "LONGEST_PAUSE_SECONDS", 0.05)
    open_things = []

    async def dial(*behaviours, make_bot=lambda _: First(), games=("mue", "njet"), play=True, **options):
        arbiter = ScriptedArbiter(*behaviours)
        server = grpc.aio.server()
        bot_pb2_grpc.add_BotGatewayServicer_to_server(arbiter, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        said = []
        bot = RemoteBot(
            Server.at(f"127.0.0.1:{port}"),
            "skr_abc",
            make_bot,
            games=games,
            tables_at_once=7,
            say=said.append,
            **options,
        )
        playing = asyncio.ensure_future(bot.play()) if play else None
        open_things.append((server, playing))
        return SimpleNamespace(arbiter=arbiter, bot=bot, playing=playing, said=said, port=port)

    yield dial
    for server, playing in open_things:
        if playing is not None:
            playing.cancel()
            with suppress(asyncio.CancelledError, StichkampfError):
                await playing
        await server.stop(0)


async def test_hello_carries_token_and_games_and_the_author_learns_of_the_connection(dial):
    scene = await dial(stay)
    await wait_until_async(lambda: scene.said)
    (hello,) = scene.arbiter.hellos
    assert (hello.wire_version_min, hello.wire_version_max, list(hello.games)) == (1, 1, ["mue", "njet"])
    assert (hello.resume_token, hello.tables_at_once) == (b"", 7)
    assert scene.arbiter.tokens == ["Bearer skr_abc"]
    assert scene.said == [f"connected to 127.0.0.1:{scene.port}, for mue, njet"]


async def test_a_bot_for_every_game_is_announced_for_the_games_of_its_version(dial):
    scene = await dial(stay, games=GAMES)
    await wait_until_async(lambda: scene.said)
    assert list(scene.arbiter.hellos[0].games) == list(GAMES)
    assert scene.said == [f"connected to 127.0.0.1:{scene.port}, for the games of its version"]


async def test_with_several_jobs_one_table_thinks_while_another_waits(dial):
    meeting = threading.Barrier(2)
    answered = []

    class Waits(Bot):
        def choose(self, table):
            meeting.wait(60)
            return table.legal[0]

    async def ask_at_two_tables(context):
        await welcome(context)
        await context.write(question(1))
        await context.write(question(2))
        for _ in range(2):
            answered.extend(answer.table for answer in (await context.read()).answers.answers)
        await context.read()

    await dial(ask_at_two_tables, make_bot=lambda _: Waits(), jobs=2)
    await wait_until_async(lambda: len(answered) == 2)
    assert sorted(answered) == [1, 2]


async def test_pings_are_answered_while_a_bot_thinks(dial):
    free = []
    order = []

    class Busy(Bot):
        def choose(self, table):
            while not free:
                pass
            return table.legal[0]

    async def ask_and_ping(context):
        await welcome(context)
        await context.write(question())
        for number in (7, 8):
            await context.write(pb.ToBot(ping=pb.Ping(number=number)))
            order.append((await context.read()).pong.number)
        free.append(True)
        order.append((await context.read()).answers.answers[0].table)
        await context.read()

    await dial(ask_and_ping, make_bot=lambda _: Busy())
    await wait_until_async(lambda: len(order) == 3)
    assert order == [7, 8, 1]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "it does not know this token; it takes the latest one"),
        (grpc.StatusCode.FAILED_PRECONDITION, "its wire version and the bot's do not match"),
        (grpc.StatusCode.INVALID_ARGUMENT, "it does not understand what this bot says"),
        (grpc.StatusCode.UNIMPLEMENTED, "this is not where remote bots dial in"),
    ],
)
async def test_a_fatal_status_ends_the_bot_at_once(dial, code, words):
    scene = await dial(refuse(code))
    with pytest.raises(NotAdmitted) as caught:
        await scene.playing
    assert words in str(caught.value)
    assert f"({code.name}: not you)" in str(caught.value)
    assert "skr_abc" not in str(caught.value)
    assert len(scene.arbiter.hellos) == 1


async def test_a_stream_closed_for_its_token_ends_the_bot(dial):
    async def revoke(context):
        await welcome(context)
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "this bot has a new token")

    scene = await dial(revoke)
    with pytest.raises(NotAdmitted, match="this bot has a new token"):
        await scene.playing


async def test_a_new_token_is_tried_until_the_server_has_heard_of_it(dial):
    unknown = refuse(grpc.StatusCode.UNAUTHENTICATED)

    async def revoke(context):
        await welcome(context)
        await unknown(context)

    scene = await dial(unknown, unknown, revoke, new_token=True)
    with pytest.raises(NotAdmitted, match="it does not know this token"):
        await scene.playing
    where = f"127.0.0.1:{scene.port}"
    assert scene.said[0] == f"{where} does not know the new token yet; trying again"
    assert scene.said[1].startswith(f"connected to {where}")
    assert len(scene.arbiter.hellos) == 3


async def test_a_new_token_of_which_the_server_never_hears_ends_the_bot(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "NEW_TOKEN_SECONDS", 0.2)
    scene = await dial(refuse(grpc.StatusCode.UNAUTHENTICATED), new_token=True)
    with pytest.raises(NotAdmitted, match="it does not know this token"):
        await scene.playing


async def test_an_unavailable_server_is_tried_for_ever_and_reported_once(dial):
    away = refuse(grpc.StatusCode.UNAVAILABLE, "try again soon")
    scene = await dial(away, away, away, away, stay)
    await wait_until_async(lambda: len(scene.said) > 1)
    where = f"127.0.0.1:{scene.port}"
    assert scene.said == [
        f"cannot connect to {where} (UNAVAILABLE: try again soon); trying again",
        f"connected to {where}, for mue, njet",
    ]
    assert len(scene.arbiter.hellos) == 5


async def test_the_bot_waits_for_its_own_dead_stream_to_be_noticed(dial):
    there = refuse(grpc.StatusCode.ALREADY_EXISTS, "there is one")
    scene = await dial(there, there, there, stay)
    await wait_until_async(lambda: len(scene.said) > 1)
    assert scene.said[-1].startswith("connected to ")


async def test_another_stream_of_the_same_bot_that_stays_ends_the_bot(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "EXISTS_SECONDS", 1.0)
    scene = await dial(refuse(grpc.StatusCode.ALREADY_EXISTS, "there is one"))
    with pytest.raises(NotAdmitted, match="this bot is connected already, from elsewhere"):
        await scene.playing
    assert len(scene.arbiter.hellos) > 2


async def test_a_lost_stream_is_followed_by_one_with_the_resume_token(dial):
    async def lose(context):
        await welcome(context, b"first")
        await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    scene = await dial(lose, refuse(grpc.StatusCode.UNAVAILABLE, "still gone"), stay)
    await wait_until_async(
        lambda: len(scene.arbiter.hellos) == 3 and scene.said[-1].startswith("connected again")
    )
    assert [hello.resume_token for hello in scene.arbiter.hellos] == [b"", b"first", b"first"]
    assert "lost" in scene.said[1]
    assert "(UNAVAILABLE: gone); tables: 0 finished, 0 open; trying again" in scene.said[1]


async def test_a_server_that_drains_is_left_when_it_ends_the_stream(dial):
    async def drain(context):
        await welcome(context)
        await context.write(pb.ToBot(draining=pb.Draining(seconds=5)))

    scene = await dial(drain, stay)
    await wait_until_async(lambda: scene.said and scene.said[-1].startswith("connected again"))
    where = f"127.0.0.1:{scene.port}"
    assert scene.said[1:3] == [
        f"{where} is about to stop; open tables have 5 s",
        f"lost {where} (it has ended the stream); tables: 0 finished, 0 open; trying again",
    ]


async def test_a_table_that_was_lost_in_an_outage_is_told(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "TAKE_UP_SECONDS", 0.0)

    async def begin(context):
        await welcome(context)
        await context.write(question())
        await context.read()

    async def go_on(context):
        await welcome(context)
        for number in range(100):
            await context.write(pb.ToBot(ping=pb.Ping(number=number)))
            await context.read()

    scene = await dial(begin, go_on)
    await wait_until_async(lambda: any("1 table lost: a substitute plays on" in line for line in scene.said))
    assert scene.bot.standing() == "tables: 1 finished (1 of them forfeited), 0 open"


async def test_a_bot_that_may_play_no_more_is_told_why_and_ends(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "STANDING_SECONDS", 0.01)
    monkeypatch.setattr(bot_module, "IDLE_SECONDS", 0.01)
    answers = ["", "", "suspended: it lost its line"]
    scene = await dial(stay, play=False, why_not=lambda: answers.pop(0))
    with pytest.raises(NotAdmitted, match="this bot plays no more here: suspended: it lost its line"):
        await scene.bot.play_until_interrupted()
    assert "suspended: it lost its line; stopping as soon as no table is open" in scene.said


async def test_a_bot_that_the_arbiter_tells_of_its_suspension_says_so_and_ends(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "IDLE_SECONDS", 0.01)

    async def suspend(context):
        await welcome(context)
        await context.write(pb.ToBot(standing=pb.Standing(plays_no_more="suspended: it\x1b[2J lost")))
        await context.read()

    scene = await dial(suspend, play=False)
    with pytest.raises(NotAdmitted, match="this bot plays no more here: suspended: it"):
        await scene.bot.play_until_interrupted()
    assert any("stopping as soon as no table is open" in line for line in scene.said)
    assert not any("\x1b" in line for line in scene.said)


async def stop(scene):
    """Stop the bot as Ctrl-C does, and return when it has ended."""
    ending = asyncio.ensure_future(scene.bot.play_until_interrupted())
    await wait_until_async(lambda: scene.said)
    ending.cancel()
    await ending


async def test_a_table_that_started_before_the_bot_asked_to_leave_is_played_to_its_end(dial):
    answers = []

    async def start_late(context):
        await context.write(pb.ToBot(welcome=pb.Welcome(wire_version=1, takes_leave=True)))
        assert (await context.read()).HasField("leave")
        await context.write(question())
        await context.write(pb.ToBot(draining=pb.Draining()))
        answers.extend((await context.read()).answers.answers)
        ended = pb.TableUpdate(table=1, end=pb.TableEnd())
        await context.write(pb.ToBot(updates=pb.Updates(tables=[ended])))
        await context.read()

    scene = await dial(start_late, play=False)
    await stop(scene)
    assert [answer.decision for answer in answers] == [1]
    assert scene.bot.standing() == "tables: 1 finished, 0 open"
    assert not any("about to stop" in line for line in scene.said)


async def test_a_bot_that_stops_asks_only_servers_that_understand_it(dial):
    left = []

    async def note_messages(context):
        await welcome(context)
        left.append(await context.read())

    scene = await dial(note_messages, play=False)
    await stop(scene)
    await wait_until_async(lambda: left)
    assert left == [grpc.aio.EOF]


async def test_a_server_that_does_not_answer_hello_is_tried_again(dial, monkeypatch):
    monkeypatch.setattr(bot_module, "WELCOME_SECONDS", 1.0)

    async def say_nothing(context):
        await context.read()

    scene = await dial(say_nothing, stay)
    await wait_until_async(lambda: scene.said and scene.said[-1].startswith("connected to"))
    assert "(DEADLINE_EXCEEDED: it does not answer)" in scene.said[0]


async def test_a_message_that_raises_an_error_ends_the_bot_with_it(dial, monkeypatch):
    errors = []
    monkeypatch.setattr("threading.excepthook", errors.append)
    unknown = pb.ToBot(updates=pb.Updates(tables=[pb.TableUpdate(table=9)]))

    async def confuse(context):
        await welcome(context)
        await context.write(unknown)
        with suppress(grpc.aio.AbortError):
            while True:
                await context.write(unknown)
                await asyncio.sleep(0.05)

    scene = await dial(confuse)
    with pytest.raises(StichkampfError, match="the thread of the bots has ended by the error above"):
        await scene.playing
    assert [error.exc_type for error in errors] == [KeyError]


def test_the_backoff_grows_to_its_longest_and_restarts_after_a_stream_that_lasted():
    def ending(seconds):
        return StreamEnd(grpc.StatusCode.UNAVAILABLE, "", seconds > 0, seconds)

    backoff = ReconnectBackoff()
    longest = [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]
    for most in longest:
        assert most / 2 <= backoff.after(ending(0)) <= most
    assert backoff.after(ending(4.0)) > 2.0
    assert backoff.after(ending(6.0)) <= 0.5


def test_the_backoffs_of_two_bots_differ():
    ending = StreamEnd(grpc.StatusCode.UNAVAILABLE, "", False, 0)
    assert ReconnectBackoff().after(ending) != ReconnectBackoff().after(ending)


@pytest.mark.parametrize(
    ("address", "plaintext"),
    [
        ("127.0.0.1:5", True),
        ("localhost:5", True),
        ("[::1]:5", True),
        ("10.0.0.1:5", False),
        ("play.org:5", False),
    ],
)
def test_only_a_connection_within_this_machine_is_not_encrypted(address, plaintext):
    assert Server.at(address).plaintext is plaintext
    assert Server.at(address, True).plaintext
    assert not Server.at(address, False).plaintext
