"""Judge which look tells which act: numbers beside the units of each round, held to draws that might be.

The units of each round are drawn by chance, so what says nothing of them would fit another draw as well. A
number tells a unit where it follows it more closely than any number follows any unit in 99 other draws: in
one audit of a hundred something is named that says nothing. What follows the time that a round took is taken
out before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.sharing_audit.acts import UNITS, subsets
from benchmarks.sharing_audit.looks import CLOCK, WHEN, Look

HOW = ("meanwhile", "change", "after", "change after", "more than around", "changed")
LEAST_LENGTH = 1e-6
"""A number of which time leaves a smaller share is a clock."""
LEAST_SEEN, MISSING = 0.2, -2000.0
"""Number of a look that lacks one, as its call was ended or its file is gone."""
OTHER_DRAWS = 99
ANYTHING = "anything"
"""A column of its own: rounds that had a unit at all."""
Floats = npt.NDArray[np.float64]


def found(
    done: Sequence[Sequence[str]], moments: Sequence[Mapping[str, Look]], units: Sequence[str] = (*UNITS,)
) -> list[tuple[str, str]]:
    """Return the looks that tell a unit, with it.

    :param moments: for each round what was seen `before`, `meanwhile` and `after`.
    """
    names, rows = numbers_of(moments)
    if not names:
        return []
    patterns, which = np.unique(np.round(rows, 9), axis=0, return_inverse=True)
    chance = random.Random(0)
    others = (list(subsets(len(done), chance, units)) for _ in range(OTHER_DRAWS))
    limit = max(strengths(patterns, design(other, units)).max() for other in others)
    told = (strengths(patterns, design(done, units)) > limit)[which]
    columns = [*units, ANYTHING]
    pairs = {(names[row], columns[unit]): None for row, unit in np.argwhere(told).tolist()}
    return list(pairs)


def design(done: Sequence[Sequence[str]], units: Sequence[str]) -> Floats:
    """Return a row for each round, a column for each unit and one for any: done or not, less the mean."""
    made: Floats = np.array([[unit in each for unit in units] + [bool(each)] for each in done], dtype=float)
    less: Floats = made - made.mean(axis=0)
    return less


def numbers_of(moments: Sequence[Mapping[str, Look]]) -> tuple[list[str], Floats]:
    """Return every number that varies, by round and in each way of `HOW`, and the ranks of these.

    Each row has mean 0 and length 1, and nothing in common with the time from look to look.
    """
    seen = Counter(name for round_ in moments for look in round_.values() for name in look)
    common = sorted(name for name, times in seen.items() if times >= LEAST_SEEN * len(WHEN) * len(moments))
    before, meanwhile, after = (
        np.array([[each[when].get(name, MISSING) for each in moments] for name in common]).reshape(
            len(common), -1
        )
        for when in WHEN
    )
    forms = (
        meanwhile,
        np.abs(meanwhile - before),
        after,
        np.abs(after - before),
        meanwhile - (before + after) / 2,
        (meanwhile != before).astype(float),
    )
    names = [f"{name}, {how}" for how in HOW for name in common]
    values = np.concatenate(forms)
    varies = np.ptp(values, axis=1) > 0
    names = [name for name, one in zip(names, varies, strict=True) if one]
    both = np.concatenate([values[varies], ranks(values[varies])])
    both = both - both.mean(axis=1, keepdims=True)
    both /= np.linalg.norm(both, axis=1, keepdims=True)
    clock = common.index(CLOCK)
    spans = np.array([meanwhile[clock] - before[clock], after[clock] - meanwhile[clock]])
    basis, _ = np.linalg.qr((spans - spans.mean(axis=1, keepdims=True)).T)
    both -= both @ basis @ basis.T
    lengths = np.linalg.norm(both, axis=1)
    left = lengths > LEAST_LENGTH
    return [name for name, one in zip(names * 2, left, strict=True) if one], both[left] / lengths[left, None]


def ranks(values: Floats) -> Floats:
    """Return the ranks of each row; equal values have the mean of theirs."""
    below = np.empty_like(values)
    for at, column in enumerate(values.T):
        less = (values < column[:, None]).sum(axis=1)
        equal = (values == column[:, None]).sum(axis=1)
        below[:, at] = less + equal / 2
    return below


def strengths(rows: Floats, units: Floats) -> Floats:
    """Return how closely each number follows each unit, from 0 to 1."""
    found: Floats = np.abs(rows @ (units / np.linalg.norm(units, axis=0)))
    return found
