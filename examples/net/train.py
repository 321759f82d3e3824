"""Train `net.onnx` to play as a tree search does, in a small part of its time.

    python train.py                                    # some minutes
    python train.py --decisions 2000 --epochs 1        # a try

The search plays against itself, and the network learns how often it visited each action.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from stichkampf.lab import gather, save_net, train

GAME, SEATS = "sixes-and-sevens", 4
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
    print(f"wrote {chosen.net}, {chosen.net.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
