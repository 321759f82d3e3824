"""Matches as numbers: what each seat has seen of one, in the vector that `adapters.pettingzoo` documents.

The vectors are kept up while the match goes on, so that an observation costs a copy of one row. What goes
into the row of a seat is what `match.Match` would have told that seat by then; the tests compare the two.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from stichkampf.engine.deal import Deal, Facts
from stichkampf.engine.game import Game
from stichkampf.engine.view import Observation
from stichkampf.lab.adapters.running_match import RunningMatch
from stichkampf.lab.adapters.vocabulary import vocabulary_of

Array = Any


class ObservationLayout:
    """The places of everything in the observation vector of a game.

    :ivar size: the length of the vector.
    :ivar slices: by name the place of each part, in order; those of facts by the name of the fact.

    >>> from stichkampf.games import new_game
    >>> layout = ObservationLayout(new_game("stiche-raten", 3))
    >>> layout.size, layout.slices["hand"]
    (511, slice(10, 62, None))
    """

    def __init__(self, rules: Game) -> None:
        vocabulary = vocabulary_of(rules.name)
        seats, cards = rules.table_seats, len(vocabulary.cards)
        self.seats = seats
        self.words = len(vocabulary)
        self.cards = cards
        self.card = {card: index for index, card in enumerate(vocabulary.cards)}
        known = {**rules.facts, **rules.secrets}
        numbers = {"tricks": 0} | {n: f.counts for n, f in known.items() if f.counts is not None}
        texts = {name: list(known[name].texts) for name in sorted(known) if known[name].texts}
        self.numbers = {name: length or seats for name, length in numbers.items()}
        self.texts = {name: {text: at for at, text in enumerate(told)} for name, told in texts.items()}
        self.shown = [*self.numbers, *self.texts]
        lengths = {
            "seat": seats,
            "dealer": seats,
            "deal": 1,
            "totals": seats,
            "hand": cards,
            "table": seats * cards,
            "said": seats * self.words,
            **self.numbers,
            **{name: len(told) for name, told in self.texts.items()},
        }
        self.slices: dict[str, slice] = {}
        self.size = 0
        for name, length in lengths.items():
            self.slices[name] = slice(self.size, self.size + length)
            self.size += length
        self.hand, self.table, self.said = (self.slices[name] for name in ("hand", "table", "said"))


class ObservedMatch(RunningMatch):
    """A running match, and a row of numbers for each seat that a bot holds.

    :ivar legal: by the number of its word, each legal action of the seat to choose.
    """

    def __init__(self, rules: Game, seed: bytes, layout: ObservationLayout) -> None:
        self._layout = layout
        self._vocabulary = vocabulary_of(rules.name)
        self._rows: Array = np.zeros((rules.seats, layout.size), np.int16)
        for seat in range(rules.seats):
            self._rows[seat, seat] = 1
        self._words: dict[int, int] = {}  # by action, the number of its word
        self._kept_back: list[tuple[int, list[str]]] = []
        self._laid: set[int] = set()
        self._facts: Facts = {}  # at the last move that everybody has been told of
        self._secrets: list[Facts] = []
        self._told: list[dict[str, Any]] = []  # by seat, the facts that its row shows
        self._counts: dict[str, tuple[Any, list[int]]] = {}  # by fact, its value and the count of its words
        self._legal: dict[int, int] | None = None
        self._all_seen = False
        super().__init__(rules, seed)
        self._changes()

    def apply(self, action: int) -> None:
        self._legal = None
        super().apply(action)
        if not self._kept_back:
            self._changes()
        if any(self.last_scores):
            self._rows[:, self._part("totals")][:, : self.rules.seats] = self.totals

    def clone(self) -> Self:
        return copy.deepcopy(self)

    @property
    def legal(self) -> dict[int, int]:
        if self._legal is None:
            actions = [] if self.over else self.deal.legal_actions()
            self._legal = {self._number(action): action for action in actions}
        return self._legal

    def observation(self, seat: int) -> Array:
        """Return the vector of a seat, int16, the caller's own."""
        layout, row = self._layout, self._rows[seat]
        cards = list(map(layout.card.__getitem__, self.deal.hand(seat)))
        row[layout.hand] = np.bincount(cards, minlength=layout.cards) if cards else 0
        self._show_facts(seat, row)
        return row.copy()

    def mask(self, seat: int) -> Array:
        """Return 1 for the number of each legal action, int8; all 0 unless it is for this seat to choose."""
        mask = np.zeros(self._layout.words, np.int8)
        if not self.over and seat == self.deal.player():
            mask[list(self.legal)] = 1
        return mask

    def _number(self, action: int) -> int:
        number = self._words.get(action)
        if number is None:
            number = self._words[action] = self._vocabulary.numbers[self.deal.word(action)]
        return number

    def _part(self, name: str) -> slice:
        return self._layout.slices[name]

    def _dealt(self) -> None:
        rows, layout = self._rows, self._layout
        rows[:, layout.slices["dealer"]] = np.arange(layout.seats) == self.dealer
        rows[:, layout.slices["deal"]] = self.number + 1
        rows[:, layout.slices["said"].start :] = 0
        self._told = [{} for _ in range(self.rules.seats)]
        self._all_seen = type(self.deal).seen_as is Deal.seen_as

    def _carry_out(self, action: int) -> None:
        deal, mover = self.deal, self.deal.player()
        if self._all_seen and not deal.awaited:
            self._rows[:, self._said_index(mover, self._number(action))] += 1
            deal.apply(action)
            return
        seen = [deal.seen_as(seat, mover, action) for seat in range(self.rules.seats)]
        phase = deal.phase()
        kept_back = bool(deal.awaited)
        deal.apply(action)
        if kept_back:
            self._tell(mover, mover, seen[mover])
            self._kept_back.append((mover, seen))
            if deal.awaited and deal.phase() == phase:
                return
            for seat in range(self.rules.seats):
                for other, words in self._kept_back:
                    if other != seat:
                        self._tell(seat, other, words[seat])
            self._kept_back.clear()
        else:
            for seat, word in enumerate(seen):
                self._tell(seat, mover, word)

    def _said_index(self, mover: int, number: int) -> int:
        start: int = self._layout.said.start
        return start + mover * self._layout.words + number

    def _tell(self, seat: int, mover: int, word: str) -> None:
        """Count a word, as the seat saw it; a masked one does not count."""
        number = self._vocabulary.numbers.get(word)
        if number is not None:
            self._rows[seat, self._said_index(mover, number)] += 1

    def _changes(self) -> None:
        """Note the trick and the facts after a move that everybody has been told of."""
        rows, layout, deal = self._rows, self._layout, self.deal
        start, cards = layout.table.start, layout.cards
        laid = {start + seat * cards + layout.card[card] for seat, card in deal.table()}
        for column in self._laid - laid:
            rows[:, column] = 0
        for column in laid - self._laid:
            rows[:, column] = 1
        self._laid = laid
        self._facts = deal.facts()
        if self.rules.secrets:
            self._secrets = [deal.secrets(seat) for seat in range(self.rules.seats)]

    def _show_facts(self, seat: int, row: Array) -> None:
        layout, told, facts = self._layout, self._told[seat], self._facts
        if self._secrets:
            facts = facts | self._secrets[seat]
        for name in layout.shown:
            value = facts.get(name)
            if value == told.get(name):
                continue
            told[name] = value
            seen = Observation(self.deal, seat, facts)
            if name in layout.numbers:
                row[layout.slices[name]] = seen.numbers_of(name, layout.numbers[name])
            else:
                row[layout.slices[name]] = self._counted(seen, name, layout.texts[name])

    def _counted(self, seen: Observation, name: str, places: Mapping[str, int]) -> list[int]:
        """Count the words of a fact by their places; a public one is counted once for all seats."""
        value = seen.facts.get(name)
        before, counts = self._counts.get(name, (None, [0] * len(places)))
        if value != before:
            counts = [0] * len(places)
            for text in seen.texts_of(name):
                if text in places:
                    counts[places[text]] += 1
            self._counts[name] = value, counts
        return counts
