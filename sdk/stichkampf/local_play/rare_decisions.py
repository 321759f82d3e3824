"""Matches for a validation in which a bot meets decisions that it has not met yet.

Of a few seeds the one is taken with which a bot that chooses by chance, in the place of the bot, takes the
most decisions of new kinds: other phases, deals, cards in hand or numbers of legal actions. So rare ones come
up in few matches, each after the bot's own earlier decisions.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from stichkampf.bots.practice import entrant, play_match
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES
from stichkampf.match.records import Step, steps

CANDIDATES: Final = 4
"""Seeds of which one is taken."""
CHANCE: Final = "random"
"""The house bot in the place of the bot."""


class DecisionKind(NamedTuple):
    """A kind of decisions that are alike.

    :ivar deal: from 0.
    :ivar cards: in the hand.
    :ivar legal: number of legal actions.
    """

    phase: str
    deal: int
    cards: int
    legal: int


def kind_of(step: Step) -> DecisionKind:
    """Return the kind of a decision."""
    deal = step.match.deal
    return DecisionKind(deal.phase(), step.move.deal, len(deal.hand(step.move.seat)), len(step.legal))


def kinds_of(record: Mapping[str, Json], seat: int) -> set[DecisionKind]:
    """Return the kinds of the decisions of a seat."""
    return {kind_of(step) for step in steps(record) if step.move.seat == seat}


class RareDecisions:
    """The kinds of decisions that a bot has met in the matches of a game, whatever the number of seats.

    :ivar news: the share of kinds that were new in the matches with the last candidates.
    """

    def __init__(self) -> None:
        self.news = 1.0
        self._met: set[DecisionKind] = set()

    def add(self, record: Mapping[str, Json], seat: int) -> None:
        """Add the decisions of a seat in a match."""
        self._met |= kinds_of(record, seat)

    def seed(self, game: Game, names: Sequence[str], seat: int) -> bytes:
        """Return a seed for a match.

        :param names: the house bots by seat; on the seat of the bot, the one that stands for it.
        """
        entrants = [entrant(name) for name in names]
        found = {}
        for _ in range(CANDIDATES):
            seed = secrets.token_bytes(SEED_BYTES)
            found[seed] = kinds_of(play_match(game, entrants, seed).record, seat)
        self.news = sum(len(kinds - self._met) for kinds in found.values()) / sum(map(len, found.values()))
        return max(found, key=lambda seed: len(found[seed] - self._met))
