"""Encoders and the facts that games declare say the same, part by part."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from stichkampf.engine.view import Observation
from stichkampf.games import GAMES
from stichkampf.lab.batch import Batch

STEPS = 90
SUITS = list("CDHS")
TRUMPS = [*"BYRKG", *"0123456789", "none"]
TRICKS = ("number of each seat", "tricks", "tricks", None)
# How a part shows a fact, the part, the fact, and the words that the part has a bit for.
SAME = {
    "sticheln": [
        ("number of each seat", "points", "points", None),
        ("cards of each seat", "pain", "pain", None),
    ],
    "stiche-raten": [
        ("number of each seat", "bid", "bids", None),
        ("number", "size", "round", None),
        ("word", "trump", "trump", SUITS),
        ("own cards", "turned", "turned", None),
    ],
    "sixes-and-sevens": [("word", "trump", "trump", SUITS)],
    "mue": [
        ("number of each seat", "points", "card points", None),
        ("cards of each seat", "open", "laid", None),
        ("seats", "chief", "chief", None),
        ("seats", "vice", "vice", None),
        ("seats", "partner", "partner", None),
        ("word", "chief's trump", "chief trump", TRUMPS),
        ("word", "vice's trump", "vice trump", TRUMPS),
    ],
    "njet": [
        ("number of each seat", "booty", "booty", None),
        ("seats", "team", "team", None),
        ("seats", "monster", "monster", None),
        ("own cards", "put away", "discarded", None),
        ("own cards", "put away", "given", None),
    ],
    "meinz": [
        ("number of each seat", "sum", "sums", None),
        ("cards of each seat", "known", "known", None),
        ("seats", "caller", "called", None),
        ("own cards", "away", "away", None),
    ],
    "was-sticht": [("cards of each seat", "hand", "hands", None)],
}


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


class Row:
    """The observation that a batch has of one deal, for its seat to act."""

    def __init__(self, batch, k):
        self.seen, self.slices, self.cards = batch.observation[k], batch.layout.slices, batch.cards
        self.seat, self.seats = int(batch.seat[k]), batch.rules.table_seats

    def part(self, name):
        """Return the columns of a part, of a set of cards those of all its words."""
        places = [place for found, place in self.slices.items() if found.partition(",")[0] == name]
        return np.concatenate([self.seen[place] for place in places])

    def shown(self, how, part, words):
        """Return what a part says, in the words of facts."""
        if how == "number":
            return int(self.part(part)[0])
        if how == "word":
            return [words[place] for place in np.flatnonzero(self.part(part))]
        if how == "seats":
            return sorted((self.seat + int(place)) % self.seats for place in np.flatnonzero(self.part(part)))
        if how == "own cards":
            return self.held(part)
        places = [(seat - self.seat) % self.seats for seat in range(self.seats)]
        if how == "number of each seat":
            return [int(self.part(f"{part} {place}")[0]) for place in places]
        return [self.held(f"{part} {place}") if place or part != "hand" else None for place in places]

    def held(self, part):
        return Counter(self.cards[place] for place in np.flatnonzero(self.part(part)))


def told(how, value, row):
    """Return a fact as `Row.shown` does."""
    if how == "number":
        return value
    if how == "word":
        return as_list(value)
    if how == "seats":
        return sorted(as_list(value))
    if how == "own cards":
        return Counter(as_list(value))
    if how == "number of each seat":
        return [number or 0 for number in value]
    return [Counter(as_list(cards)) for cards in value]


@pytest.mark.parametrize("name", GAMES)
def test_parts_that_show_declared_facts_say_what_these_say(name):
    seats = max(GAMES[name].players)
    batch, compared = Batch(name, seats, 6, seed=3, starts=6), Counter()
    for _ in range(STEPS):
        for k in range(batch.n):
            row = Row(batch, k)
            facts = Observation(batch.deal(k), row.seat).facts
            for how, part, fact, words in [TRICKS, *SAME[name]]:
                if fact in GAMES[name].secrets and fact not in facts:
                    continue
                shown, meant = row.shown(how, part, words), told(how, facts[fact], row)
                if how == "cards of each seat":
                    hidden = {row.seat} if part in ("hand", "pain") else set()
                    pairs = [(shown[s], meant[s]) for s in range(len(meant)) if s not in hidden]
                    assert all(one == other for one, other in pairs), (part, fact)
                else:
                    assert shown == meant, (part, fact)
                compared[fact] += bool(meant)
        batch.step(batch.random_actions())
    assert min(compared[fact] for _, _, fact, _ in SAME[name]) > 0
