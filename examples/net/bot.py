"""Imitator: plays At Sixes and Sevens by a network that `train.py` lets learn from a tree search."""

from __future__ import annotations

from pathlib import Path

from stichkampf import Bot, Note, Table
from stichkampf.batch.nets import Net

NET = Net(Path(__file__).with_name("net.onnx"))


class Imitator(Bot):
    games = ("sixes-and-sevens",)

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        chances = NET.chances(table)
        return max(chances, key=chances.__getitem__), Note(weights=chances)
