"""Bots that think one action ahead, in any game.

They sample worlds that agree with their knowledge, try every action in each, play on to the end of the deal,
and judge the outcomes by their temper. Where the game has a policy (`stichkampf.policies`) they play on by
it, and try only the actions that it does not call absurd.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import ClassVar

from stichkampf.bots.bot import Note
from stichkampf.bots.house import HouseBot
from stichkampf.engine.deal import Deal
from stichkampf.engine.policy import Policy
from stichkampf.match.table import Table
from stichkampf.policies import policy_of

_ABSURD = 20  # times less likely than another action

Outcomes = list[list[list[int]]]  # by action, by world: the scores of the deal by seat


class Sampler(HouseBot):
    """A bot that judges actions by the deals they may lead to.

    :cvar worlds: the number of worlds that it samples for each decision.
    """

    version: ClassVar[int] = 2
    worlds: ClassVar[int]

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        deal = table.deal
        policy = policy_of(table.game.name)
        actions = sound_actions(policy, deal, table.seat)
        outcomes = sample_outcomes(table, actions, self.worlds, policy)
        values = [self.judge(scores, table.seat) for scores in outcomes]
        best = max(range(len(actions)), key=values.__getitem__)
        weights = {deal.word(action): round(value, 3) for action, value in zip(actions, values, strict=True)}
        return deal.word(actions[best]), Note(weights=weights)

    @abstractmethod
    def judge(self, scores: Sequence[list[int]], seat: int) -> float:
        """The value of the outcomes of one action for the seat."""


def sound_actions(policy: Policy | None, deal: Deal, seat: int) -> list[int]:
    """The legal actions of a seat that the policy does not call absurd beside the likeliest."""
    actions = deal.legal_of(seat)
    weights = policy.weights(deal, seat, actions) if policy is not None else []
    if not weights:
        return actions
    least = max(weights) / _ABSURD
    return [action for action, weight in zip(actions, weights, strict=True) if weight >= least]


def sample_outcomes(table: Table, actions: Sequence[int], worlds: int, policy: Policy | None) -> Outcomes:
    """The outcomes of every action in the same worlds, played on with the same chance.

    :param policy: to play on by; None: at random.
    """
    outcomes: Outcomes = [[] for _ in actions]
    for _ in range(worlds):
        world = table.deal.determinise(table.seat, table.rng.getrandbits(62))
        chance = table.rng.getrandbits(62)
        for tried, action in zip(outcomes, actions, strict=True):
            after = world.clone()
            after.apply_by(table.seat, action)
            tried.append(after.rollout(chance) if policy is None else policy.rollout(after, chance))
    return outcomes


def mean(numbers: Sequence[float]) -> float:
    """The mean, added up one by one: from Python 3.12 on, `sum` rounds fractions otherwise than before."""
    return reduce(add, numbers) / len(numbers)


class Glimpse(Sampler):
    """A bot that samples only a few worlds."""

    name: ClassVar[str] = "glimpse"
    description: ClassVar[str] = "imagines a few worlds and takes the best score on average"
    german: ClassVar[str] = "stellt sich ein paar Welten vor und nimmt, was im Mittel am meisten bringt"
    worlds: ClassVar[int] = 4

    def judge(self, scores: Sequence[list[int]], seat: int) -> float:
        return mean([own[seat] for own in scores])


class Worrier(Sampler):
    """A bot that judges by the worst third of its samples."""

    name: ClassVar[str] = "worrier"
    description: ClassVar[str] = "imagines worlds and fears the worst of them"
    german: ClassVar[str] = "stellt sich Welten vor und rechnet mit den schlimmsten"
    worlds: ClassVar[int] = 9

    def judge(self, scores: Sequence[list[int]], seat: int) -> float:
        return mean(sorted(own[seat] for own in scores)[: self.worlds // 3])


class Gambler(Sampler):
    """A bot that judges by the best third of its samples."""

    name: ClassVar[str] = "gambler"
    description: ClassVar[str] = "imagines worlds and hopes for the best of them"
    german: ClassVar[str] = "stellt sich Welten vor und hofft auf die besten"
    worlds: ClassVar[int] = 9

    def judge(self, scores: Sequence[list[int]], seat: int) -> float:
        return mean(sorted(own[seat] for own in scores)[-(self.worlds // 3) :])


class Rival(Sampler):
    """A bot that likes a lead better than points, and so spoils the game of others."""

    name: ClassVar[str] = "rival"
    description: ClassVar[str] = "imagines worlds and wants to be ahead of the others in them"
    german: ClassVar[str] = "stellt sich Welten vor und will darin vor den anderen liegen"
    worlds: ClassVar[int] = 12

    def judge(self, scores: Sequence[list[int]], seat: int) -> float:
        return mean([own[seat] - mean(own) for own in scores])


class Flat(Glimpse):
    """Flat Monte-Carlo with halving: the worse half of the actions drops out, twice as many worlds follow."""

    name: ClassVar[str] = "flat"
    description: ClassVar[str] = "imagines many worlds, most of them for the actions that look best"
    german: ClassVar[str] = (
        "stellt sich viele Welten vor, die meisten für die Aktionen, die am besten aussehen"
    )
    worlds: ClassVar[int] = 16

    def choose(self, table: Table) -> str | tuple[str, Note]:
        deal = table.deal
        policy = policy_of(table.game.name)
        actions = sound_actions(policy, deal, table.seat)
        worlds = self.worlds
        values: dict[int, float] = {}
        while len(actions) > 1:
            outcomes = sample_outcomes(table, actions, worlds, policy)
            values |= {a: self.judge(scores, table.seat) for a, scores in zip(actions, outcomes, strict=True)}
            actions = sorted(actions, key=values.__getitem__, reverse=True)[: len(actions) // 2]
            worlds *= 2
        weights = {deal.word(action): round(value, 3) for action, value in values.items()}
        return deal.word(actions[0]), Note(weights=weights)
