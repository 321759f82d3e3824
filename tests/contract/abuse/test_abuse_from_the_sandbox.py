"""A submitted bot that attacks its own gateway in the sandbox of a whole arbiter, while another one plays."""

import os
import time

import pytest
from support import archive

PEACEFUL = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[-1]
"""
HOSTILE = """
import grpc
from stichkampf import Bot
from stichkampf.wire.v1 import bot_pb2 as pb

PLAY = "/stichkampf.wire.v1.BotGateway/Play"
HELLO = pb.FromBot(hello=pb.Hello(wire_version_min=1, wire_version_max=1)).SerializeToString()
STALE = pb.Answer(table=999, decision=999, action="play R1")
FLOOD = pb.FromBot(answers=pb.Answers(answers=[STALE] * 1_000)).SerializeToString()

class Karl(Bot):
    def choose(self, table):
        with grpc.insecure_channel("unix:/bot/arbiter.sock") as channel:
            for _ in range({calls}):
                try:
                    for _ in channel.stream_stream(PLAY)(iter([HELLO, FLOOD])):
                        pass
                except grpc.RpcError:
                    pass
        return table.legal[0]
"""


def open_files(arbiter):
    return len(os.listdir(f"/proc/{arbiter.process.pid}/fd"))


@pytest.mark.parametrize(
    ("calls", "kinds"), [(200, {"malformed"}), (2, set())], ids=["call after call", "two calls too many"]
)
def test_a_bot_that_floods_its_gateway_is_cut_off_and_its_neighbour_plays_on(mortal_arbiter, calls, kinds):
    arbiter = mortal_arbiter
    peaceful = arbiter.upload(archive(PEACEFUL))
    arbiter.start_hosted("before", peaceful)
    alone, _ = arbiter.finished("before")
    files = open_files(arbiter)
    arbiter.start_hosted("storm", arbiter.upload(archive(HOSTILE.format(calls=calls))), move_seconds=30.0)
    arbiter.start_hosted("beside", peaceful)
    beside, _ = arbiter.finished("beside")
    storm, _ = arbiter.finished("storm")
    assert {(fault["seat"], fault["kind"]) for fault in storm["faults"]} == {(0, kind) for kind in kinds}
    assert beside["faults"] == []
    assert beside["deals"] == alone["deals"]
    if kinds:
        deadline = time.monotonic() + 60
        while open_files(arbiter) > files:
            assert time.monotonic() < deadline, "files are left open"
            time.sleep(0.02)
