"""Ratings that move with every table: online Elo, and Weng and Lin's Bayesian approximation (2011)."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray
from stichkampf.rating import ELO_PER_STRENGTH

Tables = Sequence[tuple[Sequence[int], Sequence[int]]]  # entrants by seat, scores by seat

_MU, _SIGMA, _BETA, _KAPPA = 25.0, 25 / 3, 25 / 6, 1e-4


def elo(tables: Tables, entrants: int, k: float) -> NDArray[np.float64]:
    """Elo after all tables: at each, everybody plays a game against each table mate, with K shared among
    these.
    """
    ratings = [1500.0] * entrants
    for seats, scores in tables:
        share = k / (len(seats) - 1)
        change = [0.0] * len(seats)
        for i, one in enumerate(seats):
            for j in range(i):
                expected = 1 / (1 + exp((ratings[seats[j]] - ratings[one]) / ELO_PER_STRENGTH))
                gain = share * (_points(scores[i], scores[j]) - expected)
                change[i] += gain
                change[j] -= gain
        for i, one in enumerate(seats):
            ratings[one] += change[i]
    return np.array(ratings)


def weng_lin(tables: Tables, entrants: int) -> NDArray[np.float64]:
    """Algorithm 1 (Bradley-Terry, full pairs) with its customary constants; means on the Elo scale."""
    mu, sigma_squared = [_MU] * entrants, [_SIGMA**2] * entrants
    for seats, scores in tables:
        omega, delta = [0.0] * len(seats), [0.0] * len(seats)
        for i, one in enumerate(seats):
            for j, other in enumerate(seats):
                if i == j:
                    continue
                c = sqrt(sigma_squared[one] + sigma_squared[other] + 2 * _BETA**2)
                p = 1 / (1 + exp((mu[other] - mu[one]) / c))
                omega[i] += sigma_squared[one] / c * (_points(scores[i], scores[j]) - p)
                gamma = sqrt(sigma_squared[one]) / c
                delta[i] += gamma * sigma_squared[one] / c**2 * p * (1 - p)
        for i, one in enumerate(seats):
            mu[one] += omega[i]
            sigma_squared[one] *= max(1 - delta[i], _KAPPA)
    return ELO_PER_STRENGTH * np.array(mu) / (sqrt(2) * _BETA)


def _points(own: int, other: int) -> float:
    return 0.5 if own == other else float(own > other)
