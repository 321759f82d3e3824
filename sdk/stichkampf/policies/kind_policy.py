"""`KindPolicy`: weighs an action by its kind alone."""

from __future__ import annotations

from typing import ClassVar

from mypy_extensions import i64, mypyc_attr

from stichkampf.engine.bits import below, next_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.policy import Policy


@mypyc_attr(allow_interpreted_subclasses=True)
class KindPolicy(Policy):
    """A policy that sorts the actions of a decision into kinds and has one weight for each kind.

    :cvar names: of the kinds, in words.
    :param table: the weights, in the order of `names`.
    """

    names: ClassVar[list[str]] = []

    def __init__(self, table: list[int]) -> None:
        self.table = table

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        """Return the kind of each legal action of a seat, by its place in `names`; an empty list: no
        opinion.
        """
        raise NotImplementedError

    def weights(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        table = self.table
        return [table[kind] for kind in self.kinds(deal, seat, actions)]

    def pick(self, deal: Deal, x: i64) -> i64:
        """Pick as every policy does, without a list of weights."""
        if self.judges_now(deal):
            table = self.table
            actions = deal.legal_actions()
            kinds = self.kinds(deal, deal.turn, actions)
            total: i64 = 0
            for kind in kinds:
                total += table[kind]
            left: i64 = below(total, x) if total else 0
            for k in range(len(kinds)):
                left -= table[kinds[k]]
                if left < 0:
                    return actions[k]
        return deal.pick(x)

    def playout(self, deal: Deal, x: i64) -> i64:
        while deal.turn >= 0 and self.judges(deal):
            x = next_random(x)
            deal.apply(self.pick(deal, x))
        return deal.playout(x)
