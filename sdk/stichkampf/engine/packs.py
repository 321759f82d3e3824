"""Packs that hold several copies of a card, as masks with one bit a physical card.

Copies stand side by side and cannot be told apart, so a hand always holds them from the lowest bit up. A
card's number is the lowest bit of its kind: `hand & pack.kinds` are the different cards of a hand.
"""

from __future__ import annotations

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, index_of, single_bits, vec


class Pack:
    """A pack of suits that are all alike.

    :param suits: their letters.
    :param ranks: one letter a physical card of a suit, copies side by side, low to high.
    """

    def __init__(self, suits: str, ranks: str) -> None:
        self.words: list[str] = [suit + rank for suit in suits for rank in ranks]
        self.numbers: dict[str, int] = {word: self.words.index(word) for word in self.words}
        self.first: vec[i64] = vec[i64]([self.numbers[word] for word in self.words])
        self.copies: vec[i64] = vec[i64](
            [
                sum([2**place for place, other in enumerate(self.words) if other == word])
                for word in self.words
            ]
        )
        self.kinds: i64 = 0
        for number in self.numbers.values():
            self.kinds |= BIT[number]

    def hand_of(self, cards: list[str]) -> i64:
        hand: i64 = 0
        for word in cards:
            card: i64 = self.numbers[word]
            hand = with_card(hand, card, self.copies[card])
        return hand

    def bits_in(self, hand: i64) -> vec[i64]:
        """For each card, copies repeated, the mask of its number: what `worlds.arrange` deals out."""
        found: vec[i64] = single_bits(hand)
        for place in range(len(found)):
            found[place] = BIT[self.first[index_of(found[place])]]
        return found

    def cards_in(self, hand: i64) -> list[i64]:
        """Card numbers, copies repeated."""
        found: list[i64] = []
        left: i64 = hand
        while left:
            found.append(self.first[index_of(left & -left)])
            left &= left - 1
        return found


def with_card(hand: i64, card: i64, copies: i64) -> i64:
    """The hand and one more of the card, whose kind has these bits."""
    return hand | (((hand & copies) << 1 | BIT[card]) & copies)


def without_card(hand: i64, copies: i64) -> i64:
    """The hand and one fewer of the kind with these bits."""
    return (hand & ~copies) | (((hand & copies) >> 1) & copies)
