"""Spaces of Gymnasium for what a seat observes."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces


def seat_space(size: int, words: int, type: Any) -> spaces.Dict:
    """Return the space of a seat's observation and the mask of its legal actions.

    >>> seat_space(3, 2, np.int8)["observation"].shape
    (3,)
    """
    limits = np.iinfo(type)
    return spaces.Dict(
        {
            "observation": spaces.Box(limits.min, limits.max, (size,), type),
            "action_mask": spaces.Box(0, 1, (words,), np.int8),
        }
    )
