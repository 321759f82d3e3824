"""At Sixes and Sevens, David Parlett's game for two partnerships in which every hand holds one six and one
seven.

Seats 0 and 2 play against 1 and 3, thirteen cards each. Follow suit, but sixes and sevens may be played at
any time. A seven, played at any moment, makes its suit trump until the next seven. A complete trick is judged
once, by the trump then in force: the highest trump takes it, else the highest card of the suit led; with a
six of any suit in the trick the lowest of these takes it instead. Each trick is worth 5, each captured six 6
and seven 7, 117 in all; the better side scores the difference.

Under `off_suit_seven: absolute` the last seven of a trick takes it if it is not of the suit led. Source:
David Parlett's own page, in English and German; ad-hoc partnerships are the same game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    bit_count,
    either,
    index_of,
    indices,
    indices_into,
    next_random,
    single_bits,
    top_bit,
    vec,
)
from stichkampf.engine.cards import FRENCH_SUITS, deck
from stichkampf.engine.deal import Carry, Facts, Json
from stichkampf.engine.declaration import TRICKS, DailyMatch, Fact, Kind, MainLadder, Verb, with_each
from stichkampf.engine.felt import Felt, Term
from stichkampf.engine.game import Game, check_cards, check_hands, deal_hands
from stichkampf.engine.options import Option, choice, length, max_deals
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks, mask_of
from stichkampf.engine.view import View
from stichkampf.engine.worlds import arrange, split
from stichkampf.errors import ActionError, DealError
from stichkampf.games.german_texts import SIXES_AND_SEVENS
from stichkampf.games.views.sixes_and_sevens import SixesAndSevensView

# A card is suit * 13 + its rank from 0; as an action it plays that card.
_RANKS: Final = "23456789TJQKA"
_WORDS: Final = deck(FRENCH_SUITS, list(_RANKS))
_NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}
_SUIT: Final = vec[i64]([0x1FFF << (13 * suit) for suit in range(4)])
_SUIT_OF: Final = vec[i64]([0x1FFF << (card - card % 13) for card in range(52)])  # by card
_SIXES: Final[i64] = mask_of([suit * 13 + 4 for suit in range(4)])
_SEVENS: Final[i64] = mask_of([suit * 13 + 5 for suit in range(4)])
_SEATS: Final = 4
_TRICKS: Final = 13


class SixesDeal(TrickDeal):
    """One deal. Every hand is known to hold one six and one seven until it has played it."""

    absolute: bool  # the option off_suit_seven
    trump: i64  # suit, -1 for none
    sixes: i64  # captured, three bits a side
    sevens: i64
    shown: i64  # bit s: seat s has played its six; bit 4 + s: its seven
    rest: vec[i64]  # blind deal: the unseen cards, one mask

    def __init__(self, dealer: i64) -> None:
        super().__init__(_SEATS, dealer)

    def clone(self) -> SixesDeal:
        other = SixesDeal(self.dealer)
        other.copy_table(self)
        other.absolute = self.absolute
        other.trump = self.trump
        other.sixes = self.sixes
        other.sevens = self.sevens
        other.shown = self.shown
        other.rest = self.rest[:]
        return other

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self) -> i64:
        hand: i64 = self.hold[self.turn]
        if self.count == 0:
            return hand
        suit: i64 = _SUIT_OF[self.led_card()]
        return either(hand & suit != 0, hand & (suit | _SIXES | _SEVENS), hand)

    def legal_actions(self) -> list[int]:
        return indices(self.legal_cards()) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        return self.legal_actions()

    def write_legal(self, actions: vec[i64]) -> i64:
        return indices_into(self.legal_cards(), 0, actions, 0)

    def pick(self, x: i64) -> i64:
        return any_of(self.legal_cards(), x)

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        seat: i64 = self.turn
        bit: i64 = BIT[action]
        self.hold[seat] ^= bit
        if bit & _SEVENS:
            self.trump = action // 13
            self.shown |= BIT[4 + seat]
        elif bit & _SIXES:
            self.shown |= BIT[seat]
        elif self.count:
            self.note_void(seat, bit, _SUIT_OF[self.led_card()])
        if self.lay(seat, action, 0):
            self.end_trick()

    def end_trick(self) -> None:
        trick: i64 = self.cards_laid()
        winner: i64 = self.player_of(self.winning_card(trick, self.trump))
        side: i64 = winner & 1
        self.sixes += bit_count(trick & _SIXES) << (3 * side)
        self.sevens += bit_count(trick & _SEVENS) << (3 * side)
        self.take(winner)
        if self.done == _TRICKS:
            self.turn = -1

    def cards_laid(self) -> i64:
        """Return the cards of the current trick as a mask."""
        trick: i64 = 0
        laid: i64 = self.laid
        for _k in range(self.count):
            trick |= BIT[laid & 127]
            laid >>= 7
        return trick

    def winning_card(self, trick: i64, trump: i64) -> i64:
        """Return the card that takes a trick, judged by this trump."""
        led: i64 = self.led_card() // 13
        if self.absolute and trick & _SEVENS and trump != led:
            return trump * 13 + 5
        trumps: i64 = 0
        if trump >= 0:
            trumps = trick & _SUIT[trump]
        candidates: i64 = either(trumps != 0, trumps, trick & _SUIT[led])
        return index_of(either(trick & _SIXES != 0, candidates & -candidates, top_bit(candidates)))

    def player_of(self, card: i64) -> i64:
        """Return the seat that laid a card of the current trick."""
        seat: i64 = self.leader
        laid: i64 = self.laid
        while laid & 127 != card:
            laid >>= 7
            seat = self.left_of(seat)
        return seat

    def side_points(self, side: i64) -> i64:
        tricks: i64 = self.tricks_of(side) + self.tricks_of(side + 2)
        return 5 * tricks + 6 * ((self.sixes >> (3 * side)) & 7) + 7 * ((self.sevens >> (3 * side)) & 7)

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        lead: i64 = self.side_points(0) - self.side_points(1)
        for s in range(_SEATS):
            points[s] = 0
            if lead > 0 and s & 1 == 0:
                points[s] = lead
            elif lead < 0 and s & 1:
                points[s] = -lead
        return _SEATS

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> SixesDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        for s in range(_SEATS):
            if s != seat:
                other.rest[0] |= self.hold[s]
                other.hold[s] = 0
        return other

    def sample_hidden(self, x: i64) -> None:
        hidden: i64 = self.rest[0]
        self.rest[0] = 0
        x = self.deal_out(hidden & _SIXES, x)
        x = self.deal_out(hidden & _SEVENS, x)
        self.deal_out(hidden & ~(_SIXES | _SEVENS), x)
        self.viewer = -1

    def deal_out(self, cards: i64, x: i64) -> i64:
        """Deal the hidden hands their six, their seven, or all other cards."""
        sizes: vec[i64] = vec[i64]([0] * _SEATS)
        for s in range(_SEATS):
            if s != self.viewer:
                six: i64 = 1 - ((self.shown >> s) & 1)
                seven: i64 = 1 - ((self.shown >> (4 + s)) & 1)
                if cards & _SIXES:
                    sizes[s] = six
                elif cards & _SEVENS:
                    sizes[s] = seven
                elif cards:
                    sizes[s] = self.hand_size(s) - six - seven
        pool: vec[i64] = single_bits(cards)
        if cards & (_SIXES | _SEVENS):
            x = arrange(pool, sizes, self.lacks, x)
        else:
            split(pool, sizes, self.lacks, x)
        at: i64 = 0
        for s in range(_SEATS):
            end: i64 = at + sizes[s]
            while at < end:
                self.hold[s] |= pool[at]
                at += 1
        return x

    def apply_observed(self, mover: int, seen: str) -> None:
        card = self.action(seen)
        if mover != self.viewer:
            self.hold[mover] |= BIT[card]
            self.rest[0] ^= BIT[card]
        self.apply(card)

    def key(self) -> list[int]:
        fields = [*self.table_key(), self.absolute, self.trump, self.sixes, self.sevens, self.shown]
        add_masks(fields, self.rest)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        return f"play {_WORDS[action]}"

    def action(self, word: str) -> int:
        verb, _, card = word.partition(" ")
        if verb == "play" and card in _NUMBERS:
            return _NUMBERS[card]
        raise ActionError(f"{word!r} is no action of sixes-and-sevens: there is play CARD, as in 'play H7'")

    def phase(self) -> str:
        return "tricks"

    def hand(self, seat: int) -> list[str]:
        return [_WORDS[c] for c in indices(self.hold[seat])]

    def hand_size(self, seat: int) -> int:
        return _TRICKS - self.done - (1 if self.has_played(seat) else 0)

    def holder(self) -> int:
        if self.count == 0:
            return -1
        return self.player_of(self.winning_card(self.cards_laid(), self.trump))

    def hidden_cards(self) -> list[str]:
        return [_WORDS[c] for c in indices(self.rest[0])]

    def lacking(self, seat: int) -> list[str]:
        mask: i64 = self.lacks[seat]
        if (self.shown >> seat) & 1:
            mask |= _SIXES
        if (self.shown >> (4 + seat)) & 1:
            mask |= _SEVENS
        return [_WORDS[c] for c in indices(mask)]

    def facts(self) -> Facts:
        return {
            "side points": [self.side_points(0), self.side_points(1)],
            "tricks": self.tricks_by_seat(),
            "trump": None if self.trump < 0 else FRENCH_SUITS[self.trump],
        }


class SixesAndSevens(Game):
    """A match of At Sixes and Sevens. Both seats of a side score alike.

    >>> from stichkampf.games import new_game
    >>> print(new_game("sixes-and-sevens", 4))
    At Sixes and Sevens for 4 seats: length deals:4, off_suit_seven normal
    """

    name: ClassVar[str] = "sixes-and-sevens"
    title: ClassVar[str] = "At Sixes and Sevens"
    players: ClassVar[tuple[int, ...]] = (4,)
    specification: ClassVar[tuple[Option, ...]] = (
        length(lambda seats, options: "deals:4", points=True),
        choice(
            "off_suit_seven",
            "normal",
            "absolute",
            meaning="whether a seven of another suit may be beaten, or always takes the trick",
        ),
        max_deals(30, only_with_points=True),
    )
    tagline: ClassVar[str] = "Sevens change trump, sixes turn tricks upside down."
    partners: ClassVar[bool] = True
    cards: ClassVar[list[str]] = _WORDS
    sample_cards: ClassVar[tuple[str, ...]] = ("H7", "S6", "DA")
    facts: ClassVar[Mapping[str, Fact]] = {
        "side points": Fact(kind=Kind.COUNT, meaning="points of the two sides", counts=2, value="list[int]"),
        "tricks": TRICKS,
        "trump": Fact(
            kind=Kind.SUIT,
            meaning="trump suit",
            texts=tuple(FRENCH_SUITS),
            present=(),
            perhaps=("tricks",),
            when="None before the first seven",
        ),
    }
    secrets: ClassVar[Mapping[str, Fact]] = {}
    verbs: ClassVar[Mapping[str, Verb]] = {"play": Verb(says="plays", asks="Play a card")}
    phases: ClassVar[Mapping[str, str]] = {
        "tricks": "each seat in turn plays a card",
    }
    counted: ClassVar[str] = "side points"
    view: ClassVar[type[View]] = SixesAndSevensView
    german: ClassVar[Mapping[str, str]] = SIXES_AND_SEVENS
    moments: ClassVar[tuple[tuple[str, str], ...]] = (("tricks", "play H7"),)
    felt: ClassVar[Felt] = Felt(
        terms=(Term(fact="trump", caption="trump", none="none yet"),),
        running="side points",
        trail="trump",
        low="6",
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4, options={"length": "deals:4"})
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"length": "deals:1"})
    actions: ClassVar[list[str]] = with_each("play", _WORDS)

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        plain = [card for card in _WORDS if card[1] not in "67"]
        hands, _ = deal_hands(chance.shuffled(plain), _SEATS, 11)
        for rank in "67":
            for hand, suit in zip(hands, chance.shuffled(FRENCH_SUITS), strict=True):
                hand.append(suit + rank)
        return {"hands": hands}

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> SixesDeal:
        hands = check_hands(dealt.get("hands"), _SEATS, _TRICKS)
        check_cards("hands", [card for hand in hands for card in hand], _WORDS)
        deal = self._at_the_start(dealer)
        for seat, hand in enumerate(hands):
            ranks = [card[1] for card in hand]
            if ranks.count("6") != 1 or ranks.count("7") != 1:
                raise DealError(f"the hand of seat {seat} must hold exactly one six and one seven")
            deal.hold[seat] = mask_of([_NUMBERS[card] for card in hand])
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> SixesDeal:
        deal = self._at_the_start(dealer)
        deal.viewer = seat
        deal.hold[seat] = mask_of([_NUMBERS[card] for card in seen["hand"]])
        deal.rest[0] = (BIT[52] - 1) ^ deal.hold[seat]
        return deal

    def _at_the_start(self, dealer: int) -> SixesDeal:
        """Make a new deal without its cards."""
        deal = SixesDeal(dealer)
        deal.start_table((dealer + 1) % _SEATS)
        deal.absolute = self.options["off_suit_seven"] == "absolute"
        deal.trump = -1
        deal.sixes = deal.sevens = deal.shown = 0
        deal.rest = vec[i64]([0])
        return deal
