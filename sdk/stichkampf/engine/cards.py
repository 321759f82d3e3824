"""The decks and the words of their cards.

A card's word is its suit letter and its rank, as the match record writes it ("V14", "ST"). Copies of a card
share their word.
"""

from __future__ import annotations

FRENCH_SUITS = "CDHS"


def deck(suits: str, ranks: list[str], copies: int = 1) -> list[str]:
    """List every card, suit by suit, ranks as given, copies side by side.

    >>> deck("RY", ["1", "2"])
    ['R1', 'R2', 'Y1', 'Y2']
    """
    return [suit + rank for suit in suits for rank in ranks for _ in range(copies)]
