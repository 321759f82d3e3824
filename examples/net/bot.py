"""imitator: plays by a trained network. `train.py` makes `net.onnx`."""

from __future__ import annotations

from pathlib import Path

from stichkampf import Bot, Note, Table
from stichkampf.lab import Net

SEATS = 4
NET = Net(Path(__file__).with_name("net.onnx"))


class Imitator(Bot):
    games = ("sixes-and-sevens",)

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1 or table.game.seats != SEATS:
            return table.legal[0]
        chances = NET.chances(table)
        return max(chances, key=chances.__getitem__), Note(weights=chances)
