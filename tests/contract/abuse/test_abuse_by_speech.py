"""Bots that send too much, too often, or invalid messages, while others play."""

import time
from typing import NamedTuple

import pytest
from stichkampf_arbiter.connection.answer_limit import SPARE_ANSWERS, SPARE_ANSWERS_A_SECOND

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOON_SECONDS = 30.0
FOR_EVER = 10**9
QUICK = {
    "silence": {"HELLO_SECONDS": 0.5},
    "no word at all": {"server_handshake_timeout_ms": 500},
    "half a handshake": {"server_handshake_timeout_ms": 500},
}
"""By attack: shorter limits of time, which a test can wait for."""
ANY_SIZE = {"max_receive_message_length": -1}
ANY_METADATA = {"max_metadata_size": 8 * 2**20, "absolute_max_metadata_size": 8 * 2**20}
AS_MANY_ANSWERS = {"SPARE_ANSWERS": FOR_EVER, "UNASKED_PAUSE_SECONDS": 0}
AS_MANY_CALLS = {"MAX_CALLS": FOR_EVER}


class Attack(NamedTuple):
    """An attack, and the limit that stops it.

    :ivar end: status with which the bot is disconnected.
    :ivar weakening: change that removes the limit.
    :ivar weak_end: status without the limit; None if the bot is not disconnected then.
    """

    name: str
    end: str
    weakening: dict
    weak_end: str | None


ATTACKS = [
    Attack("answers", "RESOURCE_EXHAUSTED", AS_MANY_ANSWERS, "OK"),
    Attack("stuffed answers", "RESOURCE_EXHAUSTED", AS_MANY_ANSWERS, "OK"),
    Attack("pongs", "RESOURCE_EXHAUSTED", AS_MANY_ANSWERS, "OK"),
    Attack("calls", "UNAVAILABLE", AS_MANY_CALLS, "OK"),
    Attack("calls of another name", "UNAVAILABLE", AS_MANY_CALLS, "OK"),
    Attack("calls given up", "UNAVAILABLE", AS_MANY_CALLS, "OK"),
    # If a message of any size is read, it is invalid.
    Attack("64 kB and one", "RESOURCE_EXHAUSTED", ANY_SIZE, "INVALID_ARGUMENT"),
    Attack("32 MiB", "RESOURCE_EXHAUSTED", ANY_SIZE, "INVALID_ARGUMENT"),
    Attack("gzip bomb", "RESOURCE_EXHAUSTED", ANY_SIZE, "INVALID_ARGUMENT"),
    Attack("4 MiB of metadata", "RESOURCE_EXHAUSTED", ANY_METADATA, "OK"),
    Attack("silence", "DEADLINE_EXCEEDED", {"HELLO_SECONDS": FOR_EVER}, None),
    Attack("no word at all", "closed", {"server_handshake_timeout_ms": FOR_EVER}, None),
    Attack("half a handshake", "closed", {"server_handshake_timeout_ms": FOR_EVER}, None),
]
# Stopped by the parser of every message, not by a limit.
SENSELESS = [
    ("no protobuf", "INVALID_ARGUMENT"),
    ("hello twice", "INVALID_ARGUMENT"),
    ("no hello", "INVALID_ARGUMENT"),
    ("no HTTP/2", "closed"),
]


@pytest.mark.parametrize(("attack_name", "end"), [attack[:2] for attack in ATTACKS] + SENSELESS)
async def test_a_bot_that_violates_the_protocol_is_soon_disconnected(arena, set_limits, attack_name, end):
    set_limits(**QUICK.get(attack_name, {}))
    async with arena.hostile(attack_name) as hostile:
        assert await hostile.said(SOON_SECONDS) == end


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
async def test_without_its_limit_the_same_bot_is_not_stopped(arena, set_limits, attack):
    set_limits(**QUICK.get(attack.name, {}) | attack.weakening)
    async with arena.hostile(attack.name) as hostile:
        assert await hostile.said(SOON_SECONDS if attack.weak_end else 1.0) == attack.weak_end


@pytest.mark.parametrize(
    "attack_name", ["answers", "stuffed answers", "pongs", "calls", "32 MiB", "hello twice"]
)
async def test_the_match_of_a_disconnected_bot_ends_without_it(arena, attack_name):
    async with arena.hostile(attack_name) as hostile:
        match = await hostile.play()
        await hostile.said()
        await match.over.wait()
        kinds = {"32 MiB": {"disconnected"}}.get(attack_name, {"malformed"})
        assert match.kinds() <= kinds | {"crashed"}
        assert len(match.match.faults) == sum(len(deal.moves) for deal in match.match.played)


@pytest.mark.parametrize("attack_name", ["answers", "stuffed answers"])
async def test_only_the_beginning_of_a_flood_is_parsed(arena, attack_name):
    async with arena.hostile(attack_name) as hostile:
        await hostile.said()
        refilled = SPARE_ANSWERS_A_SECOND * (time.monotonic() - hostile.stream.since)
        assert hostile.stream.stale_answers <= SPARE_ANSWERS + refilled + 1


async def test_answers_for_other_seats_later_decisions_or_given_twice_do_nothing(arena):
    async with arena.hostile("meddles") as hostile:
        match = await hostile.play()
        await match.over.wait()
        moves = [word for deal in match.match.played for _, word in deal.moves]
        assert match.match.faults == []
        assert not hostile.stream.closed
        # Of four answers to each question three are stale; those to the last may still be on their way.
        assert hostile.stream.stale_answers >= 3 * (len(moves) - 1) - 1
