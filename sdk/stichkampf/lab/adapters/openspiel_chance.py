"""A chance node in front of a match, for algorithms that list every deal of the cards, such as CFR."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from stichkampf.errors import ActionError
from stichkampf.lab.adapters.openspiel_type import NoPlayerToAct, state_type

CHANCE = -1  # OpenSpiel's PlayerId.CHANCE


class ChanceState:
    """A match before its cards are dealt: a chance node with an outcome for each seed of the game, all
    equally likely. Once it has been given an outcome it is the state of that match.
    """

    def __init__(self, new_state: Callable[[bytes], Any], seeds: tuple[bytes, ...]) -> None:
        self._new_state = new_state
        self._seeds = seeds
        self._dealt: Any = None
        self._outcome = -1

    def __getattr__(self, name: str) -> Any:
        """Take every other attribute from the match; before the deal, from the match of the first seed."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._dealt or self._new_state(self._seeds[0]), name)

    def is_chance_node(self) -> bool:
        return self._dealt is None

    def is_player_node(self) -> bool:
        return self._dealt is not None and self._dealt.is_player_node()

    def get_type(self) -> Any:
        """Return the type of this node, a `pyspiel.StateType`.

        :raises ImportError: OpenSpiel is not installed.
        """
        return state_type(over=False, chance=True) if self._dealt is None else self._dealt.get_type()

    def information_state_string(self, player: int | None = None) -> str:
        """Return what a player has seen since the cards were dealt.

        :raises NoPlayerToAct: they are not dealt yet.
        """
        if self._dealt is None:
            raise NoPlayerToAct("the cards are not dealt yet: choose one of chance_outcomes() first")
        told: str = self._dealt.information_state_string(player)
        return told

    def current_player(self) -> int:
        """Return the seat to choose, `CHANCE` before the cards are dealt, or `TERMINAL`."""
        return CHANCE if self._dealt is None else self._dealt.current_player()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """List the outcomes as (number, probability); none once the cards are dealt."""
        if self._dealt is not None:
            return []
        return [(number, 1 / len(self._seeds)) for number in range(len(self._seeds))]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """List the numbers of the outcomes, or the legal actions of the match."""
        if self._dealt is None:
            return list(range(len(self._seeds))) if player in (None, CHANCE) else []
        actions: list[int] = self._dealt.legal_actions(player)
        return actions

    def apply_action(self, action: int) -> None:
        """Deal the cards of an outcome, or carry out an action of the match.

        :raises ActionError: not the number of an outcome; the state is unchanged.
        """
        if self._dealt is not None:
            self._dealt.apply_action(action)
        elif action in range(len(self._seeds)):
            self._dealt = self._new_state(self._seeds[action])
            self._outcome = int(action)
        else:
            raise ActionError(f"an outcome is a number from 0 to {len(self._seeds) - 1}, not {action!r:.80}")

    def child(self, action: int) -> ChanceState:
        """Return the state after an outcome or action; this one stays as it is."""
        state = self.clone()
        state.apply_action(action)
        return state

    def clone(self) -> ChanceState:
        """Return an independent copy."""
        other = copy.copy(self)
        other._dealt = None if self._dealt is None else self._dealt.clone()
        return other

    def __str__(self) -> str:
        return "" if self._dealt is None else f"deal {self._outcome} · {self._dealt}"

    def history_str(self) -> str:
        """Return the outcome and every action so far, in words."""
        return str(self)
