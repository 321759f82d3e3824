"""A deal up to one of its frames, as its observer saw it: the facts, the moves and the tricks so far."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from stichkampf.engine.felt import Felt
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.web.replay import fact_texts
from stichkampf_platform.web.replay.replay import Replay, ReplayDeal, ReplayFrame
from stichkampf_platform.web.replay.tricks import ReplayTrick, tricks_until


class DealSoFar:
    """A deal up to the frame of a step."""

    def __init__(self, replay: Replay, step: int) -> None:
        self.replay = replay
        self.game = replay.game
        self.felt: Felt = replay.game.felt
        self.seats = replay.seats
        self.deal: ReplayDeal = replay.deal_at(step)
        self.step = step
        self.at = step - self.deal.first_step
        self.frames = self.deal.frames[: self.at + 1]
        self.frame: ReplayFrame = self.deal.frames[self.at]
        self.all_hands = replay.observer == ALL_HANDS
        self.is_over = self.deal.is_over and self.at == len(self.deal.frames) - 1

    @cached_property
    def tricks(self) -> list[ReplayTrick]:
        """The tricks so far; cards on the table before any is played are none."""
        found = tricks_until(self.deal, self.at)
        begun = found and (found[0].winner is not None or self._has_played())
        return found if begun else []

    def _has_played(self) -> bool:
        return any(action.startswith("play ") for _, _, action in self.moves())

    @cached_property
    def known_tricks(self) -> list[ReplayTrick]:
        """The tricks that the observer may look at: with all hands open those still to come, too."""
        return tricks_until(self.deal, len(self.deal.frames) - 1) if self.all_hands else self.tricks

    @cached_property
    def by_seat(self) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """The public facts: those with a value for each seat, then the others."""
        hands = [list(hand) for hand in self.frame.hands]
        told = {name: value for name, value in self.frame.facts.items() if value != hands}
        return fact_texts.by_seat(self.game.facts, told, self.seats)

    def of_seat(self, name: str, seat: int) -> Any:
        """Return the value of a fact for a seat, or of a secret that the observer may see."""
        if name in self.game.secrets:
            return self.frame.secrets.get(seat, {}).get(name)
        values = self.frame.facts.get(name) or []
        return values[seat] if seat < len(values) else None

    def secret(self, name: str) -> Any:
        """Return the value of a secret that the observer may see, whichever seat's it is."""
        return next((known[name] for known in self.frame.secrets.values() if name in known), None)

    def moves(self) -> list[tuple[int, int, str]]:
        """List (step, seat, action) so far: with all hands open as recorded, else as shown to the seat."""
        return [
            (self.deal.first_step + at, seat, action)
            for at, frame in enumerate(self.frames)
            for seat, action in self.moves_of(frame)
        ]

    def moves_of(self, frame: ReplayFrame) -> list[tuple[int, str]]:
        if self.all_hands:
            return [(frame.decision.seat, frame.decision.word)] if frame.decision else []
        return [(event.seat, event.text) for event in frame.events if event.kind == "move"]

    def running_points(self, facts: Mapping[str, Any]) -> list[int]:
        """Return the points of the deal so far, by seat; of sides, their seats have the same."""
        values = facts.get(self.felt.running) or [0] * self.seats
        return [values[seat % len(values)] or 0 for seat in range(self.seats)]

    @cached_property
    def points_by_trick(self) -> list[list[int]]:
        """The points of the deal by seat, before the first trick and after each one that may be seen."""
        ends = [trick.ended for trick in self.known_tricks if trick.winner is not None]
        at_first = [ends[0] - 1, *ends] if ends else []
        return [self.running_points(self.deal.frames[at].facts) for at in at_first]
