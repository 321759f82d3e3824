"""A hostile ONNX model is refused in words, without being loaded; a plain one passes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from stichkampf.errors import ArchiveError
from stichkampf.limits import LIGHT, MODEL_DEPTH, MODEL_FIELDS, MODEL_NODES, NET
from stichkampf.packaging.archive import check_archive
from stichkampf.packaging.models import check_model
from support import archive

BOT = "from stichkampf import Bot\n"
MANIFEST = f'name = "Karl"\nweight = "{NET.name}"\n'


def model(nodes, tensors=(), **more):
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])],
        list(tensors),
    )
    return helper.make_model(graph, **more)


def plain(tensor=None):
    weights = tensor or numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], [weights])


def claiming(dims):
    return TensorProto(name="w", dims=dims, data_type=TensorProto.FLOAT, raw_data=bytes(64))


def elsewhere():
    tensor = TensorProto(name="w", dims=[4, 4], data_type=TensorProto.FLOAT)
    tensor.external_data.add(key="location", value="../../etc/passwd")
    tensor.data_location = TensorProto.EXTERNAL
    return tensor


def chain(length):
    names = ["x", *(f"t{k}" for k in range(length - 1)), "y"]
    return model([helper.make_node("Relu", [a], [b]) for a, b in pairwise(names)])


def nested(depth):
    """A model with graphs inside one another, written from the innermost: onnx itself would not copy it."""

    def field(number, content):
        size, head = len(content), bytearray()
        while size > 127:
            head.append(size & 127 | 128)
            size >>= 7
        return bytes([number << 3 | 2, *head, size]) + content

    graph = b""
    for _ in range(depth):
        graph = field(1, field(4, b"If") + field(5, field(6, graph)))
    return field(7, graph)


def unpacked_numbers():
    return b"".join(b"\x3d" + bytes(4) for _ in range(MODEL_FIELDS + 1))


CUSTOM = model([helper.make_node("Evil", ["x"], ["y"], domain="my.ops")])
SPARSE = plain()
SPARSE.graph.sparse_initializer.add().dims.extend([100_000, 100_000])
INSIDE = model([helper.make_node("Constant", [], ["y"], value=claiming([2_500_000_000]))])
HOSTILE = {
    "custom operators": (CUSTOM.SerializeToString(), "custom operator 'Evil' of 'my.ops'; possible are"),
    "data outside": (plain(elsewhere()).SerializeToString(), "data of the tensor 'w' in another file"),
    "a tensor of 10 GB": (
        plain(claiming([50_000, 50_000])).SerializeToString(),
        "claims 2,500,000,000 elements for the tensor 'w', and holds 64 bytes",
    ),
    "one in an attribute": (INSIDE.SerializeToString(), "claims 2,500,000,000 elements"),
    "a tensor below zero": (plain(claiming([-1, -1])).SerializeToString(), "claims .* elements"),
    "a sparse tensor": (SPARSE.SerializeToString(), "has a sparse tensor"),
    "10,000 nodes deep": (chain(10_000).SerializeToString(), f"more than {MODEL_NODES:,} nodes"),
    "10,000 graphs deep": (nested(10_000), f"more than {MODEL_DEPTH} graphs inside one another"),
    "countless fields": (unpacked_numbers(), f"more than {MODEL_FIELDS:,} fields"),
    "cut short": (plain().SerializeToString()[:-3], "no ONNX model: it is damaged"),
    "an endless number": (b"\x08" + b"\xff" * 20, "no ONNX model: it is damaged"),
    "no model": (b"PK\x03\x04", "no ONNX model: it is damaged"),
    "empty": (b"", "no ONNX model: it has 0 graphs"),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_model_is_refused(content, message):
    packed = archive({"bot.py": BOT, "stichkampf.toml": MANIFEST, "nets/karl.onnx": content})
    with pytest.raises(ArchiveError, match=rf"^nets/karl\.onnx .*{message}"):
        check_archive(packed)


def test_functions_of_the_model_itself_are_no_custom_operators():
    function = helper.make_function(
        "my.ops",
        "Twice",
        ["a"],
        ["b"],
        [helper.make_node("Add", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 17)],
    )
    called = model([helper.make_node("Twice", ["x"], ["y"], domain="my.ops")], functions=[function])
    check_model("net.onnx", called.SerializeToString())


def test_a_plain_model_passes_and_names_the_part_of_its_class():
    check_model("net.onnx", chain(MODEL_NODES).SerializeToString())
    onnx.checker.check_model(plain())
    files = {"bot.py": BOT, "stichkampf.toml": MANIFEST, "net.onnx": plain().SerializeToString()}
    found = check_archive(archive(files))
    assert (found.manifest.weight, found.parts) == (NET, ("onnxruntime",))


def test_a_light_bot_may_keep_any_file_of_that_name():
    assert check_archive(archive({"bot.py": BOT, "net.onnx": b"my own format"})).manifest.weight == LIGHT
