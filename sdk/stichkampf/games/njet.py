"""Njet, Stefan Dorra's game in which the players first cross out choices that they do not want: start player,
discards, trump, supertrump, points.

2 to 5 seats. From the dealer on each seat blocks one field of a five-row board, any row with at least two
fields free, until every row has one left. The start player of row 1 names the teams; row 2 tells how many
cards each puts away unseen, or that two are passed to the right. Trumps and supertrumps (the zeros of row 4's
colour) are one suit and must be followed as such. The last played supertrump takes a trick, else the highest
trump, else the highest card of the colour led, the last played of equals. The winner's booty is every zero
that an opponent played. A team scores the points of row 5 for each trick and booty of its members; the holder
of the *monster*, where teams are unequal, counts twice.

Under `supertrump_suit: own` a supertrump also counts as its printed colour when that is led. Source: the
rules of the 2007 Amigo edition; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    bit_count,
    either,
    five_bits,
    index_of,
    indices,
    indices_into,
    next_random,
    vec,
)
from stichkampf.engine.cards import deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Felt, Grid, Term
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, choice, length
from stichkampf.engine.packs import Pack, with_card, without_card
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks
from stichkampf.engine.view import View
from stichkampf.engine.worlds import arrange, split
from stichkampf.errors import ActionError, DealError
from stichkampf.games.german_texts import NJET
from stichkampf.games.views.njet import NjetView

# Fifteen bits a colour: three zeros, 1 … 6, four sevens, 8, 9.
_COLOURS: Final = "BYRK"
_PACK: Final = Pack(_COLOURS, "000123456777789")
_WORDS: Final = _PACK.words
_NUMBERS: Final = _PACK.numbers
_CARDS: Final = deck(_COLOURS, list("0123456789"))
_VALUE: Final = vec[i64]([int(word[1]) for word in _WORDS])
_KINDS: Final[i64] = _PACK.kinds
_COPIES: Final = _PACK.copies
_COLOUR: Final = vec[i64]([0x7FFF << (15 * colour) for colour in range(4)] + [0])
_COLOUR_OF: Final = vec[i64]([0x7FFF << (card - card % 15) for card in range(60)])  # by card
_ZEROS: Final = vec[i64]([0b111 << (15 * colour) for colour in range(4)] + [0])
_ALL_ZEROS: Final = 0b111 | 0b111 << 15 | 0b111 << 30 | 0b111 << 45

_NONE: Final = 4  # no trump, no supertrump
_CARDS_EACH: Final = {2: 15, 3: 16, 4: 15, 5: 12}

# The board: five rows of five fields, one bit each.
_ROWS: Final = ("start", "discard", "trump", "super", "points")
_LABELS: Final = {
    "start": "start player",
    "super": "supertrump",
    "one": "1 card",
    "two": "2 cards",
    "two-no-zero": "2 cards, no zeros",
    "pass-two": "pass 2 to the right",
}
_FIRST_FIELDS: Final = 1 | 1 << 5 | 1 << 10 | 1 << 15 | 1 << 20  # of each row
_DISCARDS: Final = ("none", "one", "two", "two-no-zero", "pass-two")
_FIELDS: Final = (
    ("0", "1", "2", "3", "4"),
    _DISCARDS,
    ("B", "Y", "R", "K", "none"),
    ("B", "Y", "R", "K", "none"),
    ("1", "2", "3", "4", "-2"),
)
_POINTS: Final = vec[i64]([1, 2, 3, 4, -2])
_TO_PUT_AWAY: Final = vec[i64]([0, 1, 2, 2, 2])
# Sets of partners are numbers below 32, so a bit each: by the number of seats those of the right size, and by
# seat those without it.
_PARTNERS: Final = vec[i64](
    [
        sum(1 << mask for mask in range(1 << seats) if least <= mask.bit_count() <= most)
        for seats, least, most in ((0, 0, 0), (0, 0, 0), (0, 0, 0), (3, 0, 1), (4, 1, 1), (5, 1, 2))
    ]
)
_WITHOUT: Final = vec[i64](
    [sum(1 << mask for mask in range(32) if not mask >> seat & 1) for seat in range(5)]
)
_NO_ZEROS: Final = 3
_PASSING: Final = 4

# Actions: play 0 … 59, then each verb with its argument.
_BLOCK: Final = 64
_TEAM: Final = 96  # + the partners as a mask; + 0 is alone
_MONSTER: Final = 128
_AWAY: Final = 140
_GIVE: Final = 200

_STONES: Final = 0
_TEAMS: Final = 1
_NAMING_MONSTER: Final = 2
_DISCARDING: Final = 3
_TRICKS: Final = 4
_PHASES: Final = ("stones", "teams", "monster", "discarding", "tricks")


class NjetDeal(TrickDeal):
    """One deal."""

    dealt: i64  # cards dealt to each
    difference: bool  # the option scoring
    own_colour: bool  # the option supertrump_suit
    free: i64  # fields of the board not blocked
    stage: i64
    discard: i64  # the free field of row 2, from 0, once there is only one; likewise
    trump: i64
    supertrump: i64
    points: i64  # a field, not the points
    trumps: i64  # all cards of the trump suit, supertrumps included
    team: i64  # the start player's team as a mask
    monster: i64  # its holder, -1 for none
    booty: i64  # captured zeros, five bits a seat
    plain: i64  # cards played that are no zeros, five bits a seat
    chosen: vec[i64]  # cards put away or given: their number in three bits, then seven bits each
    given: vec[i64]  # by giver: passed cards that the right neighbour has not played yet
    rest: vec[i64]  # full deal: the dead cards; blind deal: every unseen card

    def clone(self) -> NjetDeal:
        other = NjetDeal(self.seats, self.dealer)
        other.copy_table(self)
        other.dealt = self.dealt
        other.difference = self.difference
        other.own_colour = self.own_colour
        other.free = self.free
        other.stage = self.stage
        other.discard = self.discard
        other.trump = self.trump
        other.supertrump = self.supertrump
        other.points = self.points
        other.trumps = self.trumps
        other.team = self.team
        other.monster = self.monster
        other.booty = self.booty
        other.plain = self.plain
        other.chosen = self.chosen[:]
        other.given = self.given[:]
        other.rest = self.rest[:]
        return other

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self) -> i64:
        return self.cards_after(self.suit_led())

    def cards_after(self, suit: i64) -> i64:
        """Return the cards that the seat in turn may play where this suit was led, 0 for none."""
        cards: i64 = self.hold[self.turn] & _KINDS
        following: i64 = cards & suit
        return either(following != 0, following, cards)

    def suit_led(self) -> i64:
        """Return the cards that follow in the current trick, 0 before its first card."""
        if self.count == 0:
            return 0
        return self.suit_of(self.led_card())

    def suit_of(self, card: i64) -> i64:
        """Return the cards that follow this one when it is led: the trump suit, or its colour without it."""
        suit: i64 = _COLOUR_OF[card] & ~self.trumps
        if self.own_colour and card // 15 == self.supertrump:
            suit |= _ZEROS[self.supertrump]
        return either(self.trumps & BIT[card] != 0, self.trumps, suit)

    def free_to_block(self) -> i64:
        """Return the free fields of rows that have more than one, all rows at once: no row is without one,
        and five bits for each hold the sums.
        """
        others: i64 = self.free & (self.free - _FIRST_FIELDS)  # without the first free one of each row
        rows: i64 = (others | (others & 15 * _FIRST_FIELDS) + 15 * _FIRST_FIELDS) >> 4 & _FIRST_FIELDS
        return self.free & 31 * rows

    def to_put_away(self, seat: i64) -> i64:
        """Return the cards that a seat may put away or give next."""
        hand: i64 = self.hold[seat] & _KINDS
        if self.discard == _NO_ZEROS and hand & ~_ALL_ZEROS:
            return hand & ~_ALL_ZEROS
        return hand

    def legal_actions(self) -> list[int]:
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        if self.stage == _TRICKS:
            return indices(self.legal_cards())
        if self.stage == _STONES:
            return indices(self.free_to_block(), _BLOCK)
        if self.stage == _DISCARDING:
            verb: i64 = _GIVE if self.discard == _PASSING else _AWAY
            return indices(self.to_put_away(seat), verb)
        if self.stage == _TEAMS:
            return indices(self.possible_partners(), _TEAM)
        return indices(self.pair(), _MONSTER)

    def possible_partners(self) -> i64:
        """Return the sets of partners that the start player may name, each as the bit of its mask."""
        return _PARTNERS[self.seats] & _WITHOUT[self.leader]

    def pair(self) -> i64:
        """Return the team of two, with five seats."""
        return self.team if bit_count(self.team) == 2 else (BIT[self.seats] - 1) ^ self.team

    def write_legal(self, actions: vec[i64]) -> i64:
        if self.stage == _TRICKS:
            return indices_into(self.legal_cards(), 0, actions, 0)
        if self.stage == _STONES:
            return indices_into(self.free_to_block(), _BLOCK, actions, 0)
        return super().write_legal(actions)

    def pick(self, x: i64) -> i64:
        first: i64 = 0
        choices: i64 = 0
        if self.stage == _TRICKS:
            choices = self.legal_cards()
        elif self.stage == _STONES:
            first = _BLOCK
            choices = self.free_to_block()
        elif self.stage == _DISCARDING:
            first = _GIVE if self.discard == _PASSING else _AWAY
            choices = self.to_put_away(self.turn)
        elif self.stage == _TEAMS:
            first = _TEAM
            choices = self.possible_partners()
        else:
            first = _MONSTER
            choices = self.pair()
        return first + any_of(choices, x)

    def playout(self, x: i64) -> i64:
        while self.turn >= 0 and self.stage != _TRICKS:
            x = next_random(x)
            self.apply(self.pick(x))
        suit: i64 = self.suit_led()
        while self.turn >= 0:
            x = next_random(x)
            card: i64 = any_of(self.cards_after(suit), x)
            self.play_after(card, suit)
            if self.count == 0:
                suit = 0
            elif self.count == 1:
                suit = self.suit_of(card)
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.stage == _TRICKS:
            self.play(action)
        elif self.stage == _STONES:
            self.block(action - _BLOCK)
        elif self.stage == _DISCARDING:
            self.apply_by(self.turn, action)
        elif self.stage == _TEAMS:
            self.name_team(action - _TEAM)
        else:
            self.monster = action - _MONSTER
            self.start_discarding()

    def block(self, field: i64) -> None:
        self.free ^= BIT[field]
        self.turn = self.left_of(self.turn)
        if bit_count(self.free) == 5:
            self.leader = self.left_in(0)
            self.discard = self.left_in(1)
            self.trump = self.left_in(2)
            self.supertrump = self.left_in(3)
            self.points = self.left_in(4)
            self.trumps = _COLOUR[self.trump] | _ZEROS[self.supertrump]
            self.turn = self.leader
            if self.seats == 2:
                self.team = BIT[self.leader]
                self.start_discarding()
            else:
                self.stage = _TEAMS

    def left_in(self, row: i64) -> i64:
        """Return the one free field of a row, from 0."""
        return index_of(five_bits(self.free, row))

    def name_team(self, partners: i64) -> None:
        self.team = partners | BIT[self.leader]
        if self.seats == 5:
            self.stage = _NAMING_MONSTER
            return
        if self.seats == 3:
            alone: i64 = self.team if partners == 0 else 7 ^ self.team
            self.monster = index_of(alone)
        self.start_discarding()

    def start_discarding(self) -> None:
        self.stage = _DISCARDING
        if _TO_PUT_AWAY[self.discard]:
            self.await_all(BIT[self.seats] - 1)
        else:
            self.start_tricks()

    def start_tricks(self) -> None:
        self.stage = _TRICKS
        self.turn = self.leader

    def commit(self, seat: i64, action: i64) -> bool:
        card: i64 = action - _AWAY
        if self.discard == _PASSING:
            card = action - _GIVE
        self.remove(seat, card)
        self.add_chosen(seat, card)
        return self.chosen_count(seat) == _TO_PUT_AWAY[self.discard]

    def reveal(self) -> None:
        if self.discard == _PASSING:
            for giver in range(self.seats):
                self.hand_over(giver)
        self.start_tricks()

    def hand_over(self, giver: i64) -> None:
        """Put the cards that this seat gave, where they are known, into its right neighbour's hand."""
        right: i64 = giver - 1 if giver else self.seats - 1
        for k in range(self.chosen_count(giver)):
            card: i64 = self.chosen_card(giver, k)
            self.hold[right] = with_card(self.hold[right], card, _COPIES[card])
            self.given[giver] = with_card(self.given[giver], card, _COPIES[card])

    def chosen_count(self, seat: i64) -> i64:
        """Count the cards that a seat has put away or given."""
        return self.chosen[seat] & 7

    def chosen_card(self, seat: i64, k: i64) -> i64:
        """Return card k of those that a seat has put away or given."""
        return (self.chosen[seat] >> (3 + 7 * k)) & 127

    def add_chosen(self, seat: i64, card: i64) -> None:
        """Add a card to those that a seat has put away or given."""
        chosen: i64 = self.chosen[seat]
        self.chosen[seat] = (chosen | card << (3 + 7 * (chosen & 7))) + 1

    def remove(self, seat: i64, card: i64) -> None:
        self.hold[seat] = without_card(self.hold[seat], _COPIES[card])

    def play(self, card: i64) -> None:
        self.play_after(card, self.suit_led())

    def play_after(self, card: i64, suit: i64) -> None:
        """Play a card where this suit was led, 0 for none."""
        seat: i64 = self.turn
        bit: i64 = BIT[card]
        self.hold[seat] = without_card(self.hold[seat], _COPIES[card])
        if self.discard == _PASSING:
            giver: i64 = self.left_of(seat)
            if self.given[giver] & bit:
                self.given[giver] = without_card(self.given[giver], _COPIES[card])
        if self.discard == _NO_ZEROS and bit & _ALL_ZEROS == 0:
            self.plain += BIT[5 * seat]
        self.lacks[seat] |= either(bit & suit == 0, suit, 0)
        if self.lay(seat, card, self.power(card, bit)):
            self.end_trick()

    def power(self, card: i64, bit: i64) -> i64:
        """Return the rank of a card in the current trick; the last of equals wins."""
        value: i64 = _VALUE[card]
        led: i64 = either(self.count == 0, card, self.led_card())
        rank: i64 = either(bit & _COLOUR_OF[led] != 0, 100 + value, 0)
        rank = either(bit & self.trumps != 0, 200 + value, rank)
        rank = either(bit & _ZEROS[self.supertrump] != 0, 300, rank)
        return 8 * rank + self.count

    def end_trick(self) -> None:
        winner: i64 = self.best
        seat: i64 = self.leader
        laid: i64 = self.laid
        opponents: i64 = either((self.team >> winner) & 1 != 0, ~self.team, self.team)
        zeros: i64 = 0
        for _k in range(self.seats):
            zeros += (_ALL_ZEROS >> (laid & 127)) & (opponents >> seat) & 1
            laid >>= 7
            seat += 1
            if seat == self.seats:
                seat = 0
        self.booty += zeros * BIT[5 * winner]
        self.take(winner)
        if self.done == self.dealt - self.put_away():
            self.turn = -1

    def put_away(self) -> i64:
        """Count the cards that each hand has lost before the first trick."""
        if self.discard == _PASSING:
            return 0
        return _TO_PUT_AWAY[self.discard]

    def booty_of(self, seat: i64) -> i64:
        return five_bits(self.booty, seat)

    def team_result(self, mine: i64) -> i64:
        """Return the score of each member of a team; mine is 1 for the start player's team, else 0."""
        total: i64 = 0
        for s in range(self.seats):
            if (self.team >> s) & 1 == mine:
                gains: i64 = self.tricks_of(s) + self.booty_of(s)
                total += gains
                if s == self.monster:
                    total += gains
        return total * _POINTS[self.points]

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        ours: i64 = self.team_result(1)
        theirs: i64 = self.team_result(0)
        if self.difference:
            lead: i64 = ours - theirs
            ours = max(lead, 0)
            theirs = max(-lead, 0)
        for s in range(self.seats):
            points[s] = theirs
            if (self.team >> s) & 1:
                points[s] = ours
        return self.seats

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> NjetDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        left: int = self.left_of(seat)
        right: int = (seat + self.seats - 1) % self.seats
        for s in range(self.seats):
            if s == seat:
                continue
            hidden: i64 = self.hold[s]
            if self.discard != _PASSING or self.stage == _DISCARDING:
                for k in range(self.chosen_count(s)):
                    other.unsee(self.chosen_card(s, k))
            known: i64 = self.given[seat] if s == right else 0
            other.hold[s] = known
            other.unsee_all(hidden, known)
            if s != left or self.discard != _PASSING or self.stage == _DISCARDING:
                other.chosen[s] = 0
                other.given[s] = 0
        if self.stage == _DISCARDING:
            other.await_all((BIT[self.seats] - 1) & ~BIT[seat] | (self.awaited & BIT[seat]))
        return other

    def unsee(self, card: i64) -> None:
        """Count a card among the unseen."""
        self.rest[0] = with_card(self.rest[0], card, _COPIES[card])

    def unsee_all(self, cards: i64, known: i64) -> None:
        """Count the cards, but for the known ones, among the unseen."""
        for card in _PACK.cards_in(cards):
            if known & BIT[card]:
                known = without_card(known, _COPIES[card])
            else:
                self.unsee(card)

    def sample_hidden(self, x: i64) -> None:
        pool: vec[i64] = _PACK.bits_in(self.rest[0])
        sizes: vec[i64] = vec[i64]([0] * (2 * self.seats + 1))
        lacks: vec[i64] = vec[i64]([0] * (2 * self.seats + 1))
        left: i64 = len(pool)
        for s in range(self.seats):
            if s != self.viewer:
                sizes[s] = self.hand_size(s) - bit_count(self.hold[s])
                lacks[s] = self.lacks[s]
                if self.stage == _TRICKS:
                    sizes[self.seats + s] = self.put_away()
                left -= sizes[s] + sizes[self.seats + s]
        sizes[2 * self.seats] = left
        if self.stage == _TRICKS:
            x = arrange(pool, sizes, lacks, x)
            while self.discard == _NO_ZEROS and not self.could_put_away(pool, sizes, x):
                x = arrange(pool, sizes, lacks, next_random(x))
        else:
            split(pool, sizes, lacks, x)
        at: i64 = 0
        for s in range(self.seats):
            hand: i64 = self.hold[s]
            end: i64 = at + sizes[s]
            while at < end:
                card: i64 = index_of(pool[at])
                hand = with_card(hand, card, _COPIES[card])
                at += 1
            self.hold[s] = hand
        for s in range(self.seats):
            for _k in range(sizes[self.seats + s]):
                self.add_chosen(s, index_of(pool[at]))
                at += 1
        self.rest[0] = 0
        while at < len(pool):
            self.unsee(index_of(pool[at]))
            at += 1
        if self.stage == _TRICKS and self.discard == _PASSING:
            self.fill_gifts(x)
        self.viewer = -1

    def could_put_away(self, pool: vec[i64], sizes: vec[i64], x: i64) -> bool:
        """Tell whether every seat may have put away its cards of the pool, cut by sizes, under "two without
        zeros".

        Zeros are put away only when nothing else is left. A zero put away after another card can have been
        chosen in one order only, any other two cards in two: such a world counts half.
        """
        half: bool = False
        at: i64 = 0
        for s in range(self.seats):
            at += sizes[s]
        hand_at: i64 = 0
        for s in range(self.seats):
            if sizes[self.seats + s]:
                plain: i64 = five_bits(self.plain, s) + plain_in(pool, hand_at, hand_at + sizes[s])
                away: i64 = plain_in(pool, at, at + 2)
                if away < 2 and plain > 0:
                    return False
                if away == 1:
                    half = True
                at += 2
            hand_at += sizes[s]
        return not half or next_random(x) % 2 == 0

    def fill_gifts(self, x: i64) -> None:
        """Draw the cards in the hands of others that were given to them, where the viewer cannot know."""
        for giver in range(self.seats):
            if giver == self.viewer or giver == self.left_of(self.viewer):
                continue
            right: i64 = giver - 1 if giver else self.seats - 1
            hand: list[i64] = _PACK.cards_in(self.hold[right])
            x = next_random(x)
            first: i64 = x % self.dealt
            x = next_random(x)
            second: i64 = x % (self.dealt - 1)
            if second >= first:
                second += 1
            for k in (first, second):
                if k < len(hand):
                    self.given[giver] = with_card(self.given[giver], hand[k], _COPIES[hand[k]])

    def apply_observed(self, mover: int, seen: str) -> None:
        if seen == "discard ?" or seen == "give ?":
            self.chosen[mover] += 1
            if self.chosen[mover] == _TO_PUT_AWAY[self.discard]:
                self.chosen[mover] = 0
                self.awaited &= ~BIT[mover]
            self.turn = self.next_awaited()
            if self.awaited == 0:
                self.reveal()
            return
        action = self.action(seen)
        if mover != self.viewer and action < _BLOCK and not self.hold[mover] & BIT[action]:
            self.hold[mover] = with_card(self.hold[mover], action, _COPIES[action])
            self.rest[0] = without_card(self.rest[0], _COPIES[action])
        self.apply_by(mover, action)

    def apply_facts(self, facts: Facts) -> None:
        received = facts.get("received")
        left: i64 = self.left_of(self.viewer)
        if received and self.chosen[left] == 0:
            for word in received:
                card: i64 = _NUMBERS[word]
                self.add_chosen(left, card)
                self.rest[0] = without_card(self.rest[0], _COPIES[card])
            self.hand_over(left)

    def key(self) -> list[int]:
        fields = [
            *self.table_key(), self.dealt, self.difference, self.own_colour, self.free, self.stage,
            self.discard, self.trump,
            self.supertrump, self.points, self.trumps, self.team, self.monster, self.booty, self.plain,
        ]  # fmt: skip
        for masks in (self.chosen, self.given, self.rest):
            add_masks(fields, masks)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        if action >= _AWAY:
            return (
                f"give {_WORDS[action - _GIVE]}" if action >= _GIVE else f"discard {_WORDS[action - _AWAY]}"
            )
        if action >= _MONSTER:
            return f"monster {action - _MONSTER}"
        if action >= _TEAM:
            return f"team {' '.join(str(s) for s in indices(action - _TEAM)) or 'alone'}"
        if action >= _BLOCK:
            row, field = divmod(action - _BLOCK, 5)
            return f"block {_ROWS[row]} {_FIELDS[row][field]}"
        return f"play {_WORDS[action]}"

    def action(self, word: str) -> int:
        if word not in _ACTIONS:
            raise ActionError(
                f"{word!r} is no action of njet: there are block ROW FIELD, team SEAT, team SEAT SEAT, "
                "team alone, monster SEAT, "
                "discard CARD, give CARD and play CARD"
            )
        return _ACTIONS[word]

    def seen_as(self, seat: int, mover: int, action: int) -> str:
        if action < _AWAY or seat == mover:
            return self.word(action)
        return "give ?" if action >= _GIVE else "discard ?"

    def phase(self) -> str:
        return _PHASES[self.stage]

    def hand(self, seat: int) -> list[str]:
        return [_WORDS[card] for card in _PACK.cards_in(self.hold[seat])]

    def hidden_cards(self) -> list[str]:
        return [_WORDS[card] for card in _PACK.cards_in(self.rest[0])]

    def hand_size(self, seat: int) -> int:
        if self.stage != _TRICKS:
            return self.dealt
        return self.dealt - self.put_away() - self.done - (1 if self.has_played(seat) else 0)

    def facts(self) -> Facts:
        settled = self.stage > _STONES
        return {
            "board": {
                row: [_FIELDS[r][k] for k in indices(five_bits(self.free, r))] for r, row in enumerate(_ROWS)
            },
            "booty": [self.booty_of(s) for s in range(self.seats)],
            "monster": self.monster if self.monster >= 0 else None,
            "start": self.left_in(0) if settled else None,
            "team": indices(self.team),
            "tricks": self.tricks_by_seat(),
        }

    def secrets(self, seat: int) -> Facts:
        known: Facts = {}
        if self.chosen_count(seat) and self.viewer in (-1, seat):
            known["given" if self.discard == _PASSING else "discarded"] = self.chosen_words(seat)
        left = self.left_of(seat)
        if self.stage == _TRICKS and self.discard == _PASSING and self.chosen_count(left):
            known["received"] = self.chosen_words(left)
        return known

    def chosen_words(self, seat: int) -> list[str]:
        return [_WORDS[self.chosen_card(seat, k)] for k in range(self.chosen_count(seat))]


def plain_in(pool: vec[i64], at: i64, end: i64) -> i64:
    """Count the cards of a stretch of the pool that are no zeros."""
    count: i64 = 0
    while at < end:
        if pool[at] & _ALL_ZEROS == 0:
            count += 1
        at += 1
    return count


def _every_action() -> dict[str, int]:
    words = {f"play {card}": number for card, number in _NUMBERS.items()}
    words |= {f"discard {card}": _AWAY + number for card, number in _NUMBERS.items()}
    words |= {f"give {card}": _GIVE + number for card, number in _NUMBERS.items()}
    words |= {f"block {_ROWS[r]} {_FIELDS[r][k]}": _BLOCK + 5 * r + k for r in range(5) for k in range(5)}
    words |= {f"monster {seat}": _MONSTER + seat for seat in range(5)}
    words |= {f"team {seat}": _TEAM + (1 << seat) for seat in range(5)}
    words |= {f"team {a} {b}": _TEAM + (1 << a) + (1 << b) for b in range(5) for a in range(b)}
    return words | {"team alone": _TEAM}


_ACTIONS: Final = _every_action()


class Njet(Game):
    """A match of Njet.

    >>> from stichkampf.games import new_game
    >>> print(new_game("njet", 2))
    Njet for 2 seats: length deals:8, scoring full, supertrump_suit trump
    """

    name: ClassVar[str] = "njet"
    title: ClassVar[str] = "Njet"
    players: ClassVar[tuple[int, ...]] = (2, 3, 4, 5)
    specification: ClassVar[tuple[Option, ...]] = (
        length(lambda seats, options: {2: "deals:8", 3: "deals:9", 4: "deals:8", 5: "deals:10"}[seats]),
        choice(
            "scoring",
            "full",
            "difference",
            meaning="winners score all of their points, or only the difference",
        ),
        choice(
            "supertrump_suit",
            "trump",
            "own",
            meaning="a supertrump is of the trump suit alone, or follows its own suit too",
        ),
    )
    tagline: ClassVar[str] = "Cross out what you do not want before a card is played."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _CARDS
    sample_cards: ClassVar[tuple[str, ...]] = ("R0", "K7", "Y9")
    facts: ClassVar[Mapping[str, Fact]] = {
        "board": Fact(
            kind=Kind.WORD,
            meaning="free fields of the board",
            kinds={"start": Kind.SEAT, "trump": Kind.SUIT, "super": Kind.SUIT},
            labels=_LABELS,
            value="dict[str, list[str]]",
        ),
        "booty": Fact(kind=Kind.COUNT, meaning="captured zeros", each=True, counts=0),
        "monster": Fact(
            kind=Kind.SEAT,
            meaning="holder of the monster",
            present=(),
            perhaps=("discarding", "tricks"),
            when="None until it is known, and with two or four seats",
        ),
        "start": Fact(
            kind=Kind.SEAT, meaning="start player", present=_PHASES[1:], when="None until all stones are laid"
        ),
        "team": Fact(
            kind=Kind.SEAT,
            meaning="the start player's team",
            value="list[int]",
            when="empty until it is named",
        ),
        "tricks": TRICKS,
    }
    secrets: ClassVar[Mapping[str, Fact]] = {
        "discarded": Fact(
            kind=Kind.CARD,
            meaning="own cards put away",
            value="list[str]",
            present=(),
            perhaps=("discarding", "tricks"),
            when="from the first card put away, to the end of the deal",
        ),
        "given": Fact(
            kind=Kind.CARD,
            meaning="own cards passed on",
            value="list[str]",
            present=(),
            perhaps=("discarding", "tricks"),
            when="from the first card chosen, to the end of the deal",
        ),
        "received": Fact(
            kind=Kind.CARD,
            meaning="cards received",
            texts=tuple(_CARDS),
            value="list[str]",
            present=(),
            perhaps=("tricks",),
            when="in the tricks, where cards were passed on",
        ),
    }
    verbs: ClassVar[Mapping[str, Verb]] = {
        "block": Verb(
            says="crosses out",
            kind=Kind.WORD,
            kinds={"start": Kind.SEAT, "trump": Kind.SUIT, "super": Kind.SUIT},
            labels=_LABELS,
            asks="Cross out a field",
            more="What is left in each row will be played.",
        ),
        "team": Verb(says="forms a team with", kind=Kind.SEAT, asks="Choose your team"),
        "monster": Verb(
            says="gives the monster to",
            kind=Kind.SEAT,
            asks="Who gets the monster?",
            more="Its tricks and booty count twice.",
        ),
        "discard": Verb(says="discards", asks="Put a card away", more="Nobody sees it."),
        "give": Verb(says="passes on", asks="Pass a card to the right"),
        "play": Verb(says="plays", asks="Play a card"),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "stones": "each seat in turn crosses out a field of the board",
        "teams": "the start player names the partners",
        "monster": "the start player says which seat of the pair holds the monster, with five seats",
        "discarding": "all seats at once put away or pass on cards, one by one",
        "tricks": "each seat in turn plays a card",
    }
    sides: ClassVar[tuple[str, ...]] = ("team",)
    view: ClassVar[type[View]] = NjetView
    german: ClassVar[Mapping[str, str]] = NJET
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        (
            "stones",
            "block start 0, block discard two-no-zero, block trump B, block super none, block points -2",
        ),
        ("teams", "team 2, team 1 3, team alone"),
        ("monster, with five players", "monster 2"),
        ("cards, all at once, one by one", "discard R0, give R0"),
        ("tricks", "play R0"),
    )
    felt: ClassVar[Felt] = Felt(
        roles={"start": "start player", "monster": "monster \N{MULTIPLICATION SIGN}2"},
        sides=("team",),
        terms=(
            Term(fact="board", entry="trump", caption="trump"),
            Term(fact="board", entry="super", caption="supertrump"),
            Term(fact="board", entry="discard", caption="discard"),
            Term(fact="board", entry="points", caption="a trick or zero counts"),
        ),
        plates={"booty": "booty", "discarded": "away", "given": "passed on", "received": "received"},
        grid=Grid(
            fact="board",
            verb="block",
            rows=dict(zip(_ROWS, _FIELDS, strict=True)),
            labels={
                "start": "start",
                "super": "super",
                "one": "1",
                "two": "2",
                "two-no-zero": "2, no 0",
                "pass-two": "pass 2",
                "-2": "\N{MINUS SIGN}2",
            },
        ),
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"length": "deals:4"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:1"})
    actions: ClassVar[list[str]] = [
        *(
            block
            for row, fields in zip(_ROWS, _FIELDS, strict=True)
            for block in with_each(f"block {row}", fields)
        ),
        *with_each(
            "team", [*"01234", *(f"{one} {other}" for one, other in combinations("01234", 2)), "alone"]
        ),
        *with_each("monster", "01234"),
        *with_each("discard", _CARDS),
        *with_each("give", _CARDS),
        *with_each("play", _CARDS),
    ]

    def __init__(self, seats: int, options: Mapping[str, Json]) -> None:
        super().__init__(seats, options)
        sevens = 1 if seats == 3 else 4
        self.deck = deck(_COLOURS, list("000123456") + ["7"] * sevens + ["8", "9"])

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        hands, dead = deal_hands(chance.shuffled(self.deck), self.seats, _CARDS_EACH[self.seats])
        return {"hands": hands, "stock": dead} if self.seats == 2 else {"hands": hands}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> NjetDeal:
        hands = check_hands(dealt.get("hands"), self.seats, _CARDS_EACH[self.seats])
        cards = [card for hand in hands for card in hand]
        stock = dealt.get("stock", []) if self.seats == 2 else []
        if not isinstance(stock, list):
            raise DealError(f"stock must list the 30 dead cards, not {stock!r:.60}")
        check_cards("hands and stock" if stock else "hands", cards + stock, self.deck)
        deal = self._at_the_start(dealer)
        for seat, hand in enumerate(hands):
            deal.hold[seat] = _PACK.hand_of(hand)
        deal.rest[0] = _PACK.hand_of(stock)
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> NjetDeal:
        deal = self._at_the_start(dealer)
        deal.viewer = seat
        deal.hold[seat] = _PACK.hand_of(seen["hand"])
        deal.rest[0] = _PACK.unseen(self.deck, seen["hand"])
        return deal

    def _at_the_start(self, dealer: int) -> NjetDeal:
        """Make a new deal without its cards."""
        deal = NjetDeal(self.seats, dealer)
        deal.start_table(dealer)
        deal.dealt = _CARDS_EACH[self.seats]
        deal.difference = self.options["scoring"] == "difference"
        deal.own_colour = self.options["supertrump_suit"] == "own"
        deal.free = (BIT[25] - 1) & ~(31 & ~(BIT[self.seats] - 1))
        deal.stage = _STONES
        deal.discard = deal.points = deal.trumps = deal.team = deal.booty = deal.plain = 0
        deal.trump = deal.supertrump = _NONE
        deal.monster = -1
        deal.chosen = vec[i64]([0] * self.seats)
        deal.given = vec[i64]([0] * self.seats)
        deal.rest = vec[i64]([0])
        return deal
