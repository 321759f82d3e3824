"""`Stepper`: many deals stepped in one call, without numpy; `Batch` is the same with checks and arrays.

All results stand in vecs that are made once; numpy sees their memory. An action is the number of its word in
the game's list of words.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from stichkampf.engine.bits import BIT, below, index_of, next_random, spread
from stichkampf.engine.deal import Deal
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.lab.observations.encoder import Encoder, turned

MOST_COPIES = 4  # of a card, in any game
LEGAL_BITS = 56  # legal actions a word: seven whole bytes
HIDDEN = 1  # of a move in the history: others see that there was one, not which
PENDING = 2  # others do not know of it yet


class Actions:
    """The numbers of a game's actions, and what a batch has to know of each.

    :param codes: by number, the action as the rules count it; -1 for one that these options leave out.
    :param plays: by number, whether it plays the card of that code.
    :param hidden: by number, whether other seats see it masked.
    :param verbs: by number, the number of its verb, below 15.
    """

    def __init__(self, codes: list[int], plays: list[bool], hidden: list[bool], verbs: list[int]) -> None:
        self.count: i64 = len(codes)
        self.words: i64 = (len(codes) + LEGAL_BITS - 1) // LEGAL_BITS
        self.code: vec[i64] = vec[i64]([i64(code) for code in codes])
        self.number: vec[i64] = vec[i64]([-1] * (max(codes) + 1))
        for number, code in enumerate(codes):
            if code >= 0:
                self.number[code] = number
        self.plays: vec[i64] = vec[i64]([i64(play) for play in plays])
        self.hidden: vec[i64] = vec[i64]([i64(hide) for hide in hidden])
        self.verb: vec[i64] = vec[i64]([i64(verb) for verb in verbs])
        self.word: vec[i64] = vec[i64]([i64(number // LEGAL_BITS) for number in range(len(codes))])
        self.bit: vec[i64] = vec[i64]([BIT[number % LEGAL_BITS] for number in range(len(codes))])


class Stepper:
    """The deals of a batch.

    :param starts: deals at their first decision, which new deals are made from, one after the other.
    :param seats: seats that a bot holds; the rules play the others.
    :param redraw: whether a new deal gets new hidden cards, drawn from what one of its seats does not know.
    :param remembered: how many moves of a deal `history` tells, 0 for none.
    :param x: a state of the playout generator.
    :ivar seat: by deal, the seat to act.
    :ivar legal: by deal, its legal actions as bits, `LEGAL_BITS` a word.
    :ivar bits: by deal, the words of the observation.
    :ivar numbers: by deal, the numbers of the observation.
    :ivar rewards: by deal and seat, the points of a deal that has just ended, else 0.
    :ivar done: by deal, 1 where the last step ended one.
    :ivar history: by deal, the moves that the seat to act has seen.
    :ivar drawn: by deal, the actions that `draw` has drawn.
    """

    def __init__(
        self,
        n: int,
        starts: list[Deal],
        encoder: Encoder,
        actions: Actions,
        seats: int,
        redraw: bool,
        remembered: int,
        x: i64,
    ) -> None:
        self.n: i64 = n
        self.starts = starts
        self.next_start: i64 = 0
        self.encoder = encoder
        self.actions = actions
        self.seats: i64 = seats
        self.table_seats: i64 = starts[0].seats
        self.redraw = redraw
        self.remembered: i64 = remembered
        self.x: i64 = x
        self.deals: list[Deal] = []
        self.bits_each: i64 = len(encoder.words())
        self.numbers_each: i64 = len(encoder.numbers())
        self.played_each: i64 = self.table_seats * encoder.planes
        self.seat: vec[i64] = vec[i64]([0] * n)
        self.legal: vec[i64] = vec[i64]([0] * (self.n * actions.words))
        self.bits: vec[i64] = vec[i64]([0] * (self.n * self.bits_each))
        self.numbers: vec[i64] = vec[i64]([0] * (self.n * self.numbers_each))
        self.rewards: vec[i64] = vec[i64]([0] * (self.n * self.seats))
        self.done: vec[i64] = vec[i64]([0] * n)
        self.history: vec[i64] = vec[i64]([0] * (self.n * max(self.remembered, 1)))
        self.drawn: vec[i64] = vec[i64]([0] * n)
        self.played: vec[i64] = vec[i64]([0] * (self.n * self.played_each))
        self.leaning: vec[i64] = vec[i64]([0] * n)
        self.moves: list[list[int]] = []  # by deal, (seat, number, how far it is hidden) as one number
        self.scratch: vec[i64] = vec[i64]([0] * max(128, int(actions.count)))
        self.points: vec[i64] = vec[i64]([0] * self.table_seats)
        for _k in range(self.n):
            self.deals.append(starts[0])
            self.moves.append([])
        self.restart(starts, x)

    def restart(self, starts: list[Deal], x: i64) -> None:
        """Begin a new deal everywhere.

        :param starts: the deals to make new ones from.
        :param x: a state of the playout generator.
        """
        self.starts = starts
        self.next_start = 0
        self.x = x
        for k in range(self.n):
            self.begin(k)
            self.observe(k)

    def kept(self) -> tuple[list[Deal], list[Deal], list[list[int]], list[int], list[int], int, int]:
        """Return what another stepper, made alike, needs to go on as this one would."""
        played, leaning = [int(word) for word in self.played], [int(x) for x in self.leaning]
        return self.starts, self.deals, self.moves, played, leaning, int(self.next_start), int(self.x)

    def restore(
        self,
        starts: list[Deal],
        deals: list[Deal],
        moves: list[list[int]],
        played: list[int],
        leaning: list[int],
        next_start: int,
        x: int,
    ) -> None:
        """Go on from what another stepper has kept."""
        self.starts, self.deals, self.moves = starts, deals, moves
        self.next_start, self.x = next_start, x
        for at in range(len(played)):
            self.played[at] = played[at]
        for k in range(self.n):
            self.leaning[k] = leaning[k]
            self.observe(k)

    def first_illegal(self, chosen: list[int]) -> i64:
        """Return the first deal whose action is not legal, else -1. An action of -1 leaves a deal alone."""
        legal = self.legal
        words: i64 = self.actions.words
        count: i64 = self.actions.count
        word = self.actions.word
        bit = self.actions.bit
        for k in range(self.n):
            number: i64 = chosen[k]
            if number == -1:
                continue
            if number < 0 or number >= count or legal[k * words + word[number]] & bit[number] == 0:
                return k
        return -1

    def step(self, chosen: list[int]) -> None:
        """Carry out one action a deal, or none for -1. Unchecked: see `first_illegal`."""
        done = self.done
        rewards = self.rewards
        seats: i64 = self.seats
        for k in range(self.n):
            done[k] = 0
            first: i64 = k * seats
            for s in range(seats):
                rewards[first + s] = 0
            number: i64 = chosen[k]
            if number == -1:
                continue
            deal = self.deals[k]
            self.move(k, deal, number)
            self.go_on(k, deal)
            if deal.turn < 0:
                deal.write_scores(self.points)
                for s in range(seats):
                    rewards[first + s] = self.points[s]
                done[k] = 1
                self.begin(k)
            self.observe(k)

    def move(self, k: i64, deal: Deal, number: i64) -> None:
        """Carry out one action."""
        actions = self.actions
        code: i64 = actions.code[number]
        mover: i64 = deal.turn
        if actions.plays[number]:
            encoder = self.encoder
            encoder.write_card(code, self.played, k * self.played_each + mover * encoder.planes)
        if self.remembered == 0:
            deal.apply(code)
            return
        hidden: i64 = actions.hidden[number] * HIDDEN
        waiting: bool = deal.awaited != 0
        moves = self.moves[k]
        if waiting:
            hidden |= PENDING
        moves.append(mover | hidden << 4 | number << 8)
        if not waiting:
            deal.apply(code)
            return
        phase = deal.phase()
        deal.apply(code)
        if deal.awaited == 0 or deal.phase() != phase:
            for at in range(len(moves)):
                moves[at] = moves[at] & ~(PENDING << 4)

    def go_on(self, k: i64, deal: Deal) -> None:
        """Play the seats that the rules play themselves."""
        while deal.turn >= self.seats:
            self.move(k, deal, self.actions.number[deal.legal_actions()[0]])

    def begin(self, k: i64) -> None:
        """Begin a new deal."""
        start = self.starts[self.next_start]
        self.x = next_random(self.x)
        self.leaning[k] = self.x
        if self.redraw:
            self.x = next_random(self.x)
            start = start.determinise(int(below(self.seats, self.x)), int(spread(self.x)))
            self.starts[self.next_start] = start
        self.next_start += 1
        if self.next_start == len(self.starts):
            self.next_start = 0
        self.deals[k] = start.clone()
        self.moves[k] = []
        for at in range(self.played_each):
            self.played[k * self.played_each + at] = 0
        self.go_on(k, self.deals[k])

    def observe(self, k: i64) -> None:
        """Write what the seat to act of a deal knows and may do."""
        deal = self.deals[k]
        assert isinstance(deal, TrickDeal)
        seat: i64 = deal.turn
        self.seat[k] = seat
        legal, words = self.legal, self.actions.words
        number_of, word, bit = self.actions.number, self.actions.word, self.actions.bit
        first: i64 = k * words
        for at in range(words):
            legal[first + at] = 0
        scratch = self.scratch
        for at in range(deal.write_legal(scratch)):
            number: i64 = number_of[scratch[at]]
            legal[first + word[number]] |= bit[number]
        self.encoder.observe(
            deal,
            seat,
            self.played,
            k * self.played_each,
            self.bits,
            k * self.bits_each,
            self.numbers,
            k * self.numbers_each,
        )
        if self.remembered:
            self.tell(k, seat)

    def tell(self, k: i64, seat: i64) -> None:
        """Write the last moves that a seat has seen, the oldest first, then zeros: for each
        1 + place of the mover · (words + 1) + number of the word, where a hidden one has the number `words`.
        """
        told: list[int] = []
        words: i64 = self.actions.count
        moves = self.moves[k]
        at: i64 = len(moves) - 1
        while at >= 0 and len(told) < self.remembered:
            move: i64 = moves[at]
            at -= 1
            mover: i64 = move & 15
            number: i64 = move >> 8
            if mover != seat:
                if move & (PENDING << 4):
                    continue
                if move & (HIDDEN << 4):
                    number = words
            told.append(1 + turned(mover, seat, self.table_seats) * (words + 1) + number)
        first: i64 = k * self.remembered
        length: i64 = len(told)
        for place in range(self.remembered):
            self.history[first + place] = 0
        for place in range(length):
            self.history[first + place] = told[length - 1 - place]

    def draw(self, explore: bool) -> None:
        """Draw a legal action a deal: first a verb, as `lean` says, or all actions equally likely."""
        x: i64 = self.x
        actions = self.actions
        scratch = self.scratch
        for k in range(self.n):
            deal = self.deals[k]
            x = next_random(x)
            if not explore:
                self.drawn[k] = actions.number[deal.pick(x)]
                continue
            count: i64 = deal.write_legal(scratch)
            verbs: i64 = 0
            for at in range(count):
                verbs |= BIT[actions.verb[actions.number[scratch[at]]]]
            verb: i64 = self.lean(verbs, self.leaning[k], x)
            length: i64 = 0
            for at in range(count):
                number: i64 = actions.number[scratch[at]]
                if actions.verb[number] == verb:
                    scratch[length] = number
                    length += 1
            x = next_random(x)
            self.drawn[k] = scratch[below(length, x)]
        self.x = x

    def lean(self, verbs: i64, leaning: i64, x: i64) -> i64:
        """Draw one of a mask of verbs. In each deal a verb weighs 1, 4, 16 or 64, by two bits of its leaning,
        so that in some deals auctions end soon and in others late.
        """
        weighed: i64 = 0
        left: i64 = verbs
        while left:
            weighed += weight(leaning, index_of(left & -left))
            left &= left - 1
        drawn: i64 = below(weighed, x)
        while True:
            verb: i64 = index_of(verbs & -verbs)
            drawn -= weight(leaning, verb)
            if drawn < 0:
                return verb
            verbs &= verbs - 1

    def seen(self, k: i64, seat: i64) -> tuple[vec[i64], vec[i64]]:
        """Return the words and numbers of the observation of any seat that a bot holds."""
        deal = self.deals[k]
        assert isinstance(deal, TrickDeal)
        bits: vec[i64] = vec[i64]([0] * self.bits_each)
        numbers: vec[i64] = vec[i64]([0] * self.numbers_each)
        self.encoder.observe(deal, seat, self.played, k * self.played_each, bits, 0, numbers, 0)
        return bits, numbers

    def hands(self) -> vec[i64]:
        """Return the hands of all seats at the table: by deal, from the seat to act clockwise."""
        written: vec[i64] = vec[i64]([0] * (self.n * self.played_each))
        at: i64 = 0
        for k in range(self.n):
            deal = self.deals[k]
            assert isinstance(deal, TrickDeal)
            seat: i64 = deal.turn
            for _s in range(self.table_seats):
                self.encoder.write_hand(deal, seat, written, at)
                at += self.encoder.planes
                seat = deal.left_of(seat)
        return written


def weight(leaning: i64, verb: i64) -> i64:
    """Return the weight of a verb, below 15, in a deal."""
    return BIT[2 * (leaning >> (2 * verb) & 3)]


def columns_of(encoder: Encoder, card: int) -> list[int]:
    """List the columns of a set of cards that a card, its copies included, may take."""
    words: vec[i64] = vec[i64]([0] * encoder.planes)
    for _k in range(MOST_COPIES):
        encoder.write_card(card, words, 0)
    columns: list[int] = []
    for column in range(encoder.planes * encoder.width):
        if words[column // encoder.width] & BIT[column % encoder.width]:
            columns.append(column)
    return columns
