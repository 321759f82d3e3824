"""Was sticht?, Karl-Heinz Schmiel's game of secret trumps: only the start player knows them while the others
draft their cards.

Before the first round every seat chooses tasks, in turn, from an open display. In a round 36 cards lie open
in nine rows of four; row by row each seat takes one, beginning one seat further left each time, and after
each row the referee tells which seat would win these cards as a trick under the secret trumps. Then the
trumps are revealed, all but the start player choose and show one of their tasks, and nine tricks are played.
Trump-colour and trump-number cards are one suit; the number in the trump colour is highest, then the other
numbers (first played wins), then the colour from 9 down. Who fulfils the shown task discards it; the start
player discards one of his own if he fulfils one that its owner did not. A player who has discarded all tasks
wins.

With three seats the last card of each row goes to the *table*, which counts as a fourth player in the hint
(`dummy_in_hint`). Source: the rules of the 2007 Amigo edition; the 1993 edition's difficulty numbers are left
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import (
    BIT,
    any_of,
    bit_count,
    either,
    filled,
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
from stichkampf.engine.felt import DraftRows, Felt, Goals, Term
from stichkampf.engine.game import Game, check_cards
from stichkampf.engine.options import Option, choice, max_deals
from stichkampf.engine.seeds import Chance
from stichkampf.engine.trick_deal import TrickDeal, add_masks, mask_of
from stichkampf.engine.view import View
from stichkampf.errors import ActionError, DealError, OptionError
from stichkampf.games.german_texts import WAS_STICHT
from stichkampf.games.views.was_sticht import WasStichtView

# A card is colour * 9 + number - 1.
_COLOURS: Final = "RYGB"
_WORDS: Final = deck(_COLOURS, [str(number) for number in range(1, 10)])
_NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}
_COLOUR: Final = vec[i64]([0x1FF << (9 * colour) for colour in range(4)] + [0])
_COLOUR_OF: Final = vec[i64]([card // 9 for card in range(36)])
_NUMBER_OF: Final = vec[i64]([card % 9 + 1 for card in range(36)])
_NUMBER: Final = vec[i64](
    [0] + [sum(1 << (9 * colour + number) for colour in range(4)) for number in range(9)]
)
_ROWS: Final = 9
_PICKED: Final = 0xFFFFFFF  # four cards
_NONE: Final = "none"
_COLOUR_WORDS: Final = [*_COLOURS, _NONE]
_NUMBER_WORDS: Final = [*"123456789", _NONE]
_TRUMP_TEXTS: Final = (*"RYGB", *"123456789", "0 none", "1 none")
_NO_COLOUR: Final = 4  # trump colours 0 … 3, 4 for none; trump numbers 1 … 9, 0 for none; -1 for unknown

TASKS: Final = (
    "no-tricks", "no-red", "no-yellow", "no-green", "no-blue",
    "exactly-1", "exactly-2", "exactly-3", "exactly-4",
    "last-trick", "most-tricks", "fewest-tricks",
)  # fmt: skip
_KINDS: Final = 12
_LAST: Final = 9
_MOST: Final = 10

# Actions: the verbs one after the other, each with its cards or tasks.
_TAKE: Final = 36
_CHOOSE: Final = 72
_SHOW: Final = 84
_DROP: Final = 96

_CHOOSING: Final = 0
_DRAFT: Final = 1
_SHOWING: Final = 2
_TRICKS: Final = 3
_DROPPING: Final = 4
_PHASES: Final = ("choosing tasks", "draft", "showing tasks", "tricks", "discarding a task")


class WasStichtDeal(TrickDeal):
    """One round. Tasks are counted five bits a kind. All hands are public: cards are taken openly."""

    stage: i64
    each: i64  # tasks a seat chooses
    distinct: bool
    dummy_in_hint: bool
    display: i64  # tasks still to be chosen
    tasks: vec[i64]  # tasks left to each seat
    rows: vec[i64]  # the nine rows as dealt (0 where unknown)
    row: i64  # the row being drafted
    picked: vec[
        i64
    ]  # each row's cards in the order taken, seven bits each; above them 1 + its hint, 0 where unknown
    colour: i64  # trump colour
    number: i64  # trump number
    trumps: i64  # all trump cards, known in the tricks
    shown: i64  # 1 + the shown task, 0 for none, four bits a seat
    colours: i64  # printed colours captured, four bits a seat
    fulfilled: i64  # after the tricks: bit s for a seat that fulfilled its shown task
    dropped: i64  # the task the start player discarded, -1 for none

    def clone(self) -> WasStichtDeal:
        other = WasStichtDeal(self.seats, self.dealer)
        other.copy_table(self)
        other.stage = self.stage
        other.each = self.each
        other.distinct = self.distinct
        other.dummy_in_hint = self.dummy_in_hint
        other.display = self.display
        other.tasks = self.tasks[:]
        other.rows = self.rows[:]
        other.row = self.row
        other.picked = self.picked[:]
        other.colour = self.colour
        other.number = self.number
        other.trumps = self.trumps
        other.shown = self.shown
        other.colours = self.colours
        other.fulfilled = self.fulfilled
        other.dropped = self.dropped
        return other

    # Legal actions ------------------------------------------------------------------------------------------

    def legal_cards(self) -> i64:
        cards: i64 = self.hold[self.turn]
        return self.follow(cards, self.suit_of(self.led_card())) if self.count else cards

    def suit_of(self, card: i64) -> i64:
        """Return the cards that follow this one when it is led: all trumps, or its colour without them."""
        if self.trumps & BIT[card]:
            return self.trumps
        return _COLOUR[_COLOUR_OF[card]] & ~self.trumps

    def legal_actions(self) -> list[int]:
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        if self.stage == _TRICKS:
            return indices(self.legal_cards())
        if self.stage == _DRAFT:
            return indices(self.rows[self.row] & ~self.taken_from_row(), _TAKE)
        if self.stage == _CHOOSING:
            return [_CHOOSE + place // 5 for place in indices(self.choosable(seat))]
        first: int = _SHOW if self.stage == _SHOWING else _DROP
        return [first + place // 5 for place in indices(filled(self.tasks[seat]))]

    def choosable(self, seat: i64) -> i64:
        """Return the kinds of task that a seat may choose, each as bit 5 * kind."""
        left: i64 = filled(self.display)
        new: i64 = left & ~filled(self.tasks[seat])
        return new if self.distinct and new else left

    def taken_from_row(self) -> i64:
        cards: i64 = 0
        laid: i64 = self.laid
        for _k in range(self.count):
            cards |= BIT[laid & 127]
            laid >>= 7
        return cards

    def write_legal(self, actions: vec[i64]) -> i64:
        if self.stage == _TRICKS:
            return indices_into(self.legal_cards(), 0, actions, 0)
        if self.stage == _DRAFT:
            return indices_into(self.rows[self.row] & ~self.taken_from_row(), _TAKE, actions, 0)
        first: i64 = _DROP
        choices: i64 = 0
        if self.stage == _CHOOSING:
            first = _CHOOSE
            choices = self.choosable(self.turn)
        else:
            choices = filled(self.tasks[self.turn])
            if self.stage == _SHOWING:
                first = _SHOW
        number: i64 = indices_into(choices, 0, actions, 0)
        for k in range(number):
            actions[k] = first + actions[k] // 5
        return number

    def pick(self, x: i64) -> i64:
        first: i64 = 0
        choices: i64 = 0
        if self.stage == _TRICKS:
            choices = self.legal_cards()
        elif self.stage == _DRAFT:
            first = _TAKE
            choices = self.rows[self.row] & ~self.taken_from_row()
        elif self.stage == _CHOOSING:
            return _CHOOSE + any_of(self.choosable(self.turn), x) // 5
        else:
            first = _SHOW if self.stage == _SHOWING else _DROP
            return first + any_of(filled(self.tasks[self.turn]), x) // 5
        return first + any_of(choices, x)

    def playout(self, x: i64) -> i64:
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    # Carrying out -------------------------------------------------------------------------------------------

    def apply(self, action: i64) -> None:
        if self.stage == _TRICKS:
            self.play(action)
        elif self.stage == _DRAFT:
            self.take_card(action - _TAKE)
        elif self.stage == _CHOOSING:
            self.choose(action - _CHOOSE)
        elif self.stage == _SHOWING:
            self.apply_by(self.turn, action)
        else:
            self.dropped = action - _DROP
            self.tasks[self.dealer] -= BIT[5 * self.dropped]
            self.turn = -1

    def choose(self, kind: i64) -> None:
        one: i64 = BIT[5 * kind]
        self.display -= one
        self.tasks[self.turn] += one
        self.turn = self.left_of(self.turn)
        if self.turn == self.dealer and count_of(self.tasks[self.left_of(self.dealer)]) == self.each:
            self.stage = _DRAFT
            self.open_row()

    def open_row(self) -> None:
        """Open a row of the draft: the seat that takes first moves one to the left with every row."""
        self.leader = (self.dealer + 1 + self.row) % self.seats
        self.turn = self.leader

    def take_card(self, card: i64) -> None:
        self.hold[self.turn] |= BIT[card]
        if not self.lay(self.turn, card, 0):
            return
        picked: i64 = self.laid
        if self.seats == 3:
            left: i64 = self.rows[self.row] & ~self.taken_from_row()
            picked |= index_of(left) << 21
        self.picked[self.row] = picked
        if self.colour >= 0:
            self.note_hint(self.row, self.hint(picked, self.leader, self.colour, self.number))
        self.laid = 0
        self.count = 0
        self.row += 1
        if self.row < _ROWS:
            self.open_row()
        else:
            self.stage = _SHOWING
            if self.colour >= 0:
                self.trumps = _COLOUR[self.colour] | _NUMBER[self.number]
            self.await_all((BIT[self.seats] - 1) & ~BIT[self.dealer])

    def note_hint(self, row: i64, winner: i64) -> None:
        self.picked[row] = self.picked[row] & _PICKED | (winner + 1) << 28

    def hint_of(self, row: i64) -> i64:
        """Return the seat that would win this row, `seats` for the table; -1 unknown."""
        return (self.picked[row] >> 28) - 1

    def shown_by(self, seat: i64) -> i64:
        """Return the task that a seat has shown, -1 for none."""
        return ((self.shown >> (4 * seat)) & 15) - 1

    def hint(self, picked: i64, first: i64, colour: i64, number: i64) -> i64:
        """Return the seat that would win these cards as a trick under these trumps; `seats` for the table."""
        led: i64 = picked & 127
        best: i64 = 0
        best_power: i64 = -1
        cards: i64 = 3
        if self.seats == 4 or self.dummy_in_hint:
            cards = 4
        for k in range(cards):
            power: i64 = power_of(picked & 127, led, colour, number)
            best = either(power > best_power, k, best)
            best_power = either(power > best_power, power, best_power)
            picked >>= 7
        winner: i64 = first + best
        if best == self.seats:
            return best
        return either(winner >= self.seats, winner - self.seats, winner)

    def commit(self, seat: i64, action: i64) -> bool:
        self.shown |= (action - _SHOW + 1) << (4 * seat)
        return True

    def reveal(self) -> None:
        self.stage = _TRICKS
        self.leader = self.left_of(self.dealer)
        self.turn = self.leader

    def play(self, card: i64) -> None:
        seat: i64 = self.turn
        self.hold[seat] ^= BIT[card]
        led: i64 = self.led_card() if self.count else card
        if not self.lay(seat, card, power_of(card, led, self.colour, self.number)):
            return
        winner: i64 = self.best
        laid: i64 = self.laid
        captured: i64 = 0
        for _k in range(self.seats):
            captured |= BIT[_COLOUR_OF[laid & 127]]
            laid >>= 7
        self.colours |= captured << (4 * winner)
        self.take(winner)
        if self.done == _ROWS:
            self.settle()

    def settle(self) -> None:
        """Discard the fulfilled tasks; the start player may gain by one that its owner failed."""
        stolen: bool = False
        for s in range(self.seats):
            kind: i64 = self.shown_by(s)
            if kind >= 0:
                if self.fulfils(s, kind):
                    self.fulfilled |= BIT[s]
                    self.tasks[s] -= BIT[5 * kind]
                elif self.fulfils(self.dealer, kind):
                    stolen = True
        self.turn = self.dealer if stolen else -1
        if stolen:
            self.stage = _DROPPING

    def fulfils(self, seat: i64, kind: i64) -> bool:
        won: i64 = self.tricks_of(seat)
        if kind == 0:
            return won == 0
        if kind < 5:
            return won > 0 and (self.colours >> (4 * seat + kind - 1)) & 1 == 0
        if kind < _LAST:
            return won == kind - 4
        if kind == _LAST:
            return self.winner == seat
        for s in range(self.seats):
            if s != seat:
                other: i64 = self.tricks_of(s)
                if (won <= other) if kind == _MOST else (won >= other):
                    return False
        return kind == _MOST or won > 0

    def scores(self) -> list[int]:
        return self.written_scores()

    def write_scores(self, points: vec[i64]) -> i64:
        for s in range(self.seats):
            points[s] = (self.fulfilled >> s) & 1
        if self.dropped >= 0:
            points[self.dealer] += 1
        return self.seats

    # Knowledge ----------------------------------------------------------------------------------------------

    def information_set(self, seat: int) -> WasStichtDeal:
        other = self.clone()
        if self.viewer >= 0:
            return other
        other.viewer = seat
        if self.stage == _CHOOSING:
            other.rows = vec[i64]([0] * _ROWS)
        if self.stage == _CHOOSING or (self.stage == _DRAFT and seat != self.dealer):
            other.colour = -1
            other.number = -1
        if self.stage == _SHOWING:
            other.forget_shown()
        return other

    def forget_shown(self) -> None:
        """Leave the choices of all but the viewer open, and whether they were made."""
        waiting: i64 = self.awaited & BIT[self.viewer]
        self.shown &= 15 * BIT[4 * self.viewer]
        for s in range(self.seats):
            if s != self.viewer and s != self.dealer:
                waiting |= BIT[s]
        self.await_all(waiting)

    def sample_hidden(self, x: i64) -> None:
        if self.rows[0] == 0:
            cards: i64 = BIT[36] - 1
            for row in range(_ROWS):
                before: i64 = cards
                for _k in range(4):
                    x = next_random(x)
                    cards ^= BIT[any_of(cards, x)]
                self.rows[row] = before ^ cards
        if self.colour < 0:
            x = next_random(x)
            pair: i64 = any_of(self.possible_trumps(), x)
            self.colour = pair // 10
            self.number = pair % 10
        self.viewer = -1

    def possible_trumps(self) -> i64:
        """Return the trump pairs that agree with every hint so far, each as bit colour * 10 + number."""
        pairs: i64 = BIT[50] - 1
        for pair in range(50):
            for row in range(self.row):
                first: i64 = (self.dealer + 1 + row) % self.seats
                if self.hint(self.picked[row], first, pair // 10, pair % 10) != self.hint_of(row):
                    pairs ^= BIT[pair]
                    break
        return pairs

    def apply_observed(self, mover: int, seen: str) -> None:
        self.apply_by(mover, self.action(seen))

    def apply_facts(self, facts: Facts) -> None:
        rows = facts.get("rows")
        if rows:
            for row in range(_ROWS):
                self.rows[row] = mask_of([_NUMBERS[card] for card in rows[row]])
        hints = facts.get("hints")
        if hints:
            for row in range(len(hints)):
                self.note_hint(row, self.seats if hints[row] == "table" else hints[row])
        trumps = facts.get("trumps") or facts.get("secret trumps")
        if trumps:
            self.colour = colour_number(trumps[0])
            self.number = 0 if trumps[1] == _NONE else int(trumps[1])
            if self.stage != _DRAFT and self.stage != _CHOOSING:
                self.trumps = _COLOUR[self.colour] | _NUMBER[self.number]

    def key(self) -> list[int]:
        fields = [
            *self.table_key(), self.stage, self.each, self.distinct, self.dummy_in_hint, self.display,
            self.row, self.colour,
            self.number, self.trumps, self.colours, self.fulfilled, self.dropped, self.shown,
        ]  # fmt: skip
        for masks in (self.tasks, self.rows, self.picked):
            add_masks(fields, masks)
        return fields

    # Words --------------------------------------------------------------------------------------------------

    def card_word(self, card: int) -> str:
        return _WORDS[card]

    def word(self, action: int) -> str:
        if action < _CHOOSE:
            return f"play {_WORDS[action]}" if action < _TAKE else f"take {_WORDS[action - _TAKE]}"
        verb = "choose" if action < _SHOW else "show" if action < _DROP else "drop"
        return f"{verb} {TASKS[(action - _CHOOSE) % _KINDS]}"

    def action(self, word: str) -> int:
        verb, _, what = word.partition(" ")
        if verb in ("play", "take") and what in _NUMBERS:
            return _NUMBERS[what] + (_TAKE if verb == "take" else 0)
        if verb in ("choose", "show", "drop") and what in TASKS:
            return {"choose": _CHOOSE, "show": _SHOW, "drop": _DROP}[verb] + TASKS.index(what)
        raise ActionError(
            f"{word!r} is no action of was-sticht: there are choose TASK, take CARD, show TASK, play CARD "
            "and drop TASK"
        )

    def phase(self) -> str:
        return _PHASES[self.stage]

    def hand(self, seat: int) -> list[str]:
        return [_WORDS[c] for c in indices(self.hold[seat])]

    def hand_size(self, seat: int) -> int:
        return bit_count(self.hold[seat])

    def trump_words(self) -> list[str]:
        colour = _NONE if self.colour == _NO_COLOUR else _COLOURS[self.colour]
        return [colour, _NONE if self.number == 0 else str(self.number)]

    def hint_words(self) -> list[Json]:
        return [
            "table" if self.hint_of(row) == self.seats else int(self.hint_of(row)) for row in range(self.row)
        ]

    def holder(self) -> int:
        return self.best if self.count and self.stage == _TRICKS else -1

    def hidden_cards(self) -> list[str]:
        return list(_WORDS) if self.stage == _CHOOSING else []

    def lacking(self, seat: int) -> list[str]:
        return []  # all hands are public

    def facts(self) -> Facts:
        drafted = self.stage > _DRAFT
        return {
            "display": task_words(self.display) if self.stage == _CHOOSING else [],
            "hands": [self.hand(s) for s in range(self.seats)],
            "hints": self.hint_words(),
            "rows": [[_WORDS[c] for c in indices(self.rows[row])] for row in range(_ROWS)]
            if self.stage
            else [],
            "shown": [
                TASKS[self.shown_by(s)] if self.stage > _SHOWING and self.shown_by(s) >= 0 else None
                for s in range(self.seats)
            ],
            "tasks": [task_words(self.tasks[s]) for s in range(self.seats)],
            "tricks": self.tricks_by_seat(),
            "trumps": self.trump_words() if drafted else None,
        }

    def secrets(self, seat: int) -> Facts:
        if self.stage == _DRAFT and seat == self.dealer:
            return {"secret trumps": self.trump_words()}
        if self.stage == _SHOWING and self.shown_by(seat) >= 0:
            return {"chosen": TASKS[self.shown_by(seat)]}
        return {}


def power_of(card: i64, led: i64, colour: i64, number: i64) -> i64:
    """Return the rank of a card in a trick; the first of equals wins."""
    own_number: i64 = _NUMBER_OF[card]
    own_colour: i64 = _COLOUR_OF[card]
    rank: i64 = either(own_colour == _COLOUR_OF[led], 100 + own_number, 0)
    rank = either(own_colour == colour, 200 + own_number, rank)
    trump: i64 = either(own_colour == colour, 400, 300)
    return either(own_number == number, trump, rank)


def count_of(counts: i64) -> i64:
    total: i64 = 0
    while counts:
        total += counts & 31
        counts >>= 5
    return total


def task_words(counts: i64) -> list[str]:
    return [TASKS[kind] for kind in range(_KINDS) for _ in range(five_bits(counts, kind))]


def tasks_from(words: list[str]) -> i64:
    """Count tasks by kind; more than 31 of a kind, which no match can use, count as 31."""
    total: i64 = 0
    for kind, word in enumerate(TASKS):
        total |= i64(min(words.count(word), 31)) << i64(5 * kind)
    return total


def outlook(
    task: str, seat: int, tricks: Sequence[int], captured: Sequence[str], left: int, won_last: bool
) -> str:
    """Tell whether a task is "met", "lost" or still "open".

    :param tricks: tricks by seat so far.
    :param captured: the cards that the seat has captured.
    :param left: tricks still to be played.
    :param won_last: whether the seat won the last trick so far.
    """
    kind, _, what = task.rpartition("-")
    own = tricks[seat]
    others = [won for s, won in enumerate(tricks) if s != seat]
    if kind == "no" and what != "tricks":
        clean = all(card[0] != what[0].upper() for card in captured)
        possible, certain = clean and own + left > 0, clean and own > 0 and left == 0
    elif task == "no-tricks":
        possible, certain = own == 0, own == 0 and left == 0
    elif kind == "exactly":
        possible, certain = own <= int(what) <= own + left, own == int(what) and left == 0
    elif kind == "last":
        possible, certain = left > 0 or won_last, left == 0 and won_last
    elif kind == "most":
        possible, certain = own + left > max(others), own > max(others) + left
    else:
        least = max(own, 1)
        missing = least - own + sum(max(0, least + 1 - won) for won in others)
        possible, certain = missing <= left, own > 0 and own + left < min(others)
    return "met" if certain else "open" if possible else "lost"


def colour_number(word: str) -> i64:
    return _NO_COLOUR if word == _NONE else _COLOURS.index(word)


class WasSticht(Game):
    """A match of Was sticht?: rounds until a seat has discarded all tasks. `dealer` is the start player.

    >>> from stichkampf.games import new_game
    >>> new_game("was-sticht", 3, {"tasks_per_player": 3}).options["max_deals"]
    24
    """

    name: ClassVar[str] = "was-sticht"
    title: ClassVar[str] = "Was sticht?"
    players: ClassVar[tuple[int, ...]] = (3, 4)
    specification: ClassVar[tuple[Option, ...]] = (
        Option(
            "task_deck",
            lambda seats, options: [task for task in TASKS for _ in range(2)],
            f"a list of tasks, copies repeated, out of {', '.join(TASKS)}",
            lambda value: isinstance(value, list) and all(task in TASKS for task in value),
            meaning="the tasks to choose from",
        ),
        choice("tasks_per_player", 4, 3, 5, meaning="how many tasks each player takes"),
        choice("distinct_tasks", False, True, meaning="no player takes two copies of one task"),
        choice(
            "dummy_in_hint", True, False, meaning="with three players the table counts as fourth in the hint"
        ),
        max_deals(24, only_with_points=False),
    )
    tagline: ClassVar[str] = "Draft your hand while only one player knows the trumps."
    partners: ClassVar[bool] = False
    cards: ClassVar[list[str]] = _WORDS
    sample_cards: ClassVar[tuple[str, ...]] = ("B5", "R2", "G8")
    facts: ClassVar[Mapping[str, Fact]] = {
        "display": Fact(
            kind=Kind.WORD,
            meaning="tasks on display",
            texts=TASKS,
            value="list[str]",
            when="empty but while tasks are chosen",
        ),
        "hands": Fact(
            kind=Kind.CARD,
            meaning="cards drafted",
            each=True,
            value="list[list[str]]",
            when="without those played since",
        ),
        "hints": Fact(
            kind=Kind.SEAT,
            meaning="hints: the seat whose card would win each row",
            texts=tuple(f"{row} {winner}" for row in range(_ROWS) for winner in (0, 1, 2, 3, "table")),
            value="list[int | str]",
            when="one for each row drafted; table where the table would win it",
        ),
        "rows": Fact(
            kind=Kind.CARD,
            meaning="rows of the draft",
            texts=tuple(f"{row} {card}" for row in range(_ROWS) for card in _WORDS),
            value="list[list[str]]",
            when="empty while tasks are chosen",
        ),
        "shown": Fact(
            kind=Kind.WORD,
            meaning="task shown",
            each=True,
            gaps=True,
            when="None until all have chosen; always None for the start player",
        ),
        "tasks": Fact(
            kind=Kind.WORD,
            meaning="tasks",
            each=True,
            texts=tuple(f"{seat} {task}" for seat in range(4) for task in TASKS),
            value="list[list[str]]",
        ),
        "tricks": TRICKS,
        "trumps": Fact(
            kind=Kind.SUIT,
            meaning="trump colour and number",
            texts=_TRUMP_TEXTS,
            value="list[str]",
            present=_PHASES[2:],
            when="None until the draft is over; none is the word none",
        ),
    }
    secrets: ClassVar[Mapping[str, Fact]] = {
        "chosen": Fact(
            kind=Kind.WORD,
            meaning="own task to show",
            present=(),
            perhaps=("showing tasks",),
            when="from the own choice until all have chosen",
        ),
        "secret trumps": Fact(
            kind=Kind.SUIT,
            meaning="trump colour and number",
            texts=_TRUMP_TEXTS,
            value="list[str]",
            present=(),
            perhaps=("draft",),
            when="the start player's, during the draft",
        ),
    }
    verbs: ClassVar[Mapping[str, Verb]] = {
        "choose": Verb(
            says="chooses the task",
            kind=Kind.WORD,
            asks="Take a task",
            more="Be the first to be rid of all of yours.",
        ),
        "take": Verb(says="takes", asks="Take a card of this row"),
        "show": Verb(says="shows the task", kind=Kind.WORD, asks="Which task will you play for?"),
        "play": Verb(says="plays", asks="Play a card"),
        "drop": Verb(says="drops the task", kind=Kind.WORD, asks="Discard a task"),
    }
    phases: ClassVar[Mapping[str, str]] = {
        "choosing tasks": "each seat in turn takes a task from the display, before the first round",
        "draft": "each seat in turn takes a card of the open row",
        "showing tasks": "all seats but the start player at once choose one of their tasks",
        "tricks": "each seat in turn plays a card",
        "discarding a task": "the start player discards a task",
    }
    view: ClassVar[type[View]] = WasStichtView
    german: ClassVar[Mapping[str, str]] = WAS_STICHT
    moments: ClassVar[tuple[tuple[str, str], ...]] = (
        ("choosing tasks", "choose exactly-2"),
        ("draft", "take B5"),
        ("showing a task, all at once", "show no-red"),
        ("tricks", "play B5"),
        ("start player's discard", "drop last-trick"),
    )
    felt: ClassVar[Felt] = Felt(
        dealer="start player",
        terms=(
            Term(fact="trumps", caption="trump colour and number"),
            Term(fact="secret trumps", caption="secret trumps"),
        ),
        in_hands=("hands",),
        display="display",
        rows=DraftRows(fact="rows", verb="take", winners="hints"),
        goals=Goals(fact="tasks", shown="shown", outlook=outlook),
    )
    main_ladder: ClassVar[MainLadder] = MainLadder(seats=4)
    daily: ClassVar[DailyMatch] = DailyMatch(seats=4, options={"tasks_per_player": 3, "max_deals": 4})
    actions: ClassVar[list[str]] = [
        *with_each("choose", TASKS),
        *with_each("take", _WORDS),
        *with_each("show", TASKS),
        *with_each("play", _WORDS),
        *with_each("drop", TASKS),
    ]

    def __init__(self, seats: int, options: Mapping[str, Json]) -> None:
        super().__init__(seats, options)
        needed = seats * int(self.options["tasks_per_player"])
        if len(self.options["task_deck"]) < needed:
            raise OptionError(
                f"was-sticht: task_deck has {len(self.options['task_deck'])} tasks, "
                f"but {seats} seats choose {needed}"
            )

    def is_finished(self, deals_played: int, totals: list[int], carry: Carry) -> bool:
        return deals_played >= int(self.options["max_deals"]) or any(not tasks for tasks in carry["tasks"])

    def carry(self, deal: WasStichtDeal, before: Carry) -> Carry:  # type: ignore[override]
        return {"tasks": [task_words(deal.tasks[s]) for s in range(self.seats)]}

    def shuffle(self, chance: Chance, number: int, carry: Carry) -> dict[str, Json]:
        cards = chance.shuffled(_WORDS)
        colour, digit = chance.below(5), chance.below(10)
        return {
            "rows": [cards[4 * row : 4 * row + 4] for row in range(_ROWS)],
            "trump_colour": _NONE if colour == _NO_COLOUR else _COLOURS[colour],
            "trump_number": str(digit) if digit else _NONE,
        }

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Json], carry: Carry) -> WasStichtDeal:
        rows, colour, digit = dealt.get("rows"), dealt.get("trump_colour"), dealt.get("trump_number")
        if (
            not isinstance(rows, list)
            or len(rows) != _ROWS
            or any(not isinstance(r, list) or len(r) != 4 for r in rows)
        ):
            raise DealError(f"rows must list nine rows of four cards, not {rows!r:.60}")
        check_cards("rows", [card for row in rows for card in row], _WORDS)
        if not isinstance(colour, str) or colour not in _COLOUR_WORDS:
            raise DealError(f"trump_colour must be R, Y, G, B or none, not {colour!r}")
        if not isinstance(digit, str) or digit not in _NUMBER_WORDS:
            raise DealError(f"trump_number must be the text 1 … 9 or none, not {digit!r}")
        deal = self._at_the_start(dealer, carry)
        for row in range(_ROWS):
            deal.rows[row] = mask_of([_NUMBERS[card] for card in rows[row]])
        deal.colour = colour_number(colour)
        deal.number = 0 if digit == _NONE else int(digit)
        return deal

    def blind_deal(
        self, number: int, dealer: int, seat: int, seen: Mapping[str, Json], carry: Carry
    ) -> WasStichtDeal:
        deal = self._at_the_start(dealer, {"tasks": seen["tasks"]} if seen["rows"] else {})
        deal.viewer = seat
        deal.apply_facts(dict(seen))
        return deal

    def derived(self, deal: WasStichtDeal) -> dict[str, Json]:  # type: ignore[override]
        return {"hints": deal.hint_words()}

    def _at_the_start(self, dealer: int, carry: Carry) -> WasStichtDeal:
        """Make a new round without its rows and trumps."""
        deal = WasStichtDeal(self.seats, dealer)
        deal.start_table(dealer)
        deal.lacks = vec[i64]([])  # all hands are public
        deal.each = int(self.options["tasks_per_player"])
        deal.distinct = bool(self.options["distinct_tasks"])
        deal.dummy_in_hint = bool(self.options["dummy_in_hint"])
        deal.rows = vec[i64]([0] * _ROWS)
        deal.picked = vec[i64]([0] * _ROWS)
        deal.row = deal.trumps = deal.colours = deal.fulfilled = deal.shown = 0
        deal.colour = deal.number = deal.dropped = -1
        if carry:
            deal.stage = _DRAFT
            deal.display = 0
            deal.tasks = vec[i64]([tasks_from(words) for words in carry["tasks"]])
            deal.open_row()
        else:
            deal.stage = _CHOOSING
            deal.display = tasks_from(self.options["task_deck"])
            deal.tasks = vec[i64]([0] * self.seats)
        return deal
