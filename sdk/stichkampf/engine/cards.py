"""The decks and the words of their cards.

A card's word is its suit letter and its rank, as the match record writes it ("V14", "ST"). Copies of a card
share their word.
"""

from __future__ import annotations

FRENCH_SUITS = "CDHS"


def deck(suits: str, ranks: list[str], copies: int = 1) -> list[str]:
    """Every card, suit by suit, ranks as given, copies side by side."""
    return [suit + rank for suit in suits for rank in ranks for _ in range(copies)]
