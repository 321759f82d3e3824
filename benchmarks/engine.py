"""The engine beside OpenSpiel: `python benchmarks/engine.py` measures both, interleaved in one process, and
prints a table.

The peer is `oh_hell` with four players and eight tricks, a close relative of Stiche-Raten. Every figure is
decisions a second of process time (one player's choice is one decision), so that games of different length
compare; the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyspiel
import stichkampf.engine.deal
from stichkampf.engine.bits import next_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.search import search
from stichkampf.engine.seeds import Chance
from stichkampf.games import GAMES, new_game

SEATS = 4
TRICKS = 8
STICHE_RATEN_ROUND = 7  # from 0: eight cards each
FLOOR = {"stiche-raten": 3.0}
OTHER_FLOOR = 2.0
ROLLOUTS_FLOOR, WORLDS_FLOOR, SEARCH_FLOOR, INTERPRETED_FLOOR, BYTES_FLOOR = 4.0, 7.0, 3.9, 0.5, 750


def is_compiled() -> bool:
    return str(stichkampf.engine.deal.__file__).endswith(".so")


def measured(work: Callable[[], int]) -> float:
    """Decisions a second of process time."""
    start = time.process_time()
    decisions = work()
    return decisions / (time.process_time() - start)


class OpenSpiel:
    """The peer at its first bid, cards dealt."""

    def __init__(self) -> None:
        self.game = pyspiel.load_game(f"oh_hell(players={SEATS},num_tricks_fixed={TRICKS})")
        self.state = self.game.new_initial_state()
        self.x = 1
        while self.state.is_chance_node():
            legal = self.state.legal_actions()
            self.state.apply_action(legal[int(self.random() * len(legal))])
        self.decisions = SEATS * (TRICKS + 1)

    def random(self) -> float:
        self.x = next_random(self.x)
        return self.x / 2147483647

    def play_out(self, state) -> int:
        made = 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[made % len(legal)])
            made += 1
        return made

    def loop(self, times: int) -> int:
        return sum(self.play_out(self.state.clone()) for _ in range(times))

    def rollouts(self, times: int) -> int:
        """Clone and play out in C++: a search of one simulation does nothing but evaluate its root by random
        rollouts.
        """
        evaluator = pyspiel.RandomRolloutEvaluator(times, 7)
        pyspiel.MCTSBot(self.game, evaluator, 1.4, 1, 100, False, 7, False).step(self.state)
        return times * self.decisions

    def worlds(self, times: int) -> int:
        seat = self.state.current_player()
        return sum(self.play_out(self.state.resample_from_infostate(seat, self.random)) for _ in range(times))

    def simulations(self, times: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        pyspiel.ISMCTSBot(7, evaluator, 1.4, times, -1, final, False, False).step(self.state)
        return times


class Ours:
    """One of our games at its first decision."""

    def __init__(self, name: str) -> None:
        game = new_game(name, SEATS)
        number = STICHE_RATEN_ROUND if name == "stiche-raten" else 0
        carry = game.start()
        dealt = game.shuffle(Chance(bytes(32), "deal"), number, carry)
        self.deal: Deal = game.new_deal(number, 0, dealt, carry)
        self.decisions = self.mean_decisions(200)

    def mean_decisions(self, times: int) -> float:
        """Of a random playout."""
        made, x = 0, 1
        for _ in range(times):
            deal = self.deal.clone()
            while not deal.is_over():
                x = next_random(x)
                deal.apply(deal.pick(x))
                made += 1
        return made / times

    def play_out(self, deal: Deal) -> int:
        made = 0
        while not deal.is_over():
            legal = deal.legal_actions()
            deal.apply(legal[made % len(legal)])
            made += 1
        return made

    def loop(self, times: int) -> int:
        return sum(self.play_out(self.deal.clone()) for _ in range(times))

    def rollouts(self, times: int) -> float:
        self.deal.rollouts(times, 7)
        return times * self.decisions

    def worlds(self, times: int) -> float:
        self.deal.world_rollouts(self.deal.player(), times, 7)
        return times * self.decisions

    def simulations(self, times: int) -> int:
        search(self.deal, self.deal.player(), iterations=times, seed=7)
        return times

    def bytes_each(self) -> int:
        """Measure the memory of a clone, buffers included."""
        number = 2000
        clones: list[Deal | None] = [None] * number
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for k in range(number):
            clones[k] = self.deal.clone()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return round((after - before) / number)


def rates(rounds: int, kinds: dict[str, int]) -> dict[str, dict[str, float]]:
    """Median rate by player ("openspiel" or a game of ours) and kind of work, interleaved round by round."""
    players = {"openspiel": OpenSpiel(), **{name: Ours(name) for name in GAMES}}
    found: dict[str, dict[str, list[float]]] = {name: {kind: [] for kind in kinds} for name in players}
    for _ in range(rounds):
        for kind, times in kinds.items():
            for name, player in players.items():
                found[name][kind].append(measured(lambda p=player, k=kind, t=times: getattr(p, k)(t)))
    return {
        name: {kind: statistics.median(values) for kind, values in of_kind.items()}
        for name, of_kind in found.items()
    }


def interpreted_rates(rounds: int) -> dict[str, dict[str, float]]:
    """The same loop in a process that has only the Python files, the peer in it too."""
    package = Path(stichkampf.engine.deal.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stichkampf"
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        answer = subprocess.run(
            [sys.executable, __file__, "--interpreted", "--rounds", str(rounds)],
            env={**os.environ, "PYTHONPATH": folder},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    return json.loads(answer.stdout)


def mark(value: float, floor: float, *, at_most: bool = False) -> str:
    """The value, in bold where it misses the floor."""
    text = f"{value:.0f}" if at_most else f"{value:.2f}"
    return f"**{text}**" if (value > floor if at_most else value < floor) else text


def table(compiled: dict[str, dict[str, float]], interpreted: dict[str, dict[str, float]]) -> list[str]:
    peer, slow_peer = compiled["openspiel"], interpreted["openspiel"]
    lines = [
        f"Floors: loop {FLOOR['stiche-raten']:g} (Stiche-Raten) and {OTHER_FLOOR:g}, "
        f"rollouts {ROLLOUTS_FLOOR:g}, worlds {WORLDS_FLOOR:g}, "
        f"search {SEARCH_FLOOR:g}, interpreted {INTERPRETED_FLOOR:g}, "
        f"at most {BYTES_FLOOR} bytes; **bold**: missed.",
        "",
        "| game | loop | rollouts | worlds | search | interpreted | bytes |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in GAMES:
        ours = compiled[name]
        cells = [
            mark(ours["loop"] / peer["loop"], FLOOR.get(name, OTHER_FLOOR)),
            mark(ours["rollouts"] / peer["rollouts"], ROLLOUTS_FLOOR),
            mark(ours["worlds"] / peer["worlds"], WORLDS_FLOOR),
            mark(ours["simulations"] / peer["simulations"], SEARCH_FLOOR),
            mark(interpreted[name]["loop"] / slow_peer["loop"], INTERPRETED_FLOOR),
            mark(Ours(name).bytes_each(), BYTES_FLOOR, at_most=True),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "| a second | loop | rollouts | worlds | search | interpreted loop |",
        "|---|---|---|---|---|---|",
    ]
    for name, ours in compiled.items():
        million = [f"{ours[kind] / 1e6:.2f} M" for kind in ("loop", "rollouts", "worlds")]
        search_speed = f"{ours['simulations'] / 1e3:.0f} k"
        slow = f"{interpreted[name]['loop'] / 1e6:.2f} M"
        lines.append(f"| {name} | {' | '.join([*million, search_speed, slow])} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--interpreted", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.interpreted:
        if is_compiled():
            raise SystemExit("this process was to run the interpreted engine, but found the compiled one")
        print(json.dumps(rates(arguments.rounds, {"loop": 60})))
        return
    if not is_compiled():
        raise SystemExit("the engine is not compiled, so there is nothing to measure; run: make engine")
    kinds = {"loop": 400, "rollouts": 2000, "worlds": 600, "simulations": 1500}
    compiled = rates(arguments.rounds, kinds)
    interpreted = interpreted_rates(arguments.rounds)
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}, "
        "one core; OpenSpiel "
        f"{importlib.metadata.version('open_spiel')}, {arguments.rounds} rounds.\n"
    )
    print("\n".join(table(compiled, interpreted)))


if __name__ == "__main__":
    main()
