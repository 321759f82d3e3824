"""Trained networks: exported as ONNX, and run at a bot's table by onnxruntime with one thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from stichkampf.engine.game import Game
from stichkampf.errors import BotError, installing
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.match.table import Table

Array = Any
OPSET: Final = 17
IR_VERSION: Final = 8
"""Versions of ONNX that every onnxruntime since 2022 reads."""


class Net:
    """A network that values actions, as `save_net` writes it.

    :param path: the ONNX file.
    :raises BotError: onnxruntime is missing or refuses the file, or it is no network of this shape.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "net.onnx"
    >>> save_net(path, [(np.zeros((542, 52)), np.zeros(52))], np.ones(542))
    >>> from stichkampf.testing import table_at
    >>> chances = Net(path).chances(table_at("sixes-and-sevens", 4))
    >>> len(chances), round(sum(chances.values()), 3)
    (13, 1.0)
    """

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime  # comes with an extra of its own, and takes a while
        except ImportError:
            raise BotError(f"a trained bot needs onnxruntime: {installing('net')}") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        # onnxruntime has an exception class for each kind of refusal, all below this one.
        except Exception as error:  # noqa: BLE001
            raise BotError(f"onnxruntime refuses {path.name}: {error}") from None
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1 or len(inputs[0].shape) != 2:
            raise BotError(
                f"{path.name} needs one input and one output of two dimensions, as save_net writes"
            )
        self._input, self._output = inputs[0], outputs[0]
        self._name = path.name
        self._observers: dict[tuple[str, int], TableObserver] = {}

    def chances(self, table: Table) -> dict[str, float]:
        """Return how likely the network would choose each legal action: positive, 1 together.

        :raises BotError: it was trained for another game or number of seats.
        """
        observer = self._observer(table.game)
        observation, mask = observer.observe(table)
        scores = self._session.run(None, {self._input.name: observation[None]})[0][0]
        legal = np.flatnonzero(mask)
        weights = np.exp(scores[legal] - scores[legal].max())
        found = (weights / weights.sum()).tolist()
        return {observer.words[number]: chance for number, chance in zip(legal, found, strict=True)}

    def _observer(self, game: Game) -> TableObserver:
        key = game.name, game.seats
        if key not in self._observers:
            observer = TableObserver(game)
            wanted = observer.layout.size, len(observer.words)
            found = self._input.shape[1], self._output.shape[1]
            if found != wanted:
                raise BotError(
                    f"{self._name} takes {found[0]} numbers and values {found[1]} actions; {game.name} with"
                    f" {game.seats} seats has {wanted[0]} and {wanted[1]}: train it for these"
                )
            self._observers[key] = observer
        return self._observers[key]


def save_net(path: Path, layers: Sequence[tuple[Array, Array]], scales: Array) -> None:
    """Write a network of full layers, with the greater of 0 and the sum between them, as ONNX.

    :param layers: weights, shape (inputs, outputs), and biases, shape (outputs,), of each layer in order. The
        first takes as many inputs as there are `scales`, the last values the actions.
    :param scales: what the observation is multiplied by, `BatchLayout.scales`.
    :raises BotError: onnx is missing.
    """
    try:
        import onnx  # comes with an extra of its own
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise BotError(f"writing a network needs onnx: {installing('train')}") from None
    constants = {"scales": scales}
    nodes = [
        helper.make_node("Cast", ["observation"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "scales"], ["seen 0"]),
    ]
    last = len(layers) - 1
    for k, (weights, biases) in enumerate(layers):
        constants |= {f"weights {k}": weights, f"biases {k}": biases}
        summed = "scores" if k == last else f"sums {k}"
        nodes.append(helper.make_node("Gemm", [f"seen {k}", f"weights {k}", f"biases {k}"], [summed]))
        if k < last:
            nodes.append(helper.make_node("Relu", [summed], [f"seen {k + 1}"]))
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("observation", TensorProto.INT8, ["n", len(scales)])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", len(layers[-1][1])])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
