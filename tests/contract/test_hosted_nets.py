"""Trained bots in the sandbox of this machine, at tables of a real arbiter process."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper
from stichkampf.cli.project import net_files
from stichkampf.lab.batch.untrained import untrained_net
from stichkampf.limits import MIB, NET
from stichkampf.match.records import steps
from support import archive

GAME, SEATS = "stiche-raten", 3
FIRST_TO_BID = 1
MANIFEST = f'name = "Karl"\nweight = "{NET.name}"\n'
RUNS = """
from pathlib import Path
import onnxruntime
from stichkampf import Bot

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
MODEL = str(Path(__file__).with_name("net.onnx"))

class Karl(Bot):
    def choose(self, table):
        session = onnxruntime.InferenceSession(MODEL, options)
        session.run(None, {"x": [4]})
        return table.legal[0]
"""
HOLDS = """
from stichkampf import Bot

memory = bytearray(350 << 20)
memory[::4096] = b"x" * len(memory[::4096])

class Karl(Bot):
    def choose(self, table):
        return table.legal[0]
"""


def greedy(bytes_wanted: int) -> bytes:
    """A model of one node and few bytes whose output is as large as wanted."""
    info = helper.make_tensor_value_info
    fill = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    count = helper.make_tensor("count", TensorProto.INT64, [1], [bytes_wanted // 16])
    graph = helper.make_graph(
        [
            helper.make_node("Mul", ["x", "count"], ["shape"]),
            helper.make_node("ConstantOfShape", ["shape"], ["y"], value=fill),
        ],
        "net",
        [info("x", TensorProto.INT64, [1])],
        [info("y", TensorProto.FLOAT, ["n"])],
        [count],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def played(arbiter, key, content, **fields):
    arbiter.start_hosted(key, arbiter.upload(content), **fields)
    return arbiter.finished(key)


def test_a_trained_bot_plays_what_its_network_says(arbiter):
    files = {
        "bot.py": net_files.BOT.format(name="Karl", class_name="Karl", game=GAME, seats=SEATS),
        "net.onnx": untrained_net(GAME, SEATS),
        "stichkampf.toml": MANIFEST,
    }
    record, reports = played(arbiter, "net-plays", archive(files), first=FIRST_TO_BID)
    assert record["faults"] == [], reports[FIRST_TO_BID]
    noted = [
        step.move.note["weights"]
        for step in steps(record)
        if step.move.seat == FIRST_TO_BID and step.move.note
    ]
    assert noted
    assert all(sum(weights.values()) == pytest.approx(1.0, abs=0.01) for weights in noted)
    assert record["time_control"]["charged"][FIRST_TO_BID] == "cpu"


def test_it_has_the_memory_of_its_class_and_a_light_bot_has_not(arbiter):
    record, reports = played(arbiter, "net-holds", archive({"bot.py": HOLDS, "stichkampf.toml": MANIFEST}))
    assert record["faults"] == [], reports[0]
    record, reports = played(arbiter, "light-holds", archive(HOLDS))
    assert {fault["kind"] for fault in record["faults"]} == {"resource-limit"}
    assert "the limit of 256 MiB of memory" in " ".join(reports[0].complaints)


@pytest.mark.parametrize("wanted", [MIB, 10_000 * MIB], ids=["1 MiB", "10 GB"])
def test_a_model_that_asks_for_too_much_ends_itself_alone(arbiter, wanted):
    files = {"bot.py": RUNS, "stichkampf.toml": MANIFEST, "net.onnx": greedy(wanted)}
    record, reports = played(arbiter, f"net-greedy-{wanted}", archive(files))
    if wanted == MIB:
        assert record["faults"] == [], reports[0]
    else:
        assert {fault["kind"] for fault in record["faults"]} == {"resource-limit"}
        assert "the limit of 512 MiB of memory" in " ".join(reports[0].complaints)
