"""The peer of the engine's benchmarks: OpenSpiel's `oh_hell` with four players and eight tricks."""

from __future__ import annotations

import time
from collections.abc import Callable

import pyspiel
from stichkampf.engine.bits import next_random

SEATS = 4
TRICKS = 8


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

    def search(self, times: int) -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        pyspiel.ISMCTSBot(7, evaluator, 1.4, times, -1, final, False, False).step(self.state)
        return times
