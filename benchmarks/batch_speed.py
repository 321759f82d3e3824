"""Steps a second of `stichkampf.lab.batch`, beside OpenSpiel driven from Python; a part of `engine.py`."""

from __future__ import annotations

import statistics

from engine_peer import SEATS, OpenSpiel, measured
from stichkampf.lab.batch import Batch

BATCH = 1024  # deals
BATCH_STEPS = 60  # of all deals, in each round


class Batched:
    """A batch of one of our games, and what a peer does in a loop over single states."""

    def __init__(self, name: str) -> None:
        self.batch = Batch(name, SEATS, BATCH, seed=1)

    def step_only(self) -> int:
        for _ in range(BATCH_STEPS):
            self.batch.step(self.batch.random_actions())
        return BATCH * BATCH_STEPS

    def observed(self) -> int:
        """Step, and read observation and mask."""
        seen = 0
        for _ in range(BATCH_STEPS):
            self.batch.step(self.batch.random_actions())
            seen += self.batch.observation.shape[1] + self.batch.mask.shape[1]
        assert seen
        return BATCH * BATCH_STEPS


def observed_peer(peer: OpenSpiel) -> int:
    """Play one game of the peer from Python, with the tensor and the mask of each decision."""
    state, made = peer.state.clone(), 0
    while not state.is_terminal():
        state.information_state_tensor()
        state.legal_actions_mask()
        legal = state.legal_actions()
        state.apply_action(legal[int(peer.random() * len(legal))])
        made += 1
    return made


def batch_rates(names: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """Median steps a second of batches, and of the peer in the same rounds."""
    peer, batches = OpenSpiel(), {name: Batched(name) for name in names}
    found: dict[str, dict[str, list[float]]] = {
        name: {"observed": [], "step_only": []} for name in ("openspiel", *names)
    }
    for _ in range(rounds):
        found["openspiel"]["observed"].append(
            measured(lambda: sum(observed_peer(peer) for _ in range(BATCH_STEPS)))
        )
        found["openspiel"]["step_only"].append(measured(lambda: peer.loop(BATCH_STEPS)))
        for name, batch in batches.items():
            found[name]["observed"].append(measured(batch.observed))
            found[name]["step_only"].append(measured(batch.step_only))
    return {
        name: {kind: statistics.median(of) for kind, of in kinds.items()} for name, kinds in found.items()
    }


def batch_table(rates: dict[str, dict[str, float]]) -> list[str]:
    lines = [
        f"Batches of {BATCH} deals, random actions, {SEATS} seats; OpenSpiel from Python, state by state.",
        "",
        "| steps a second | with observation and mask | without | columns |",
        "|---|---|---|---|",
    ]
    for name, each in rates.items():
        columns = "" if name == "openspiel" else Batch(name, SEATS, 1, starts=1).layout.size
        figures = " | ".join(f"{each[kind] / 1e6:.2f} M" for kind in ("observed", "step_only"))
        lines.append(f"| {name} | {figures} | {columns} |")
    return lines
