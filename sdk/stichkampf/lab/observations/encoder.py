"""`Encoder`: what a seat knows of a deal, as bits and numbers.

A row of an observation is a few *words* of bits, each of which holds several parts side by side, and a list
of small numbers. Seats are counted clockwise from the observer's: 0 is its seat, 1 its left neighbour. All
games have the parts that stand here; a game's own file adds what else its players see.
"""

from __future__ import annotations

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, five_bits, vec
from stichkampf.engine.trick_deal import TrickDeal, card_at

# Name and number of bits of each part of a word, from the lowest bit up.
Parts = list[tuple[str, int]]


class Encoder:
    """The observations of a game of tricks whose cards, as a mask, fit one word, or two.

    :ivar seats: seats at the table.
    :ivar planes: words that a set of cards takes.
    :ivar width: bits of each of these words.

    >>> encoder = Encoder(3, 36)
    >>> encoder.words()[:2]
    [[('hand', 36)], [('table 0', 36)]]
    """

    def __init__(self, seats: i64, width: i64, planes: i64 = 1) -> None:
        self.seats = seats
        self.width = width
        self.planes = planes

    def words(self) -> list[Parts]:
        """List the words of a row, each as the parts that it holds."""
        seats: Parts = [(name, self.seats) for name in ("seat", "dealer", "leader", "winning")]
        return [
            *self.cards("hand"),
            *self.cards_by_seat("table"),
            *self.cards_by_seat("played"),
            seats,
            *self.own_words(),
        ]

    def numbers(self) -> Parts:
        """List the numbers of a row, each by its name and its usual greatest value."""
        return [*self.by_seat("tricks", 13), *self.own_numbers()]

    def own_words(self) -> list[Parts]:
        """List the words that the game adds, in the order in which `write` writes them."""
        return []

    def own_numbers(self) -> Parts:
        """List the numbers that the game adds, in the order in which `write` writes them."""
        return []

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        """Write what the game adds: words from entry b on, numbers from entry n on."""

    def write_hand(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64) -> None:
        """Write the hand of a seat."""
        bits[b] = deal.hold[seat]

    def write_card(self, card: i64, bits: vec[i64], b: i64) -> None:
        """Add a card to a set."""
        bits[b] |= BIT[card]

    def cards(self, name: str) -> list[Parts]:
        """List the words of one set of cards."""
        if self.planes == 1:
            return [[(name, self.width)]]
        return [[(f"{name}, {plane}", self.width)] for plane in self.plane_names()]

    def plane_names(self) -> list[str]:
        """List what tells the words of a set of cards apart."""
        return ["low", "high"]

    def cards_by_seat(self, name: str) -> list[Parts]:
        return [word for s in range(self.seats) for word in self.cards(f"{name} {s}")]

    def by_seat(self, name: str, greatest: int) -> Parts:
        return [(f"{name} {s}", greatest) for s in range(self.seats)]

    def observe(
        self,
        deal: TrickDeal,
        seat: i64,
        played: vec[i64],
        p: i64,
        bits: vec[i64],
        b: i64,
        numbers: vec[i64],
        n: i64,
    ) -> None:
        """Write a row: words from entry b on, numbers from entry n on.

        :param played: from entry p on the cards that each seat has played, `planes` words a seat from seat 0.
        """
        self.write_hand(deal, seat, bits, b)
        b += self.planes
        seats: i64 = self.seats
        table: i64 = b
        size: i64 = seats * self.planes
        for k in range(size):
            bits[b + k] = 0
        at: i64 = deal.leader
        for k in range(deal.count):
            self.write_card(card_at(deal.laid, k), bits, table + self.planes * turned(at, seat, self.seats))
            at += 1
            if at == seats:
                at = 0
        b += size
        first: i64 = seat * self.planes
        for k in range(size):
            bits[b + k] = played[p + first]
            first += 1
            if first == size:
                first = 0
        b += size
        winning: i64 = 0
        if deal.count:
            winning = BIT[turned(deal.best, seat, self.seats)]
        bits[b] = (
            BIT[seat]
            | BIT[turned(deal.dealer, seat, self.seats)] << seats
            | BIT[turned(deal.leader, seat, self.seats)] << (2 * seats)
            | winning << (3 * seats)
        )
        s: i64 = seat
        for k in range(seats):
            numbers[n + k] = five_bits(deal.taken, s)
            s += 1
            if s == seats:
                s = 0
        self.write(deal, seat, bits, b + 1, numbers, n + seats)

    def flag(self, other: i64, seat: i64) -> i64:
        """Return the bit of a seat, counted from the observer's; none for -1."""
        if other < 0:
            return 0
        return BIT[turned(other, seat, self.seats)]

    def flags(self, mask: i64, seat: i64) -> i64:
        """Return a mask of seats, counted from the observer's."""
        return (mask >> seat) | ((mask & (BIT[seat] - 1)) << (self.seats - seat))


class PackEncoder(Encoder):
    """The observations of a game with several copies of a card: a set has a bit for each physical card,
    copies side by side, the lowest first.

    :ivar copies: by card, the bits of its kind.
    """

    def __init__(self, seats: i64, width: i64, copies: vec[i64]) -> None:
        super().__init__(seats, width)
        self.copies = copies

    def write_card(self, card: i64, bits: vec[i64], b: i64) -> None:
        cards: i64 = bits[b]
        copies: i64 = self.copies[card]
        bits[b] = cards | (((cards & copies) << 1 | BIT[card]) & copies)


def turned(other: i64, seat: i64, seats: i64) -> i64:
    """Return how many places a seat sits to the left of the observer's."""
    place: i64 = other - seat
    if place < 0:
        return place + seats
    return place
