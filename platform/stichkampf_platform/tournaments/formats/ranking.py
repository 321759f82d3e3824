"""Order and ties: criteria, one after the other, part entrants that the ones before left equal.

None of them has to do with names, ids or the order of entry. In a block more than two meet, so what chess
counts for each opponent is here the mean over all opponents of a round: a round weighs the same at tables of
two and of six.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from statistics import fmean

from stichkampf_platform.tournaments.formats.competition import PairPoints, Past

Tiers = list[list[int]]
"""Entrants, the best first; those of one tier are equal so far."""
Measure = Callable[[list[int]], Mapping[int, float]]
"""The values of a criterion for the entrants of a tier; who has none comes after all who have one."""

EVEN = 0.5
"""The worth of a round as long as nothing is known: an even result."""
DIGITS = 9
"""Decimals by which values are compared: sums of shares are not exact."""


def refined(tiers: Tiers, measure: Measure) -> Tiers:
    """Part each tier by a criterion, the highest value first; the order within new tiers stays."""
    found: Tiers = []
    for tier in tiers:
        if len(tier) < 2:
            found.append(tier)
            continue
        values = {entrant: round(value, DIGITS) for entrant, value in measure(tier).items()}
        parted: dict[float, list[int]] = {}
        for entrant in tier:
            parted.setdefault(values.get(entrant, -1.0), []).append(entrant)
        found += [parted[value] for value in sorted(parted, reverse=True)]
    return found


def is_cut(tiers: Tiers, at: int) -> bool:
    """Tell whether it is clear who the first `at` are."""
    before = 0
    for tier in tiers:
        if before >= at:
            break
        before += len(tier)
    return before <= at


def ranks(tiers: Iterable[list[int]]) -> dict[int, int]:
    """Return the place of each entrant, from 1; those of one tier share theirs."""
    found: dict[int, int] = {}
    for tier in tiers:
        found |= dict.fromkeys(tier, len(found) + 1)
    return found


def mean_shares(past: Past) -> dict[int, float]:
    """Return the mean share that each entrant took in the rounds that it played."""
    shares: dict[int, list[float]] = {}
    for number in range(len(past.rounds)):
        for entrant, share in past.shares(number).items():
            shares.setdefault(entrant, []).append(share)
    return {entrant: fmean(own) for entrant, own in shares.items()}


def direct(past: Past, tier: list[int]) -> Mapping[int, float]:
    """Direct encounter: what equals took from each other in all rounds, where each has met each."""
    return past.shares_among(tier)


def opponents(past: Past, strength: Mapping[int, float]) -> dict[int, float]:
    """Sum over the rounds the mean strength of those that one met; a rest counts as much as one's own.

    With points as strength this is Buchholz.
    """
    return _over_rounds(past, strength, lambda pair, rival: strength[rival])


def beaten(past: Past, strength: Mapping[int, float]) -> dict[int, float]:
    """Sum the same, each opponent weighed by the share that one took from it: Sonneborn-Berger."""
    means = mean_shares(past)

    def worth(pair: PairPoints, rival: int) -> float:
        won = pair.half_points if rival == pair.second else pair.other_half_points
        return strength[rival] * won / pair.most

    own = {entrant: value * means.get(entrant, EVEN) for entrant, value in strength.items()}
    return _over_rounds(past, own, worth)


def known(values: Mapping[int, float], tier: list[int]) -> Mapping[int, float]:
    """Return the values of a tier, for a criterion that is the same for every tier."""
    return {entrant: values[entrant] for entrant in tier if entrant in values}


def opponents_measure(past: Past) -> Measure:
    """Return the strength of the opponents, by their mean shares over all rounds, as a criterion."""
    found = opponents(past, mean_shares(past.as_played))
    return partial(known, found)


def _over_rounds(
    past: Past, rest: Mapping[int, float], worth: Callable[[PairPoints, int], float]
) -> dict[int, float]:
    total = dict.fromkeys(rest, 0.0)
    for number in range(len(past.rounds)):
        met: dict[int, list[float]] = {}
        for pair in past.pairs(number):
            met.setdefault(pair.first, []).append(worth(pair, pair.second))
            met.setdefault(pair.second, []).append(worth(pair, pair.first))
        for entrant in total:
            total[entrant] += fmean(met[entrant]) if entrant in met else rest[entrant]
    return total
