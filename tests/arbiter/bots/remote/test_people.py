"""The stream of the process that plays for persons."""

import asyncio
import time
from itertools import count

import pytest
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf_arbiter.bots.remote.people import PeopleStream
from stichkampf_arbiter.bots.remote.stream import CutOffError


class Silence:
    """A connection that the kernel keeps, to a process that is stopped."""

    async def read(self):
        await asyncio.Event().wait()

    async def write(self, message):
        assert message


class Impatient(PeopleStream):
    pong_seconds = 0.01


def test_a_process_that_answers_no_ping_is_cut_off():
    async def serve():
        await Impatient(Silence(), pb.Hello(), time.monotonic, count(1)).serve()

    with pytest.raises(CutOffError, match="no sign of life"):
        asyncio.run(asyncio.wait_for(serve(), 30))


def test_a_process_that_is_stopped_is_noticed_within_a_minute():
    assert PeopleStream.ping_seconds + PeopleStream.pong_seconds <= 60
