"""Usual cards of players of At Sixes and Sevens."""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import BIT
from stichkampf.engine.deal import Deal
from stichkampf.games.sixes_and_sevens import SixesDeal
from stichkampf.policies.kind_policy import KindPolicy

# A card is suit * 13 + rank, a two is rank 0.
_RANKS: Final = 13
_SIX: Final = 4
_SEVEN: Final = 5
_HIGH: Final = 9

_CARDS: Final = ("a low card", "a middle card", "a high card", "a trump", "a six", "a seven")
_FOLLOWING: Final = 6
_OUTCOMES: Final = 3
_PARTNER_HOLDS: Final = 6 * _OUTCOMES
_LAST: Final = 2 * _PARTNER_HOLDS


class SixesTricks(KindPolicy):
    """A policy for At Sixes and Sevens: a card by its rank, and by whose the trick is before and after it."""

    names: ClassVar[list[str]] = [
        *[f"lead {card}" for card in _CARDS],
        *[
            f"{when}, from {holder} to {taker}: {card}"
            for when in ("before the end", "as the last")
            for holder in ("the others", "the partner")
            for taker in ("the others", "the partner", "oneself")
            for card in _CARDS
        ],
    ]

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, SixesDeal)
        if deal.count == 0:
            return [card_of(deal, action) for action in actions]
        laid: i64 = deal.cards_laid()
        partner: i64 = (seat + 2) & 3
        first: i64 = _FOLLOWING
        if deal.count == deal.seats - 1:
            first += _LAST
        if deal.player_of(deal.winning_card(laid, deal.trump)) == partner:
            first += _PARTNER_HOLDS
        found: list[int] = []
        for action in actions:
            trump: i64 = action // _RANKS if action % _RANKS == _SEVEN else deal.trump
            winning: i64 = deal.winning_card(laid | BIT[action], trump)
            outcome: i64 = 0
            if winning == action:
                outcome = 2
            elif deal.player_of(winning) == partner:
                outcome = 1
            found.append(first + 6 * outcome + card_of(deal, action))
        return found


def card_of(deal: SixesDeal, card: i64) -> i64:
    """Return the place in `_CARDS`."""
    rank: i64 = card % _RANKS
    if rank == _SIX:
        return 4
    if rank == _SEVEN:
        return 5
    if card // _RANKS == deal.trump:
        return 3
    if rank < _SIX:
        return 0
    return 1 if rank < _HIGH else 2
