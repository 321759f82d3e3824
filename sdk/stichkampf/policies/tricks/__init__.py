"""Policies that judge the cards of tricks as well, for `search` in the games where that makes it stronger.

Their weights lie in `weights.json` beside those of the other policies; `benchmarks/fit_policy.py --tricks`
writes them. Other house bots and the levels for people leave the cards of tricks to chance.
"""

from __future__ import annotations

from functools import cache

from stichkampf.engine.policy import Policy
from stichkampf.policies.kind_policy import KindPolicy
from stichkampf.policies.tricks.sixes_and_sevens import SixesTricks
from stichkampf.policies.tricks.stiche_raten import SticheRatenTricks
from stichkampf.policies.tricks.sticheln import StichelnTricks
from stichkampf.policies.weights import fitted

__all__ = ["TRICK_POLICIES", "trick_policy_of"]

TRICK_POLICIES: dict[str, type[KindPolicy]] = {
    "sticheln": StichelnTricks,
    "stiche-raten": SticheRatenTricks,
    "sixes-and-sevens": SixesTricks,
}


@cache
def trick_policy_of(game: str) -> Policy | None:
    """Return the policy of a game that judges the cards of tricks, by its name; None for a game without one.

    >>> trick_policy_of("sticheln")
    <StichelnTricks>
    >>> trick_policy_of("mue") is None
    True
    """
    return fitted(TRICK_POLICIES, game)
