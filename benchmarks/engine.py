"""The engine beside OpenSpiel: `python benchmarks/engine.py` measures both, interleaved in one process, then
whole deals at every number of seats, the PettingZoo environments and the batch, and prints tables.

The peer is `oh_hell` with four players and eight tricks, a close relative of Stiche-Raten. Every figure is
decisions a second of process time (one player's choice is one decision), so that games of different length
compare; the median of the rounds counts. `--games` measures some games only, beside the peer in the same run.
`--write` puts the tables into docs/engine-speed.md. Where a floor is missed, the last lines name it, and the
exit status is 1.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
import statistics
import time
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import stichkampf.engine.deal
from batch_speed import batch_rates, batch_table
from engine_peer import SEATS, OpenSpiel, measured
from stichkampf.engine.bits import next_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.search import search
from stichkampf.engine.seeds import Chance
from stichkampf.games import GAMES, new_game
from stichkampf.lab.adapters import pettingzoo

REPORT = Path(__file__).parents[1] / "docs" / "engine-speed.md"
STICHE_RATEN_ROUND = 7  # from 0: eight cards each
KINDS = {"loop": 400, "rollouts": 2000, "worlds": 600, "search": 1500}
WHOLE_DEALS = 8
ITERATIONS = 150  # of each search in whole deals
STEPS = 4000


class Goal(NamedTuple):
    """The floor that a measure must reach, and the aim that it should reach."""

    floor: float
    aim: float
    digits: int = 2

    def reaches(self, limit: float, value: float) -> bool:
        """Tell whether a value reaches the floor or the aim, which may lie above or below."""
        return value <= limit if self.aim < self.floor else value >= limit

    def mark(self, value: float) -> str:
        """Return the value: bold where it misses the floor, with a star where it reaches the aim."""
        text = f"{value:.{self.digits}f}"
        if not self.reaches(self.floor, value):
            return f"**{text}**"
        return f"{text}*" if self.reaches(self.aim, value) else text


GOALS = {
    "loop": Goal(2.5, 4),
    "rollouts": Goal(6, 10),
    "worlds": Goal(15, 27),
    "search": Goal(3.9, 7),
    "bytes": Goal(700, 400, 0),
    "slowest": Goal(100, 20, 0),
    "PettingZoo": Goal(20e3, 100e3, 0),
    "batch": Goal(1e6, 5e6, 0),
}
"""By column of the first table."""


def is_compiled() -> bool:
    return str(stichkampf.engine.deal.__file__).endswith(".so")


def first_deal(game: Game, label: str) -> Deal:
    """Deal the first deal of a match, of Stiche-Raten the round with eight cards each."""
    number, carry = STICHE_RATEN_ROUND if game.name == "stiche-raten" else 0, game.start()
    return game.new_deal(number, 0, game.shuffle(Chance(bytes(32), label), number, carry), carry)


class Ours:
    """One of our games at its first decision."""

    def __init__(self, name: str) -> None:
        self.deal: Deal = first_deal(new_game(name, SEATS), "deal")
        self.decisions = self.mean_decisions(200)

    def mean_decisions(self, times: int) -> float:
        """Return the mean number of decisions of a random playout."""
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

    def search(self, times: int) -> int:
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


def rates(names: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """Median rate by player ("openspiel" or a game of ours) and kind of work, interleaved round by round."""
    players = {"openspiel": OpenSpiel(), **{name: Ours(name) for name in names}}
    found: dict[str, dict[str, list[float]]] = {name: {kind: [] for kind in KINDS} for name in players}
    for _ in range(rounds):
        for kind, times in KINDS.items():
            for name, player in players.items():
                found[name][kind].append(measured(lambda p=player, k=kind, t=times: getattr(p, k)(t)))
    return {
        name: {kind: statistics.median(values) for kind, values in of_kind.items()}
        for name, of_kind in found.items()
    }


def simulation_times(name: str, seats: int) -> list[float]:
    """List the microseconds a simulation of every search with a choice, along deals that search plays."""
    game, times = new_game(name, seats), []
    for number in range(WHOLE_DEALS):
        deal = first_deal(game, f"deal {number}")
        while not deal.is_over():
            legal = deal.legal_actions()
            action = legal[0]
            if len(legal) > 1 and deal.player() < seats:
                start = time.process_time()
                action = search(deal, deal.player(), iterations=ITERATIONS, seed=1).action
                times.append((time.process_time() - start) / ITERATIONS * 1e6)
            deal.apply(action)
    return times


def steps_a_second(name: str) -> float:
    """Steps of the PettingZoo environment that read observation and mask and take a random legal action."""
    environment, rng = pettingzoo.env(name, SEATS), np.random.default_rng(1)
    taken = 0
    environment.reset(seed=1)
    start = time.process_time()
    while taken < STEPS:
        seen, _, over, _, _ = environment.last()
        if over:
            environment.reset()
            continue
        legal = seen["action_mask"].nonzero()[0]
        environment.step(legal[int(rng.random() * len(legal))])
        taken += 1
    return taken / (time.process_time() - start)


def goals_in_words() -> str:
    """The goals, in the order of the columns."""
    said = ", ".join(f"{name} {goal.floor:g} ({goal.aim:g})" for name, goal in GOALS.items())
    return f"Floors, and aims in brackets: {said}. **Bold**: the floor is missed; *: the aim is reached."


def comparison(measured_values: dict[str, dict[str, float]]) -> list[str]:
    lines = [goals_in_words(), "", f"| game | {' | '.join(GOALS)} |", "|---" * (len(GOALS) + 1) + "|"]
    for name, values in measured_values.items():
        cells = [goal.mark(values[column]) for column, goal in GOALS.items()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def missed_floors(measured_values: dict[str, dict[str, float]]) -> list[str]:
    return [
        f"missed: {column} of {name} is {values[column]:.4g}, the floor is {goal.floor:g}"
        for name, values in measured_values.items()
        for column, goal in GOALS.items()
        if not goal.reaches(goal.floor, values[column])
    ]


def rates_table(found: dict[str, dict[str, float]]) -> list[str]:
    lines = ["| a second | loop | rollouts | worlds | search |", "|---|---|---|---|---|"]
    for name, ours in found.items():
        million = [f"{ours[kind] / 1e6:.2f} M" for kind in ("loop", "rollouts", "worlds")]
        lines.append(f"| {name} | {' | '.join(million)} | {ours['search'] / 1e3:.0f} k |")
    return lines


def whole_deals(times: dict[tuple[str, int], list[float]]) -> list[str]:
    lines = ["| game | seats | searches | median, µs | mean, µs | slowest, µs |", "|---|---|---|---|---|---|"]
    for (name, seats), each in times.items():
        figures = f"{statistics.median(each):.1f} | {statistics.mean(each):.1f} | {max(each):.1f}"
        lines.append(f"| {name} | {seats} | {len(each)} | {figures} |")
    return lines


def report(names: list[str], rounds: int) -> tuple[str, list[str]]:
    """Measure, and return the tables and the floors that were missed."""
    found = rates(names, rounds)
    times = {(name, seats): simulation_times(name, seats) for name in names for seats in GAMES[name].players}
    ratios = {table: max(each) / statistics.median(each) for table, each in times.items()}
    batched = batch_rates(names, min(rounds, 7))
    values = {
        name: {kind: found[name][kind] / found["openspiel"][kind] for kind in KINDS}
        | {
            "bytes": Ours(name).bytes_each(),
            "slowest": max(ratios[name, seats] for seats in GAMES[name].players),
            "PettingZoo": steps_a_second(name),
            "batch": batched[name]["observed"],
        }
        for name in names
    }
    head = (
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}, one core, "
        f"load {os.getloadavg()[0]:.1f}; OpenSpiel {importlib.metadata.version('open_spiel')}, "
        f"{rounds} rounds."
    )
    tables = [comparison(values), rates_table(found), batch_table(batched), whole_deals(times)]
    return "\n\n".join([head, *("\n".join(table) for table in tables)]), missed_floors(values)


def write(text: str) -> None:
    """Put the text in place of the section `Result` of the report."""
    before, after = REPORT.read_text(encoding="utf-8").split("## Result\n", 1)
    rest = re.split(r"^(?=## )", after, maxsplit=1, flags=re.MULTILINE)[1]
    REPORT.write_text(f"{before}## Result\n\n{text}\n\n{rest}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/engine-speed.md")
    arguments = parser.parse_args()
    if arguments.write and arguments.games != list(GAMES):
        parser.error("--write takes the tables of all games; leave out --games")
    if not is_compiled():
        raise SystemExit("the engine is not compiled, so there is nothing to measure; run: make engine")
    text, missed = report(arguments.games, arguments.rounds)
    print(text)
    if arguments.write:
        write(text)
    if missed:
        raise SystemExit("\n" + "\n".join(missed))


if __name__ == "__main__":
    main()
