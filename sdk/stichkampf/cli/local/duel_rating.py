"""The Elo differences of a duel. Needs numpy and scipy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from stichkampf.engine.deal import Json
from stichkampf.rating import Results, rate


def differences(
    rows: Sequence[tuple[Any, ...]], names: Sequence[str], partners: bool
) -> list[dict[str, Json]]:
    """Return the difference of each pair of bots, in the order in which they were named.

    :param rows: as for `Results.from_rows`.
    :raises RatingError: there is nothing to compare.
    """
    table = rate(Results.from_rows(rows), partners=partners)
    found = []
    for first, second in combinations(names, 2):
        difference = table.difference(first, second)
        found.append(
            {
                "bot": first,
                "against": second,
                "elo": round(difference.elo, 4),
                "plus_minus": None if difference.plus_minus is None else round(difference.plus_minus, 4),
                "superiority": None if difference.superiority is None else round(difference.superiority, 4),
                "blocks": min(table[first].blocks, table[second].blocks),
            }
        )
    return found
