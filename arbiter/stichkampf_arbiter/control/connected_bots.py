"""The list of connected bot processes that a platform can fetch."""

from __future__ import annotations

from time import monotonic

from stichkampf.plain_text import plain
from stichkampf.wire.agreed import PEOPLE, REMOTE_PREFIX
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_arbiter.bots.hosted_pool import HostedBotPool
from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.people import PeopleTables
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.runner import games_named

AGENT_CHARACTERS = 100


def connected_bots(
    house: HouseProcess,
    hosted_pool: HostedBotPool,
    remote_bots: RemoteBotRegistry,
    people: PeopleTables,
) -> list[pb.ConnectedBot]:
    """List the house process, then hosted bots, then remote bots, then the process that plays for persons."""
    bots = [] if house.connected is None else [_connected("house", house.connected)]
    bots += [_connected(bot.digest, bot.stream, bot.lane) for bot in hosted_pool.connected if bot.stream]
    for name, stream in remote_bots.connected:
        bot = _connected(f"{REMOTE_PREFIX}{name}", stream)
        bot.latency_seconds = stream.latency_seconds
        bot.leaving = stream.leaving
        bots.append(bot)
    if people.stream is not None:
        bots.append(_connected(PEOPLE, people.stream))
    return bots


def _connected(program: str, stream: BotStream, lane: str = "") -> pb.ConnectedBot:
    return pb.ConnectedBot(
        program=program,
        lane=lane,
        tables=len(stream.tables),
        agent=plain(stream.hello.agent, AGENT_CHARACTERS),
        connected_seconds=int(monotonic() - stream.since),
        games=games_named(stream),
    )
