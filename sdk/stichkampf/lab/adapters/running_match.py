"""A match without events and words: the deal on the table and what it takes to deal the next.

`match.Match` is the referee that tells and records everything; this is the same course of play for adapters
that need speed. The tests hold the two against each other.
"""

from __future__ import annotations

import copy
from typing import Self

from stichkampf.engine.deal import Carry, Deal
from stichkampf.engine.game import Game
from stichkampf.match.deal_source import SeededDeals


class RunningMatch:
    """The course of one match, from the first deal to the last.

    :param rules: the game.
    :param seed: 32 bytes from which all cards follow.
    :ivar deal: the full deal on the table; of a match that is over the last one.
    :ivar number: the number of deals that have ended.
    :ivar dealer: the dealer of the deal on the table.
    :ivar totals: scores by seat so far.
    :ivar last_scores: the scores of the deal that the last action ended, by seat; zeros where it ended none.
    :raises SeedError: a seed of another length.

    >>> from stichkampf.games import new_game
    >>> match = RunningMatch(new_game("stiche-raten", 3, {"length": "deals:1"}), bytes(32))
    >>> while not match.over:
    ...     match.apply(match.deal.legal_actions()[0])
    >>> match.totals
    [-1, 2, 2]
    """

    def __init__(self, rules: Game, seed: bytes) -> None:
        self.rules = rules
        self.seed = seed
        self.over = False
        self.number = 0
        self.totals = [0] * rules.seats
        self.last_scores = [0] * rules.seats
        self._deals = SeededDeals(rules, seed)
        self._carry: Carry = rules.start()
        self.dealer = self._deals.first_dealer()
        self.deal: Deal
        self._new_deal()

    def apply(self, action: int) -> None:
        """Carry out a legal action of `deal.player()`. Unchecked."""
        self.last_scores = [0] * self.rules.seats
        self._carry_out(action)
        self._go_on()

    def clone(self) -> Self:
        """Return an independent copy; it costs little more than a copy of the deal."""
        other = copy.copy(self)
        other.deal = self.deal.clone()
        return other

    def _carry_out(self, action: int) -> None:
        """Carry out one action, of a bot or of a seat that the rules play."""
        self.deal.apply(action)

    def _new_deal(self) -> None:
        dealt = self._deals.dealt(self.number, self._carry)
        self.deal = self.rules.new_deal(self.number, self.dealer, dealt, self._carry)
        self._dealt()
        self._go_on()

    def _dealt(self) -> None:
        """Take notice of a new deal."""

    def _go_on(self) -> None:
        """Go on to the next choice: play the rules' own seats, score a finished deal, deal the next one."""
        rules = self.rules
        while self.deal.player() >= rules.seats:
            self._carry_out(self.deal.legal_actions()[0])
        if not self.deal.is_over():
            return
        self.last_scores = self.deal.scores()
        self.totals = [total + points for total, points in zip(self.totals, self.last_scores, strict=True)]
        self._carry = rules.carry(self.deal, self._carry)
        self.number += 1
        if rules.is_finished(self.number, self.totals, self._carry):
            self.over = True
            return
        self.dealer = rules.next_dealer(self.dealer)
        self._new_deal()
