"""What trick-taking games share: the trick on the table, who holds it, who has won how many, what hands show
by not following.
"""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.deal import Deal, Trick


@mypyc_attr(allow_interpreted_subclasses=True)
class TrickDeal(Deal):
    """A deal whose main part is tricks of one card a seat, clockwise from the leader.

    A card is a number below 128, as an action it plays that card; `hold` and `lacks` are masks with one bit a
    kind, below 62.

    :ivar leader: the seat that leads the current trick.
    :ivar laid: the cards of the current trick, seven bits each, in order played; `count` says how many.
    :ivar best: the seat that holds the current trick so far, by `best_power`.
    :ivar taken: tricks won, five bits a seat.
    :ivar done: tricks complete; `previous` and `previous_leader` keep the last of them, `winner` who took
        it (-1 nobody).
    :ivar hold: kinds of card in each hand (0 where a blind deal does not know).
    :ivar lacks: kinds that each hand is known not to hold, having not followed.
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

    def __init__(self, seats: i64, dealer: i64) -> None:
        super().__init__(seats, dealer)

    def start_table(self, leader: i64) -> None:
        """An empty table; every new deal calls this once."""
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
        """Take over every field that this class and its base declare; a game's `clone` calls it and adds its
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
        left: i64 = seat + 1
        if left == self.seats:
            return 0
        return left

    def lay(self, seat: i64, card: i64, power: i64) -> bool:
        """Put a card on the table; True when that completes the trick. The strongest card holds the trick,
        the first of equals.

        Where the last of equals wins, the game adds `count` to the power. Power is only compared within a
        trick.
        """
        if self.count == 0 or power > self.best_power:
            self.best = seat
            self.best_power = power
        self.laid |= card << (7 * self.count)
        self.count += 1
        if self.count == self.seats:
            return True
        self.turn = self.left_of(seat)
        return False

    def take(self, winner: i64) -> None:
        """Give the complete trick to the winner (-1: to nobody) and clear the table; the winner, if any,
        leads.
        """
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
        return (self.taken >> (5 * seat)) & 31

    def has_played(self, seat: i64) -> bool:
        """Whether the seat has a card in the current trick."""
        place: i64 = seat - self.leader
        return (place if place >= 0 else place + self.seats) < self.count

    def table_key(self) -> list[int]:
        """The fields of this class and its base as integers, for `key`."""
        fields: list[int] = [
            self.seats, self.dealer, self.turn, self.viewer, self.awaited, self.leader, self.laid, self.count,
            self.best, self.best_power, self.taken, self.done, self.previous, self.previous_leader,
            self.winner,
        ]  # fmt: skip
        add_masks(fields, self.hold)
        add_masks(fields, self.lacks)
        return fields

    def card_word(self, card: int) -> str:
        """The word of a card number."""
        raise NotImplementedError

    def table(self) -> list[tuple[int, str]]:
        return self.unpack(self.laid, self.leader, self.count)

    def unpack(self, laid: i64, leader: i64, count: i64) -> list[tuple[int, str]]:
        return [((leader + k) % self.seats, self.card_word((laid >> (7 * k)) & 127)) for k in range(count)]

    def last_trick(self) -> Trick | None:
        if self.done == 0:
            return None
        return Trick(self.done, self.winner, self.unpack(self.previous, self.previous_leader, self.seats))

    def tricks_done(self) -> int:
        return self.done

    def tricks_by_seat(self) -> list[int]:
        return [self.tricks_of(s) for s in range(self.seats)]


def add_masks(fields: list[int], masks: vec[i64]) -> None:
    for k in range(len(masks)):
        fields.append(masks[k])


def mask_of(cards: list[int]) -> i64:
    """The mask of card numbers below 62."""
    total: i64 = 0
    for card in cards:
        total |= BIT[card]
    return total
