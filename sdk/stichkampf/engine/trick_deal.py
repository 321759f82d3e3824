"""Shared parts of trick-taking games: the trick on the table, tricks won, suits that hands are known to lack.

A suit is a mask of cards here, so that games can say which cards follow one that is led.
"""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from stichkampf.engine.bits import BIT, either, five_bits, indices, vec
from stichkampf.engine.deal import Deal, Trick


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class TrickDeal(Deal):
    """A deal whose main part is tricks of one card a seat, clockwise from the leader.

    A card is a number below 128, as an action it plays that card; `hold` and `lacks` are masks with one bit a
    kind, below 62.

    :ivar leader: the seat that leads the current trick.
    :ivar laid: the cards of the current trick, seven bits each, in order played; `count` says how many.
    :ivar best: the seat that is winning the current trick, by `best_power`.
    :ivar taken: tricks won, five bits a seat.
    :ivar done: tricks complete; `previous` and `previous_leader` keep the last of them, `winner` the seat
        that took it (-1 for none).
    :ivar hold: kinds of card in each hand (0 where a blind deal does not know).
    :ivar lacks: kinds that each hand is known not to hold, having not followed.

    >>> from stichkampf.games import new_game
    >>> hands = [["C2", "C3"], ["C8", "C4"], ["CK", "C5"]]
    >>> game = new_game("stiche-raten", 3, {"deck": 52})
    >>> rest = [card for card in game.rank.deck if card not in sum(hands, [])]
    >>> deal = game.new_deal(1, 0, {"hands": hands, "stock": rest}, {})
    >>> for word in ("bid 0", "bid 2", "bid 1", "play C8", "play CK"):
    ...     deal.apply(deal.action(word))
    >>> deal.table(), deal.best, deal.tricks_done()
    ([(1, 'C8'), (2, 'CK')], 2, 0)
    """

    leader: i64
    laid: i64
    count: i64
    best: i64
    best_power: i64
    taken: i64
    done: i64
    previous: i64
    previous_leader: i64
    winner: i64
    hold: vec[i64]
    lacks: vec[i64]

    def start_table(self, leader: i64) -> None:
        """Clear the table; every new deal calls this once."""
        self.turn = leader
        self.leader = leader
        self.laid = 0
        self.count = 0
        self.best = 0
        self.best_power = 0
        self.taken = 0
        self.done = 0
        self.previous = 0
        self.previous_leader = 0
        self.winner = -1
        self.hold = vec[i64]([0] * self.seats)
        self.lacks = vec[i64]([0] * self.seats)

    def copy_table(self, other: TrickDeal) -> None:
        """Copy every field that this class and its base declare; a game's `clone` calls it and adds its
        own.
        """
        self.turn = other.turn
        self.viewer = other.viewer
        self.awaited = other.awaited
        self.leader = other.leader
        self.laid = other.laid
        self.count = other.count
        self.best = other.best
        self.best_power = other.best_power
        self.taken = other.taken
        self.done = other.done
        self.previous = other.previous
        self.previous_leader = other.previous_leader
        self.winner = other.winner
        self.hold = other.hold[:]
        self.lacks = other.lacks[:]

    def left_of(self, seat: i64) -> i64:
        """Return the left neighbour of a seat."""
        left: i64 = seat + 1
        if left == self.seats:
            return 0
        return left

    def lay(self, seat: i64, card: i64, power: i64) -> bool:
        """Put a card on the table; True when that completes the trick. The strongest card wins, the first of
        equals.

        Where the last of equals wins, the game adds `count` to the power. Power is only compared within a
        trick.
        """
        count: i64 = self.count
        wins: bool = (count == 0) | (power > self.best_power)
        self.best = either(wins, seat, self.best)
        self.best_power = either(wins, power, self.best_power)
        self.laid |= card << (7 * count)
        count += 1
        self.count = count
        if count == self.seats:
            return True
        seat += 1  # not `left_of`, which subclasses may replace, so that a call is slow
        if seat == self.seats:
            seat = 0
        self.turn = seat
        return False

    def take(self, winner: i64) -> None:
        """Give the complete trick to the winner, -1 for none, and clear the table. A winner leads."""
        self.previous = self.laid
        self.previous_leader = self.leader
        self.winner = winner
        if winner >= 0:
            self.taken += BIT[5 * winner]
            self.leader = winner
        self.done += 1
        self.laid = 0
        self.count = 0
        self.turn = self.leader

    def tricks_of(self, seat: i64) -> i64:
        """Return the number of tricks that a seat has taken."""
        return five_bits(self.taken, seat)

    def led_card(self) -> i64:
        """Return the card that leads the current trick; there must be one."""
        return self.laid & 127

    def follow(self, cards: i64, suit: i64) -> i64:
        """Return the cards that may be played when this suit must be followed: its cards, without any all."""
        following: i64 = cards & suit
        return following if following else cards

    def note_void(self, seat: i64, bit: i64, suit: i64) -> None:
        """Note that a seat lacks the suit led when the card that it plays does not follow."""
        self.lacks[seat] |= either(suit & bit == 0, suit, 0)

    def has_played(self, seat: i64) -> bool:
        """Tell whether the seat has a card in the current trick."""
        position: i64 = seat - self.leader
        return (position if position >= 0 else position + self.seats) < self.count

    def table_key(self) -> list[int]:
        """List the fields of this class and its base as integers, for `key`."""
        fields: list[int] = [
            self.seats, self.dealer, self.turn, self.viewer, self.awaited, self.leader, self.laid, self.count,
            self.best, self.best_power, self.taken, self.done, self.previous, self.previous_leader,
            self.winner,
        ]  # fmt: skip
        add_masks(fields, self.hold)
        add_masks(fields, self.lacks)
        return fields

    def card_word(self, card: int) -> str:
        """Return the word of a card number."""
        raise NotImplementedError

    def table(self) -> list[tuple[int, str]]:
        return self.unpack(self.laid, self.leader, self.count)

    def unpack(self, laid: i64, leader: i64, count: i64) -> list[tuple[int, str]]:
        """List the cards of a trick as (seat, card word), in the order played."""
        return [((leader + k) % self.seats, self.card_word(card_at(laid, k))) for k in range(count)]

    def holder(self) -> int:
        return self.best if self.count else -1

    def lacking(self, seat: int) -> list[str]:
        return sorted({self.card_word(card) for card in indices(self.lacks[seat])})

    def last_trick(self) -> Trick | None:
        if self.done == 0:
            return None
        return Trick(self.done, self.winner, self.unpack(self.previous, self.previous_leader, self.seats))

    def tricks_done(self) -> int:
        return self.done

    def tricks_by_seat(self) -> list[int]:
        """List the numbers of tricks that the seats have taken."""
        return [self.tricks_of(s) for s in range(self.seats)]


def card_at(laid: i64, position: i64) -> i64:
    """Return the card of a trick, seven bits a card, at a position from 0."""
    return (laid >> (7 * position)) & 127


def add_masks(fields: list[int], masks: vec[i64]) -> None:
    for k in range(len(masks)):
        fields.append(masks[k])


def mask_of(cards: list[int]) -> i64:
    """Return the mask of card numbers below 62."""
    total: i64 = 0
    for card in cards:
        total |= BIT[card]
    return total
