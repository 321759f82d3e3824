"""The cost of a decision with all cards open: a search in the one world that was there.

This is a second figure, under a name of its own. It tells what would have been best for somebody who saw all
hands, so it says nothing about how well a seat played by what it knew, and no seat may be shown it.
"""

from __future__ import annotations

from typing import Final

from stichkampf.analysis.costs import DecisionCost, chance_of
from stichkampf.analysis.estimate import PointsEstimate, difference, sample_of
from stichkampf.bots.open_search import OpenSearch
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.policy import Policy
from stichkampf.policies import policy_of

OPEN_ITERATIONS: Final = 300


def open_cost(game: Game, deal: Deal, seat: int, word: str) -> DecisionCost:
    """Estimate the cost of an action in the full deal, as if everybody saw all cards.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> open_cost(game, deal, deal.player(), "bid 0").cost
    PointsEstimate(points=0.0, low=0.0, high=0.0)

    :param deal: with all hands, at which the seat chooses.
    :param word: a legal action, in the words of the record.
    :raises ValueError: the action is not legal now.
    """
    legal = {deal.word(action): action for action in deal.legal_of(seat)}
    if word not in legal:
        raise ValueError(f"{word!r} is not legal now; possible: {', '.join(legal)}")
    known = deal.information_set(seat)
    seed = chance_of(game, known, seat, "open")
    best = deal.word(_searched(deal, seat, list(legal.values()), policy_of(game.name), seed).best)
    if best == word:
        return DecisionCost(word, word, PointsEstimate(0.0, 0.0, 0.0), 1)
    measured = []
    for each in (best, word):
        chance = chance_of(game, known, seat, f"open {each}")
        found = _searched(deal, seat, [legal[each]], policy_of(game.name), chance)
        measured.append(sample_of(found.total, found.squares, OPEN_ITERATIONS))
    return DecisionCost(word, best, difference(*measured), 1)


def _searched(deal: Deal, seat: int, first: list[int], policy: Policy | None, seed: int) -> OpenSearch:
    search = OpenSearch(deal, seat, first, policy, seed)
    search.run(OPEN_ITERATIONS)
    return search
