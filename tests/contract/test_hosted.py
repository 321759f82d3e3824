"""Submitted bots in the sandbox of this machine, at tables of a real arbiter process."""

import hashlib

import grpc
import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from support import archive

GOOD = """
import helper
from stichkampf import Bot, Note

class Karl(Bot):
    def choose(self, table):
        return helper.last(table.legal), Note("the last one")
"""
HELPER = "def last(legal):\n    return legal[-1]\n"
BAD = "import os\nfrom stichkampf import Bot\nclass Karl(Bot):\n    def choose(self, table):\n        "
RAISES = BAD + "return table.sorrow"
EXITS = BAD + "os._exit(3)"
HANGS = BAD + "while True: pass"
GLUTTON = BAD + "self.much = bytearray(400 * 2**20)"
BROKEN = "import nothing_of_that_name\n"
REMEMBERS = """
from stichkampf import Bot
seen = []

class Karl(Bot):
    def __init__(self):
        seen.append(self)

    def choose(self, table):
        return table.legal[0], f"{len(seen)} tables"
"""
LINGERS = REMEMBERS.replace("return", "__import__('time').sleep(0.5)\n        return")


def played(arbiter, key, source, *, files=None, **fields):
    digest = arbiter.upload(archive({"bot.py": source, **(files or {})}))
    arbiter.start_hosted(key, digest, **fields)
    return arbiter.finished(key)


def own_moves(record):
    return [move for deal in record["deals"] for move in deal["moves"] if move[0] == 0]


def test_a_submitted_bot_plays_its_own_moves(arbiter):
    record, _ = played(arbiter, "good", GOOD, files={"helper.py": HELPER}, move_seconds=60)
    assert record["faults"] == []
    assert record["seats"][0] == {"bot": "eva/karl", "version": 4}
    assert {note["note"]["text"] for note in record["notes"]} == {"the last one"}
    assert len(record["notes"]) == len(own_moves(record))


def test_the_owner_of_a_bot_that_raises_is_told_where(arbiter):
    record, reports = played(arbiter, "raises", RAISES)
    assert {fault["kind"] for fault in record["faults"]} == {"crashed"}
    assert "bot.py, line 5" in reports[0].complaints[0]
    assert "AttributeError" in reports[0].complaints[0]


def test_a_bot_that_ends_its_process_has_crashed(arbiter):
    record, reports = played(arbiter, "exits", EXITS)
    assert {(fault["seat"], fault["kind"]) for fault in record["faults"]} == {(0, "crashed")}
    assert len(record["faults"]) == len(own_moves(record))
    assert (reports[0].exit_kind, reports[0].exit_code) == ("exited", 3)


def test_a_bot_that_hangs_is_timed_out_until_its_part_is_over(arbiter):
    record, _ = played(arbiter, "hangs", HANGS, move_seconds=0.2, length="deals:4")
    assert {fault["kind"] for fault in record["faults"]} == {"timeout"}
    assert len(record["faults"]) == len(own_moves(record))


def spend(seconds):
    return f"before = time.process_time()\n        while time.process_time() - before < {seconds}: pass"


def thinks(code):
    return f"{BAD}import time\n        {code}\n        return table.legal[0]"


def costs_of(record, seat):
    moves = zip(record["deals"][0]["moves"], record["costs"][0], strict=True)
    return [cost for (mover, _), cost in moves if mover == seat]


def test_a_hosted_bot_pays_for_its_cpu_time(arbiter):
    record, _ = played(arbiter, "thinks", thinks(spend(0.3)))
    assert record["faults"] == []
    assert record["time_control"]["charged"] == ["cpu", "wall", "wall"]
    assert all(0.29 <= cost <= 0.8 for cost in costs_of(record, 0)), costs_of(record, 0)


def test_a_hosted_bot_does_not_pay_for_time_without_a_core(arbiter):
    record, _ = played(arbiter, "sleeps", thinks("time.sleep(0.8)"), move_seconds=0.5)
    assert record["faults"] == []
    assert all(cost <= 0.3 for cost in costs_of(record, 0)), costs_of(record, 0)


def test_a_hosted_bot_that_only_waits_is_stopped_by_the_wall_clock(arbiter):
    record, _ = played(arbiter, "waits", thinks("time.sleep(60)"), move_seconds=0.2)
    assert {fault["kind"] for fault in record["faults"]} == {"timeout"}


PONDERS = """
import threading, time
from stichkampf import Bot

def ponder():
    time.sleep(0.05)
    before = time.thread_time()
    while time.thread_time() - before < 0.4: pass

class Karl(Bot):
    def choose(self, table):
        if table.legal[0].startswith("bid"):
            self.ponderer = threading.Thread(target=ponder)
            self.ponderer.start()
        else:
            self.ponderer.join()
        return table.legal[0]
"""


SLOW = BAD + "import time; time.sleep(1.5); return table.legal[0]"


def test_cpu_time_used_while_others_think_is_charged_with_the_next_answer(arbiter):
    ponders, slow = (arbiter.upload(archive(source)) for source in (PONDERS, SLOW))
    arbiter.start_hosted("ponders", ponders, others=slow, move_seconds=10.0)
    record, _ = arbiter.finished("ponders")
    bid, play = costs_of(record, 0)
    assert bid + play >= 0.4
    assert 0.2 <= play <= 1.2


def test_a_bot_that_takes_too_much_memory_hits_its_limit(arbiter):
    record, reports = played(arbiter, "glutton", GLUTTON)
    assert {fault["kind"] for fault in record["faults"]} == {"resource-limit"}
    assert reports[0].exit_kind == "limit"


def test_a_bot_that_does_not_load_has_crashed_and_its_owner_learns_why(arbiter):
    record, reports = played(arbiter, "broken", BROKEN)
    assert {fault["kind"] for fault in record["faults"]} == {"crashed"}
    assert "No module named 'nothing_of_that_name'" in reports[0].stderr


def test_tables_of_a_lane_share_a_process_and_lanes_do_not(arbiter):
    digest = arbiter.upload(archive(REMEMBERS))
    for key, lane in (("lane-a1", "a"), ("lane-b1", "b")):
        arbiter.start_hosted(key, digest, lane=lane)
        record, _ = arbiter.finished(key)
        assert record["notes"][0]["note"]["text"] == "1 tables"
    arbiter.start_hosted("lane-a2", digest, lane="a")
    record, _ = arbiter.finished("lane-a2")
    assert record["notes"][0]["note"]["text"] == "2 tables"


def test_simultaneous_matches_of_a_lane_share_no_process(arbiter):
    digest = arbiter.upload(archive(LINGERS))
    keys = ["together-1", "together-2", "together-3"]
    for key in keys:
        arbiter.start_hosted(key, digest, lane="together")
    for key in keys:
        record, _ = arbiter.finished(key)
        assert record["faults"] == []
        assert record["notes"][0]["note"]["text"] == "1 tables"


def test_copies_at_a_table_share_nothing_and_return_to_their_own_process(arbiter):
    digest = arbiter.upload(archive(REMEMBERS))
    for key, tables in (("copies-1", "1 tables"), ("copies-2", "2 tables")):
        arbiter.start_hosted(key, digest, copies=3, lane="copies")
        record, _ = arbiter.finished(key)
        assert {note["note"]["text"] for note in record["notes"]} == {tables}
        assert len(record["notes"]) == 6
    lanes = [bot.lane for bot in arbiter.stub.ListBots(pb.ListBotsRequest()).bots if bot.program == digest]
    assert lanes.count("copies") == 3


def test_an_archive_must_be_uploaded_before_the_match(arbiter):
    digest = hashlib.sha256(b"absent").hexdigest()
    assert arbiter.stub.HasBots(pb.HasBotsRequest(archive_sha256s=[digest])).missing_sha256s == [digest]
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.start_hosted("absent", digest)
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize(
    ("content", "announced", "words"),
    [
        (archive(GOOD), "0" * 64, "send it again"),
        (b"no archive", None, "neither a zip nor a tar.gz"),
        (archive(GOOD)[:-20], None, "damaged"),
        (archive(GOOD), "x", "64 lower-case"),
    ],
)
def test_an_invalid_upload_is_refused_and_not_stored(arbiter, content, announced, words):
    digest = announced or hashlib.sha256(content).hexdigest()
    with pytest.raises(grpc.RpcError) as refused:
        arbiter.stub.UploadBot(iter([pb.UploadBotRequest(archive_sha256=digest, chunk=content)]))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert words in refused.value.details()
    if len(digest) == 64:
        assert arbiter.stub.HasBots(pb.HasBotsRequest(archive_sha256s=[digest])).missing_sha256s == [digest]
