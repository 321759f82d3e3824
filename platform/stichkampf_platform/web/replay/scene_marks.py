"""The marks of a scene: what this decision cost, the next mistake, and the costliest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stichkampf.engine.game import Game
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.web.replay import stops
from stichkampf_platform.web.replay.action_texts import short
from stichkampf_platform.web.replay.replay import Replay
from stichkampf_platform.web.replay.scene_parts import Text

if TYPE_CHECKING:
    from stichkampf_platform.marks.models import StoredMark

SHOWN = 10


@dataclass(frozen=True)
class ShownMark:
    """A mark in words. `open_better` is empty in a seat's view, which has no figure of open cards."""

    mark: StoredMark
    seat: int
    deal: int
    chosen: Text
    better: Text
    open_better: Text


class SceneMarks:
    """The marks that the observer of a scene may see.

    A seat sees marks of its own alone. Of those still to come it learns the number of the next decision, so
    that the page can jump there, but no card.
    """

    def __init__(self, replay: Replay, step: int, marks: Sequence[StoredMark]) -> None:
        self._replay = replay
        self._step = step
        self._all_hands = replay.observer == ALL_HANDS
        self._all = [mark for mark in marks if self._all_hands or mark.judged.seat.number == replay.observer]

    @property
    def here(self) -> ShownMark | None:
        return next((self._shown(mark) for mark in self._all if mark.decision == self._step), None)

    @property
    def next_step(self) -> int | None:
        """The next mistake, or after the last one the first."""
        steps = sorted(mark.decision for mark in self._all)
        return stops.after(steps, self._step) or (steps[0] if steps else None)

    @property
    def costliest(self) -> list[ShownMark]:
        """The costliest decisions: of the match with all hands open, else of those that the seat has made."""
        told = [mark for mark in self._all if self._all_hands or mark.decision <= self._step]
        return [self._shown(mark) for mark in sorted(told, key=lambda mark: -mark.points)[:SHOWN]]

    @property
    def number(self) -> int:
        """The number of marks of which `costliest` lists the first."""
        return len([mark for mark in self._all if self._all_hands or mark.decision <= self._step])

    def _shown(self, mark: StoredMark) -> ShownMark:
        return shown_mark(self._replay.game, mark, all_hands=self._all_hands)


def shown_mark(game: type[Game], mark: StoredMark, *, all_hands: bool) -> ShownMark:
    """Write a mark in the words and cards of its game.

    :param all_hands: whether all hands may be seen.
    """
    return ShownMark(
        mark,
        mark.judged.seat.number + 1,
        mark.deal + 1,
        short(game, mark.chosen),
        short(game, mark.better),
        short(game, mark.open_better) if all_hands else "",
    )
