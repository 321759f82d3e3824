"""Usual drafts and shown tasks of players of Was sticht?.

Tricks are left to chance, and so are the choice of tasks, where searches found none better than another, and
the discard, which ends the deal.

A seat with a *modest* task among its own (no tricks, exactly 1, the fewest) may want weak cards.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, five_bits, indices
from stichkampf.engine.deal import Deal
from stichkampf.games.was_sticht import TASKS, WasStichtDeal
from stichkampf.policies.kind_policy import KindPolicy

_WORDS: Final = WasStichtDeal(4, 0)
_TAKE: Final[i64] = _WORDS.action("take R1")
_CHOOSE: Final[i64] = _WORDS.action(f"choose {TASKS[0]}")
_SHOW: Final[i64] = _WORDS.action(f"show {TASKS[0]}")
_DROP: Final[i64] = _WORDS.action(f"drop {TASKS[0]}")
_MODEST: Final[list[int]] = [
    k for k, task in enumerate(TASKS) if task in ("no-tricks", "exactly-1", "fewest-tricks")
]
_TASKS: Final = 12
_CHOOSING: Final = 0  # stages of a deal
_TRICKS: Final = 3

_DRAFTING: Final = 0
_SHOWING: Final = 12

_DRAFTERS: Final = ("without a modest task", "with a modest task", "start player")
_HANDS: Final = ("less than 1.5", "1.5 to 3", "more than 3")


class WasStichtPolicy(KindPolicy):
    """A policy for Was sticht?: cards of a row by their strength, tasks by the worth of the hand."""

    names: ClassVar[list[str]] = [
        *[f"{drafter}: take number {k} of the row by strength" for drafter in _DRAFTERS for k in range(1, 5)],
        *[f"show {task}, hand worth {hand} tricks" for hand in _HANDS for task in TASKS],
    ]

    def judges(self, deal: Deal) -> bool:
        assert isinstance(deal, WasStichtDeal)
        return deal.stage < _TRICKS

    def judges_now(self, deal: Deal) -> bool:
        assert isinstance(deal, WasStichtDeal)
        return _CHOOSING < deal.stage < _TRICKS

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, WasStichtDeal)
        first: i64 = actions[0]
        if first < _TAKE:
            return []
        if first < _CHOOSE:
            return self.draft(deal, seat, actions)
        if first < _SHOW or first >= _DROP:
            return []
        worth: i64 = worth_step(deal, seat)
        return [_SHOWING + _TASKS * worth + action - _SHOW for action in actions]

    def draft(self, deal: WasStichtDeal, seat: i64, actions: list[int]) -> list[int]:
        drafter: i64 = 2 if seat == deal.dealer else 0
        if drafter == 0:
            for task in _MODEST:
                if five_bits(deal.tasks[seat], task):
                    drafter = 1
        found: list[int] = []
        for action in actions:
            own: i64 = strength(deal, action - _TAKE, drafter == 2)
            stronger: i64 = 0
            for other in actions:
                if strength(deal, other - _TAKE, drafter == 2) > own:
                    stronger += 1
            found.append(_DRAFTING + 4 * drafter + stronger)
        return found


def strength(deal: WasStichtDeal, card: i64, knows_trumps: bool) -> i64:
    """Return how strong a card is, by its number alone where the trumps are not known."""
    number: i64 = card % 9 + 1
    if not knows_trumps:
        return number
    return number + (20 if number == deal.number else 0) + (10 if card // 9 == deal.colour else 0)


def worth_step(deal: WasStichtDeal, seat: i64) -> i64:
    """Return how many tricks a hand is worth when trumps are known: 0, 1 or 2 for the steps of `_HANDS`."""
    own: i64 = 0
    all_hands: i64 = 0
    for s in range(deal.seats):
        worth: i64 = 0
        for card in indices(deal.hold[s]):
            if deal.trumps & BIT[card]:
                worth += 3
            elif card % 9 >= 7:
                worth += 2
        all_hands += worth
        if s == seat:
            own = worth
    tenths: i64 = 90 * own // max(1, all_hands)
    return 0 if tenths < 15 else 1 if tenths <= 30 else 2
