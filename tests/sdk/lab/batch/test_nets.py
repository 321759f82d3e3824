"""A network that was written as ONNX plays what its weights say."""

from __future__ import annotations

import numpy as np
import pytest
from stichkampf.errors import BotError
from stichkampf.lab.batch.nets import Net, save_net
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.testing import table_at

GAME, SEATS = "stiche-raten", 4


@pytest.fixture(scope="module")
def table():
    return table_at(GAME, SEATS)


@pytest.fixture(scope="module")
def layers(table):
    observer, rng = TableObserver(table.game), np.random.default_rng(1)
    sizes = (observer.layout.size, 16, len(observer.words))
    return [
        (rng.normal(size=size).astype(np.float32), rng.normal(size=size[1]).astype(np.float32))
        for size in (sizes[:2], sizes[1:])
    ]


@pytest.fixture
def path(tmp_path, table, layers):
    save_net(tmp_path / "net.onnx", layers, TableObserver(table.game).layout.scales)
    return tmp_path / "net.onnx"


def test_it_gives_the_chances_that_its_weights_mean(path, table, layers):
    observer = TableObserver(table.game)
    seen, mask = observer.observe(table)
    inner = np.maximum(seen * observer.layout.scales @ layers[0][0] + layers[0][1], 0)
    scores = np.exp(inner @ layers[1][0] + layers[1][1]) * mask
    wanted = dict(zip(observer.words, scores / scores.sum(), strict=True))
    found = Net(path).chances(table)
    assert set(found) == set(table.legal)
    assert found == pytest.approx({word: wanted[word] for word in table.legal}, rel=1e-4)


def test_a_table_of_another_size_is_refused_in_words(path):
    with pytest.raises(BotError, match=r"net\.onnx takes \d+ numbers .* stiche-raten with 5 seats has"):
        Net(path).chances(table_at(GAME, 5))


def test_what_onnxruntime_refuses_is_told(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"no model")
    with pytest.raises(BotError, match=r"onnxruntime refuses net\.onnx: .*"):
        Net(tmp_path / "net.onnx")
    with pytest.raises(BotError, match=r"onnxruntime refuses none\.onnx: .*doesn't exist"):
        Net(tmp_path / "none.onnx")


def test_a_network_of_another_shape_is_refused(tmp_path):
    from onnx import TensorProto, helper  # beside the only test that makes a network by hand

    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "net",
        [info("x", TensorProto.FLOAT, [4])],
        [info("y", TensorProto.FLOAT, [4])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(BotError, match="one input and one output of two dimensions"):
        Net(tmp_path / "net.onnx")


def test_a_bot_from_before_there_was_a_lab_plays_as_it_is(path, table):
    names: dict[str, object] = {}
    old = "from stichkampf.batch.nets import Net\nfrom stichkampf.batch.trained import TableObserver\n"
    exec(old, names)
    assert names["Net"](path).chances(table) == Net(path).chances(table)
    seen = names["TableObserver"](table.game).observe(table)[0]
    assert (seen == TableObserver(table.game).observe(table)[0]).all()
