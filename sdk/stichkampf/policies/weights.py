"""The fitted weights: a JSON file beside this module, by game and kind of action."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from stichkampf.engine.policy import Policy
from stichkampf.policies.kind_policy import KindPolicy

FILE: Final = Path(__file__).with_name("weights.json")


@cache
def read_weights() -> dict[str, dict[str, int]]:
    """Read all weights, by game and kind."""
    weights: dict[str, dict[str, int]] = json.loads(FILE.read_text(encoding="utf-8"))
    return weights


def weights_of(game: str, kinds: list[str]) -> list[int]:
    """Return the weights of a game's kinds of action, in their order.

    >>> weights_of("mue", ["stop with as many cards as another"])[0] > 0
    True
    """
    weights = read_weights()[game]
    return [weights[kind] for kind in kinds]


def fitted(policies: dict[str, type[KindPolicy]], game: str) -> Policy | None:
    """Return the policy of a game with its weights, from a table by name; None where it has none."""
    if game not in policies:
        return None
    kinds = policies[game]
    return kinds(weights_of(game, kinds.names))
