"""Continuations, or what would have come of it: a house bot plays a recorded deal on from one decision.

The cards are those that were dealt, and each seat is played by what it knows. So this is for those who may
see all hands.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from stichkampf.analysis.estimate import NORMAL_95
from stichkampf.bots.bot import Bot, decide
from stichkampf.bots.registry import named_bot
from stichkampf.engine.deal import Carry, Json
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import SEED_BYTES, Chance
from stichkampf.errors import RecordError
from stichkampf.games import new_game
from stichkampf.match.deal_source import RecordedDeals
from stichkampf.match.match import Match
from stichkampf.match.records import RecordedMove, moves
from stichkampf.match.table import Table

MOST_CONTINUATIONS: Final = 1000


@dataclass(frozen=True)
class Continuations:
    """The outcomes of a decision, played on many times.

    >>> found = Continuations(0, "bid 1", {-1: 3, 11: 1})
    >>> found.number, found.mean
    (4, 2.0)

    :ivar seat: which decided, from 0.
    :ivar action: with which each continuation began, in the words of the record.
    :ivar outcomes: how often the seat came to which score of the deal, by score, ascending.
    """

    seat: int
    action: str
    outcomes: Mapping[int, int]

    @property
    def number(self) -> int:
        return sum(self.outcomes.values())

    @property
    def mean(self) -> float:
        """The mean score of the deal."""
        return sum(score * times for score, times in self.outcomes.items()) / self.number

    @property
    def plus_minus(self) -> float:
        """Half the width of the 95% interval of the mean.

        >>> round(Continuations(0, "bid 1", {0: 50, 10: 50}).plus_minus, 2)
        0.98
        """
        squares = sum(times * (score - self.mean) ** 2 for score, times in self.outcomes.items())
        return NORMAL_95 * sqrt(squares) / self.number

    def to_json(self) -> dict[str, Json]:
        outcomes = [[score, times] for score, times in self.outcomes.items()]
        return {"seat": self.seat, "action": self.action, "mean": round(self.mean, 3), "outcomes": outcomes}


def continuations(
    record: Mapping[str, Json], decision: int, bot: str = "thumb", *, action: str = "", number: int = 100
) -> Continuations:
    """Play a deal of a verified record on from a decision, with a house bot at every seat.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> continuations(record, 1, action="bid 1", number=10).outcomes
    {3: 10}

    :param decision: its number among all decisions of the match, from 1.
    :param bot: the name of a house bot, alone or with a version, such as "thumb v2".
    :param action: with which to begin; empty for the one that was chosen.
    :param number: of continuations, 1 to 1,000.
    :raises RecordError: the match has no such decision, the action is not legal there, or the number is out
        of bounds.
    :raises BotError: there is no such house bot.
    """
    if not 1 <= number <= MOST_CONTINUATIONS:
        raise RecordError(f"{number} continuations are out of bounds; 1 to {MOST_CONTINUATIONS} are possible")
    make = named_bot(bot)
    game, before, chosen = _decision(record, decision)
    word = action or chosen.word
    legal = _stood_at(game, record, before).legal(chosen.seat)
    if word not in legal:
        raise RecordError(f"{word!r:.80} is not legal at decision {decision}; possible: {', '.join(legal)}")
    scores: Counter[int] = Counter()
    for k in range(number):
        match = _stood_at(game, record, before)
        match.play(chosen.seat, word)
        bots = [make() for _ in range(game.seats)]
        scores[_played_on(match, chosen.deal, bots, _chance(bot, k))[chosen.seat]] += 1
    return Continuations(chosen.seat, word, dict(sorted(scores.items())))


@dataclass(frozen=True)
class RecordedDecision:
    """A decision of a record.

    >>> RecordedDecision(seat=2, deal=0, chosen="bid 1", legal=("bid 0", "bid 1")).chosen
    'bid 1'

    :ivar seat: which decided, from 0.
    :ivar deal: from 0.
    :ivar chosen: the action, in the words of the record.
    :ivar legal: the actions that were possible.
    """

    seat: int
    deal: int
    chosen: str
    legal: tuple[str, ...]


def decision_of(record: Mapping[str, Json], decision: int) -> RecordedDecision:
    """Look a decision up in a verified record.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> decision_of(record, 1).legal
    ('bid 0', 'bid 1')

    :param decision: its number among all decisions of the match, from 1.
    :raises RecordError: the match has no such decision.
    """
    game, before, chosen = _decision(record, decision)
    legal = _stood_at(game, record, before).legal(chosen.seat)
    return RecordedDecision(chosen.seat, chosen.deal, chosen.word, tuple(legal))


def _decision(record: Mapping[str, Json], decision: int) -> tuple[Game, list[RecordedMove], RecordedMove]:
    """Return the game, the moves before a decision, and its own."""
    game = new_game(record["game"], len(record["seats"]), record["options"])
    decided = [move for move in moves(record) if move.seat < game.seats]
    if not 1 <= decision <= len(decided):
        raise RecordError(f"the match has decisions 1 to {len(decided)}, not {decision}")
    *before, chosen = decided[:decision]
    return game, before, chosen


class _Endless(RecordedDeals):
    """The deals of a record, and after them others: a match may go on longer than it did."""

    def __init__(self, game: Game, deals: list[Mapping[str, Json]]) -> None:
        super().__init__(game, deals)
        self._game = game
        self._number = len(deals)

    def dealt(self, number: int, carry: Carry) -> dict[str, Json]:
        if number < self._number:
            return super().dealt(number, carry)
        return self._game.shuffle(Chance(bytes(SEED_BYTES), f"deal {number}"), number, carry)


def _stood_at(game: Game, record: Mapping[str, Json], before: list[RecordedMove]) -> Match:
    """Return the match after these moves."""
    match = Match(game, deals=_Endless(game, record["deals"]))
    for move in before:
        match.play(move.seat, move.word)
    return match


def _played_on(match: Match, deal: int, bots: Sequence[Bot], chance: bytes) -> list[int]:
    """Play a match on to the end of the deal; returns its scores by seat."""
    tables = [
        Table(match.game, seat, hashlib.sha256(chance + bytes([seat])).digest()) for seat in range(len(bots))
    ]
    told = [0] * len(bots)
    while not match.over and len(match.played) == deal + 1:
        for seat in match.to_act():
            table = tables[seat]
            table.follow(match.events(seat, told[seat]))
            told[seat] = len(match.log)
            table.legal = match.legal(seat)
            match.play(seat, decide(bots[seat], table)[0])
            if len(match.played) > deal + 1:
                break
    return match.played[deal].scores


def _chance(bot: str, k: int) -> bytes:
    return hashlib.sha256(f"continuation {k} by {bot}".encode()).digest()
