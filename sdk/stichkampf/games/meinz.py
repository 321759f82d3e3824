"""Meinz (first published as "Willi"): say "Meinz" at the right moment, for every seat ends with just two
tricks.

Four seats hold nine cards of four colours, 1 to 9; each first puts one away unseen. In a trick play the led
colour or the led number, anything only without the led colour. After each of the first three cards the seats
are asked in a fixed order whether the trick is theirs; the first "Meinz" settles it. Without a call the
lowest number among the seats with fewer than two tricks owns it, the later played of equals. The owner may
exchange one hand card for one of the trick's of the same colour, and leads. Highest sum of captured numbers
scores 3, second 1, third 0, fourth 2; equal sums score nothing.

With three, seat 3 is the *card monster*: it plays its stack from the top whatever was led, never calls, puts
nothing away, exchanges nothing, and adds 12 to its sum. Source: the rules of the 2007 Amigo edition; nothing
is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    below,
    bit_count,
    either,
    index_of,
    indices,
    indices_into,
    next_random,
    nth_bit,
    single_bits,
    vec,
)
from stichkampf.engine.cards import deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Calls, Felt
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, length
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks, card_at, mask_of
from stichkampf.engine.view import View
from stichkampf.engine.worlds import arrange
from stichkampf.errors import ActionError
from stichkampf.games.german_texts import MEINZ
from stichkampf.games.views.meinz import MeinzView

# A card is colour * 9 + number - 1.
_COLOURS: Final = "RYGB"
_WORDS: Final = deck(_COLOURS, [str(number) for number in range(1, 10)])
_NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}
_COLOUR: Final = vec[i64]([0x1FF << (9 * colour) for colour in range(4)])
# By card: its colour, and all that may follow when it is led.
_COLOUR_OF: Final = vec[i64]([0x1FF << (card - card % 9) for card in range(36)])
_FOLLOWING: Final = vec[i64](
    [_COLOUR_OF[card] | sum(1 << (9 * colour + card % 9) for colour in range(4)) for card in range(36)]
)
_SEATS: Final = 4
_CARDS_EACH: Final = 9
_TRICKS: Final = 8
_MONSTER: Final = 3
_MONSTER_BONUS: Final = 12
_POINTS: Final = vec[i64]([3, 1, 0, 2])

# Actions: play 0 … 35, put away 36 … 71, the short answers, then exchanges of a hand card for a trick card.
_AWAY: Final = 36
_QUIET: Final = 72
_CALL: Final = 73
_KEEP: Final = 74
_SWAP: Final = 100

_DISCARD: Final = 0
_PLAY: Final = 1
_ASK: Final = 2
_EXCHANGE: Final = 3


class MeinzDeal(TrickDeal):
    """One round. Cards taken by exchange are known to be in their hand: a blind deal keeps them in `hold`."""

    monster: bool
    stage: i64
    stack: i64  # the monster's cards from the top, six bits each; 0 where unknown
    ask: i64  # the number of seats asked after the current card
    caller: i64  # the seat that called in this trick, -1 for none
    away: vec[i64]  # cards put away, -1 where unknown or not yet
    known: vec[i64]  # cards in a hand that everybody knows of
    sums: vec[i64]
    rest: vec[i64]  # blind deal: the unseen cards, one mask

    def __init__(self, dealer: i64) -> None:
        super().__init__(_SEATS, dealer)

    def clone(self) -> MeinzDeal:
        other = MeinzDeal(self.dealer)
        other.copy_table(self)
        other.monster = self.monster
        other.stage = self.stage
        other.stack = self.stack
        other.ask = self.ask
        other.caller = self.caller
        other.away = self.away[:]
        other.known = self.known[:]
        other.sums = self.sums[:]
        other.rest = self.rest[:]
        return other

    def is_monster(self, seat: i64) -> bool:
        return self.monster and seat == _MONSTER

    def humans(self) -> i64:
        return 7 if self.monster else 15

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self) -> i64:
        if self.is_monster(self.turn):
            return BIT[self.stack & 63]
        hand: i64 = self.hold[self.turn]
        if self.count == 0:
            return hand
        led: i64 = self.led_card()
        return either(hand & _COLOUR_OF[led] != 0, hand & _FOLLOWING[led], hand)

    def legal_actions(self) -> list[int]:
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        if self.stage == _PLAY:
            return indices(self.legal_cards())
        if self.stage == _ASK:
            return [_QUIET, _CALL]
        if self.stage == _DISCARD:
            return indices(self.hold[seat], _AWAY)
        return self.legal_exchanges(seat)

    def legal_exchanges(self, seat: i64) -> list[int]:
        """List what a seat may do after taking a trick: keep it, or swap a card for one of its colour."""
        trick: i64 = 0
        laid: i64 = self.previous
        for _k in range(self.seats):
            trick |= BIT[laid & 127]
            laid >>= 7
        legal: list[int] = [_KEEP]
        hand: i64 = self.hold[seat]
        while hand:
            own: i64 = index_of(hand & -hand)
            others: i64 = trick & _COLOUR[own // 9]
            while others:
                legal.append(_SWAP + 36 * own + index_of(others & -others))
                others &= others - 1
            hand &= hand - 1
        return legal

    def write_legal(self, actions: vec[i64]) -> i64:
        if self.stage == _PLAY:
            return indices_into(self.legal_cards(), 0, actions, 0)
        if self.stage == _ASK:
            actions[0] = _QUIET
            actions[1] = _CALL
            return 2
        return super().write_legal(actions)

    def pick(self, x: i64) -> i64:
        if self.stage == _PLAY:
            return any_of(self.legal_cards(), x)
        if self.stage == _ASK:
            return _QUIET + below(2, x)
        if self.stage == _DISCARD:
            return _AWAY + any_of(self.hold[self.turn], x)
        return self.pick_exchange(x)

    def pick_exchange(self, x: i64) -> i64:
        hand: i64 = self.hold[self.turn]
        choices: i64 = 1
        for k in range(_SEATS):
            choices += bit_count(hand & _COLOUR[card_at(self.previous, k) // 9])
        n: i64 = below(choices, x)
        if n == 0:
            return _KEEP
        n -= 1
        for k in range(_SEATS):
            other: i64 = card_at(self.previous, k)
            own: i64 = hand & _COLOUR[other // 9]
            count: i64 = bit_count(own)
            if n < count:
                return _SWAP + 36 * index_of(nth_bit(own, n)) + other
            n -= count
        return _KEEP

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.stage == _PLAY:
            self.play(action)
        elif self.stage == _ASK:
            self.answer(action == _CALL)
        elif self.stage == _EXCHANGE:
            if action >= _SWAP:
                self.swap((action - _SWAP) // 36, (action - _SWAP) % 36)
            self.stage = _PLAY
        else:
            self.apply_by(self.turn, action)

    def commit(self, seat: i64, action: i64) -> bool:
        self.away[seat] = action - _AWAY
        return True

    def reveal(self) -> None:
        for s in range(_SEATS):
            if self.away[s] >= 0:
                self.hold[s] &= ~BIT[self.away[s]]
        self.stage = _PLAY
        self.turn = self.leader

    def play(self, card: i64) -> None:
        seat: i64 = self.turn
        bit: i64 = BIT[card]
        self.hold[seat] &= ~bit
        self.known[seat] &= ~bit
        if self.is_monster(seat):
            self.stack >>= 6
        elif self.count:
            led: i64 = self.led_card()
            self.lacks[seat] |= either(bit & _FOLLOWING[led] == 0, _COLOUR_OF[led], 0)
        if self.lay(seat, card, 0):
            self.end_trick()
        elif self.caller < 0:
            self.ask = 0
            self.ask_next()

    def ask_next(self) -> None:
        """Ask the next seat that may call after the current card, or let the next card be played."""
        self.stage = _PLAY
        self.turn = (self.leader + self.count) & 3
        if self.open_seats() < 2:
            return
        while self.ask < self.count:
            seat: i64 = (self.leader + asked_position(self.count, self.ask)) & 3
            if self.tricks_of(seat) < 2 and not self.is_monster(seat):
                self.stage = _ASK
                self.turn = seat
                return
            self.ask += 1

    def open_seats(self) -> i64:
        """Count the seats with fewer than two tricks."""
        return _SEATS - bit_count(self.taken & 0b00010_00010_00010_00010)

    def answer(self, called: bool) -> None:
        if called:
            self.caller = self.turn
            self.stage = _PLAY
            self.turn = (self.leader + self.count) & 3
        else:
            self.ask += 1
            self.ask_next()

    def end_trick(self) -> None:
        owner: i64 = self.caller if self.caller >= 0 else self.lowest()
        laid: i64 = self.laid
        gained: i64 = _SEATS
        for _k in range(_SEATS):
            gained += (laid & 127) % 9
            laid >>= 7
        self.sums[owner] += gained
        self.take(owner)
        self.caller = -1
        if self.done == _TRICKS:
            self.turn = -1
        elif not self.is_monster(owner):
            self.stage = _EXCHANGE

    def lowest(self) -> i64:
        """Return the seat with room for a trick that played the lowest number, the later of equals; -1 for
        none.
        """
        owner: i64 = -1
        least: i64 = 9
        for k in range(self.count):
            seat: i64 = (self.leader + k) & 3
            number: i64 = card_at(self.laid, k) % 9
            lower: bool = (number <= least) & (self.tricks_of(seat) < 2)
            owner = either(lower, seat, owner)
            least = either(lower, number, least)
        return owner

    def swap(self, own: i64, other: i64) -> None:
        seat: i64 = self.turn
        self.hold[seat] = (self.hold[seat] & ~BIT[own]) | BIT[other]
        self.known[seat] = (self.known[seat] & ~BIT[own]) | BIT[other]
        self.sums[seat] += own % 9 - other % 9

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        """Write 3, 1, 0, 2 by rank of the sums; a shared sum scores nothing and uses up its ranks."""
        scored: i64 = _SEATS
        if self.monster:
            scored = _MONSTER
        for seat in range(scored):
            own: i64 = self.final_sum(seat)
            above: i64 = 0
            equal: i64 = 0
            for s in range(_SEATS):
                other: i64 = self.final_sum(s)
                above += either(other > own, 1, 0)
                equal += either(other == own, 1, 0)
            points[seat] = either(equal == 1, _POINTS[above], 0)
        return scored

    def final_sum(self, seat: i64) -> i64:
        """Return the sum that ranks a seat."""
        if self.is_monster(seat):
            return self.sums[seat] + _MONSTER_BONUS
        return self.sums[seat]

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> MeinzDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        other.stack = 0
        for s in range(_SEATS):
            if s != seat:
                other.rest[0] |= self.hold[s] & ~self.known[s]
                if self.stage != _DISCARD and self.away[s] >= 0:
                    other.rest[0] |= BIT[self.away[s]]
                other.hold[s] = self.known[s]
                other.away[s] = -1
        if self.stage == _DISCARD:
            other.await_all(other.humans() & ~BIT[seat] | (self.awaited & BIT[seat]))
        return other

    def sample_hidden(self, x: i64) -> None:
        pool: vec[i64] = single_bits(self.rest[0])
        sizes: vec[i64] = vec[i64]([0] * (2 * _SEATS))
        lacks: vec[i64] = vec[i64]([0] * (2 * _SEATS))
        for s in range(_SEATS):
            if s != self.viewer:
                sizes[s] = self.hand_size(s) - bit_count(self.known[s])
                lacks[s] = self.lacks[s]
                if self.stage != _DISCARD and not self.is_monster(s):
                    sizes[_SEATS + s] = 1
        arrange(pool, sizes, lacks, x)
        at: i64 = 0
        for pile in range(2 * _SEATS):
            end: i64 = at + sizes[pile]
            while at < end:
                if pile >= _SEATS:
                    self.away[pile - _SEATS] = index_of(pool[at])
                else:
                    self.hold[pile] |= pool[at]
                    if self.is_monster(pile):
                        self.stack = self.stack << 6 | index_of(pool[at])
                at += 1
        self.rest[0] = 0
        self.viewer = -1

    def apply_observed(self, mover: int, seen: str) -> None:
        if seen == "away ?":
            self.awaited &= ~BIT[mover]
            self.turn = self.next_awaited()
            if self.awaited == 0:
                self.reveal()
            return
        action = self.action(seen)
        if mover != self.viewer and (action < _AWAY or action >= _SWAP):
            bit: i64 = BIT[action if action < _AWAY else (action - _SWAP) // 36]
            self.hold[mover] |= bit
            self.rest[0] &= ~bit
        self.apply_by(mover, action)

    def key(self) -> list[int]:
        fields = [*self.table_key(), self.monster, self.stage, self.stack, self.ask, self.caller]
        for masks in (self.away, self.known, self.sums, self.rest):
            add_masks(fields, masks)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        if action >= _SWAP:
            return f"swap {_WORDS[(action - _SWAP) // 36]} {_WORDS[(action - _SWAP) % 36]}"
        if action >= _QUIET:
            return ("quiet", "call", "keep")[action - _QUIET]
        return f"play {_WORDS[action]}" if action < _AWAY else f"away {_WORDS[action - _AWAY]}"

    def action(self, word: str) -> int:
        if word in ("quiet", "call", "keep"):
            return _QUIET + ("quiet", "call", "keep").index(word)
        verb, _, what = word.partition(" ")
        if verb in ("play", "away") and what in _NUMBERS:
            return _NUMBERS[what] + (_AWAY if verb == "away" else 0)
        own, _, other = what.partition(" ")
        if verb == "swap" and own in _NUMBERS and other in _NUMBERS:
            return _SWAP + 36 * _NUMBERS[own] + _NUMBERS[other]
        raise ActionError(
            f"{word!r} is no action of meinz: there are away CARD, play CARD, call, quiet, keep "
            "and swap HANDCARD TRICKCARD"
        )

    def seen_as(self, seat: int, mover: int, action: int) -> str:
        return "away ?" if _AWAY <= action < _QUIET and seat != mover else self.word(action)

    def phase(self) -> str:
        return "putting away" if self.stage == _DISCARD else "tricks"

    def hand(self, seat: int) -> list[str]:
        if self.is_monster(seat):
            return [_WORDS[(self.stack >> (6 * k)) & 63] for k in range(bit_count(self.hold[seat]))]
        return [_WORDS[c] for c in indices(self.hold[seat])]

    def hand_size(self, seat: int) -> int:
        put_away: i64 = 0 if self.stage == _DISCARD or self.is_monster(seat) else 1
        return _CARDS_EACH - put_away - self.done - (1 if self.has_played(seat) else 0)

    def holder(self) -> int:
        return self.caller if self.caller >= 0 else self.lowest()

    def hidden_cards(self) -> list[str]:
        return [_WORDS[c] for c in indices(self.rest[0])]

    def facts(self) -> Facts:
        return {
            "called": self.caller if self.caller >= 0 else None,
            "known": [[_WORDS[c] for c in indices(self.known[s])] for s in range(_SEATS)],
            "sums": [self.sums[s] for s in range(_SEATS)],
            "tricks": self.tricks_by_seat(),
        }

    def secrets(self, seat: int) -> Facts:
        return {"away": _WORDS[self.away[seat]]} if self.away[seat] >= 0 else {}


def asked_position(count: i64, turn: i64) -> i64:
    """Return the position in the trick of the seat asked as number `turn` after `count` cards: first the one
    that has just played, then the others from the lead.
    """
    return count - 1 if turn == 0 else turn - 1


class Meinz(Game):
    """A match of Meinz. With three bots seat 3 at the table is the card monster.

    >>> from stichkampf.games import new_game
    >>> print(new_game("meinz", 3))
    Meinz for 3 seats: length deals:8
    """

    name: ClassVar[str] = "meinz"
    title: ClassVar[str] = "Meinz"
    players: ClassVar[tuple[int, ...]] = (3, 4)
    specification: ClassVar[tuple[Option, ...]] = (length(lambda seats, options: "deals:8"),)
    tagline: ClassVar[str] = "Two tricks each: claim one while it grows, swap a card."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _WORDS
    sample_cards: ClassVar[tuple[str, ...]] = ("G9", "R1", "Y5")
    facts: ClassVar[Mapping[str, Fact]] = {
        "called": Fact(
            kind=Kind.SEAT,
            meaning="the trick is called by",
            present=(),
            perhaps=("tricks",),
            when="from a call to the end of that trick",
        ),
        "known": Fact(
            kind=Kind.CARD,
            meaning="known cards",
            each=True,
            value="list[list[str]]",
            when="cards of a hand that all know from exchanges",
        ),
        "sums": Fact(kind=Kind.COUNT, meaning="sum of its numbers", each=True, counts=0),
        "tricks": TRICKS,
    }
    secrets: ClassVar[Mapping[str, Fact]] = {
        "away": Fact(
            kind=Kind.CARD,
            meaning="own card put away",
            present=("tricks",),
            perhaps=("putting away",),
            when="from the own choice to the end of the deal",
        )
    }
    verbs: ClassVar[Mapping[str, Verb]] = {
        "away": Verb(says="puts away", asks="Put a card away", more="It stays hidden to the end."),
        "play": Verb(says="plays", asks="Play a card"),
        "call": Verb(
            says="calls “Meinz”",
            asks="Is it Meinz?",
            more="Take the trick as it lies, or let it grow.",
            button="Meinz!",
        ),
        "quiet": Verb(
            says="stays quiet",
            asks="Is it Meinz?",
            more="Take the trick as it lies, or let it grow.",
            button="Quiet: let it grow",
        ),
        "swap": Verb(
            says="swaps", joint="for", asks="Swap a card with the trick?", more="Same colour for same colour."
        ),
        "keep": Verb(
            says="swaps nothing",
            asks="Swap a card with the trick?",
            more="Same colour for same colour.",
            button="Keep: swap nothing",
        ),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "putting away": "all seats at once put a card away",
        "tricks": "the seats play cards, say whether the trick is theirs, and may swap a card with it",
    }
    counted: ClassVar[str] = "sums"
    view: ClassVar[type[View]] = MeinzView
    german: ClassVar[Mapping[str, str]] = MEINZ
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        ("putting away, all at once", "away Y5"),
        ("tricks", "play Y5"),
        ("is it Meinz?", "call, quiet"),
        ("the trick's owner", "swap Y5 Y9, keep"),
    )
    felt: ClassVar[Felt] = Felt(
        roles={"called": "Meinz!"},
        running="sums",
        counts="sum",
        plates={"away": "away"},
        in_hands=("known",),
        swaps="swap",
        calls=Calls(yes="call", no="quiet", says="Meinz!", full=("tricks", 2)),
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"length": "deals:4"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:1"})
    actions: ClassVar[list[str]] = [
        *with_each("away", _WORDS),
        *with_each("play", _WORDS),
        "call",
        "quiet",
        *with_each(
            "swap", [f"{own} {other}" for own, other in permutations(_WORDS, 2) if own[0] == other[0]]
        ),
        "keep",
    ]

    @property
    def table_seats(self) -> int:
        return _SEATS

    def first_dealer(self, chance: Chance) -> int:
        return 2 if self.seats == 3 else super().first_dealer(chance)

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        hands, rest = deal_hands(chance.shuffled(_WORDS), self.seats, _CARDS_EACH)
        return {"hands": hands, "monster": rest} if rest else {"hands": hands}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> MeinzDeal:
        hands = check_hands(dealt.get("hands"), self.seats, _CARDS_EACH)
        if self.seats == 3:
            hands.append(check_hands([dealt.get("monster")], 1, _CARDS_EACH)[0])
        what = "hands and monster" if self.seats == 3 else "hands"
        check_cards(what, [card for hand in hands for card in hand], _WORDS)
        deal = self._at_the_start(dealer)
        for seat, hand in enumerate(hands):
            deal.hold[seat] = mask_of([_NUMBERS[card] for card in hand])
        if self.seats == 3:
            for card in reversed(hands[_MONSTER]):
                deal.stack = deal.stack << 6 | _NUMBERS[card]
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> MeinzDeal:
        deal = self._at_the_start(dealer)
        deal.viewer = seat
        deal.hold[seat] = mask_of([_NUMBERS[card] for card in seen["hand"]])
        deal.rest[0] = (BIT[36] - 1) ^ deal.hold[seat]
        return deal

    def _at_the_start(self, dealer: int) -> MeinzDeal:
        """Make a new round without its cards."""
        deal = MeinzDeal(dealer)
        deal.start_table((dealer + 1) % _SEATS)
        deal.monster = self.seats == 3
        deal.stage = _DISCARD
        deal.stack = deal.ask = 0
        deal.caller = -1
        deal.away = vec[i64]([-1] * _SEATS)
        deal.known = vec[i64]([0] * _SEATS)
        deal.sums = vec[i64]([0] * _SEATS)
        deal.rest = vec[i64]([0])
        deal.await_all(deal.humans())
        return deal
