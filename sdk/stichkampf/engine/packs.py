"""Packs that hold several copies of a card, as masks with one bit a physical card.

Copies stand side by side and cannot be told apart, so a hand always holds them from the lowest bit up. A
card's number is the lowest bit of its kind: `hand & pack.kinds` are the different cards of a hand.
"""

from __future__ import annotations

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, index_of, single_bits, vec


class Pack:
    """A pack of suits that are all alike.

    >>> pack = Pack("RY", "0012")
    >>> pack.cards_in(pack.hand_of(["R0", "R0", "Y2"]))  # numbers: the lowest bit of a kind
    [0, 0, 7]

    :param suits: their letters.
    :param ranks: one letter a physical card of a suit, copies side by side, low to high.
    """

    def __init__(self, suits: str, ranks: str) -> None:
        self.words: list[str] = [suit + rank for suit in suits for rank in ranks]
        self.numbers: dict[str, int] = {word: self.words.index(word) for word in self.words}
        self.first: vec[i64] = vec[i64]([self.numbers[word] for word in self.words])
        self.copies: vec[i64] = vec[i64](
            [sum([2**bit for bit, other in enumerate(self.words) if other == word]) for word in self.words]
        )
        self.kinds: i64 = 0
        for number in self.numbers.values():
            self.kinds |= BIT[number]

    def hand_of(self, cards: list[str]) -> i64:
        """Return the bits of the cards with these words."""
        hand: i64 = 0
        for word in cards:
            card: i64 = self.numbers[word]
            hand = with_card(hand, card, self.copies[card])
        return hand

    def unseen(self, deck: list[str], hand: list[str]) -> i64:
        """Return the cards of a deck that are not in a hand."""
        rest: i64 = self.hand_of(deck)
        for word in hand:
            rest = without_card(rest, self.copies[self.numbers[word]])
        return rest

    def bits_in(self, hand: i64) -> vec[i64]:
        """List for each card, copies repeated, the mask of its number, as `worlds.arrange` takes it."""
        found: vec[i64] = single_bits(hand)
        for k in range(len(found)):
            found[k] = BIT[self.first[index_of(found[k])]]
        return found

    def cards_in(self, hand: i64) -> list[i64]:
        """List card numbers, copies repeated."""
        found: list[i64] = []
        left: i64 = hand
        while left:
            found.append(self.first[index_of(left & -left)])
            left &= left - 1
        return found


def with_card(hand: i64, card: i64, copies: i64) -> i64:
    """Return the hand and one more of the card, whose kind has these bits."""
    return hand | (((hand & copies) << 1 | BIT[card]) & copies)


def without_card(hand: i64, copies: i64) -> i64:
    """Return the hand and one fewer of the kind with these bits."""
    return (hand & ~copies) | (((hand & copies) >> 1) & copies)
