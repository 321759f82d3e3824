"""Policies of the games: what sensible players usually do, for playouts and priors of a search.

Each file says for one game what kinds of action there are at a decision; `weights.json` has how often
searches chose each kind. `benchmarks/fit_policy.py` measures and writes it. The rules know nothing of this.
"""

from __future__ import annotations

from functools import cache

from stichkampf.engine.policy import Policy
from stichkampf.policies.kind_policy import KindPolicy
from stichkampf.policies.meinz import MeinzPolicy
from stichkampf.policies.mue import MuePolicy
from stichkampf.policies.njet import NjetPolicy
from stichkampf.policies.stiche_raten import SticheRatenPolicy
from stichkampf.policies.was_sticht import WasStichtPolicy
from stichkampf.policies.weights import fitted

__all__ = ["POLICIES", "policy_of"]

POLICIES: dict[str, type[KindPolicy]] = {
    "mue": MuePolicy,
    "njet": NjetPolicy,
    "stiche-raten": SticheRatenPolicy,
    "meinz": MeinzPolicy,
    "was-sticht": WasStichtPolicy,
}


@cache
def policy_of(game: str) -> Policy | None:
    """Return the policy of a game by its name; None for a game without one.

    >>> policy_of("mue")
    <MuePolicy>
    >>> policy_of("whist") is None
    True
    """
    return fitted(POLICIES, game)
