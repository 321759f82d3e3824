"""A network that has learnt nothing, which a new bot's project begins with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from stichkampf.lab.batch.environment import Batch
from stichkampf.lab.batch.imitation import Learner
from stichkampf.lab.batch.nets import save_net

_HIDDEN_AT_FIRST: Final = (32,)


def untrained_net(game: str, seats: int) -> bytes:
    """Return the ONNX file of a small network that has learnt nothing.

    :raises BotError: onnx is missing.
    """
    batch = Batch(game, seats, n=1, starts=1)
    learner = Learner((batch.layout.size, *_HIDDEN_AT_FIRST, len(batch.words)))
    with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
        path = Path(folder, "net.onnx")
        save_net(path, learner.layers, batch.layout.scales)
        return path.read_bytes()
