"""The files of a new bot's project that are special to a trained network."""

from __future__ import annotations

from typing import Final

BOT: Final = '''\
"""{name}: plays by a trained network. `train.py` makes `net.onnx`."""

from __future__ import annotations

from pathlib import Path

from stichkampf import Bot, Note, Table
from stichkampf.lab import Net

SEATS = {seats}
NET = Net(Path(__file__).with_name("net.onnx"))


class {class_name}(Bot):
    games = ("{game}",)

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1 or table.game.seats != SEATS:
            return table.legal[0]
        chances = NET.chances(table)
        return max(chances, key=chances.__getitem__), Note(weights=chances)
'''

TRAIN: Final = '''\
"""Train `net.onnx` to play as a tree search does, in a small part of its time.

    python train.py                                    # some minutes
    python train.py --decisions 2000 --epochs 1        # a try

The search plays against itself, and the network learns how often it visited each action.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from stichkampf.lab import gather, save_net, train

GAME, SEATS = "{game}", {seats}
ITERATIONS = 400
HIDDEN = (256, 128)
NET = Path(__file__).with_name("net.onnx")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train net.onnx to play as a tree search does.")
    parser.add_argument("--decisions", type=int, default=100_000, help="of the search, to learn from")
    parser.add_argument("--epochs", type=int, default=8, help="times to go through them")
    parser.add_argument("--net", type=Path, default=NET, help="the file to write")
    chosen = parser.parse_args()
    decisions = gather(GAME, SEATS, chosen.decisions, iterations=ITERATIONS)
    learner = train(decisions, hidden=HIDDEN, epochs=chosen.epochs)
    save_net(chosen.net, learner.layers, decisions.scales)
    print(f"wrote {{chosen.net}}, {{chosen.net.stat().st_size:,}} bytes")


if __name__ == "__main__":
    main()
'''

README: Final = """
`net.onnx` has learnt nothing at first: it plays legal cards, hardly better than by chance. `python train.py`
trains it; what it learns from, and how, is yours to change. `weight = "net"` in `stichkampf.toml` puts the
bot into the weight class with onnxruntime and a larger archive. The network is for tables of {seats} seats;
at others the bot takes the first legal action.
"""
