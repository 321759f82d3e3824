"""A second referee: the seven games once more, written naively from the rules alone.

Nothing here knows the engine; plain lists and strings, no cleverness, no speed. Where engine and
referee differ, one of them has misread the rules. "RULES" in these files means the rules digest that
both were written from; chapter numbers are its own.

    check(record)                                  raises Disagreement at the first difference
    Walk(game, seats, options, deals)              .awaited() .legal(seat) .play(seat, word) .over .scores
    fresh_deals(game, seats, options, rng)         endless deals for a Walk
    random_record(game, seats, options, rng)       a whole match of random legal moves, as a record
    deck(game, seats, options), default_options(game, seats)
"""

from stichkampf_oracle.check import check
from stichkampf_oracle.common import Disagreement
from stichkampf_oracle.manners import ArrangedCards, any_word, timid, wilful, zeros_first
from stichkampf_oracle.walk import (
    GAMES,
    Walk,
    deck,
    default_options,
    fresh_deals,
    perft,
    random_record,
)

__all__ = [
    "GAMES",
    "ArrangedCards",
    "Disagreement",
    "Walk",
    "any_word",
    "check",
    "deck",
    "default_options",
    "fresh_deals",
    "perft",
    "random_record",
    "timid",
    "wilful",
    "zeros_first",
]
